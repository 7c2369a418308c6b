package lambda

import (
	"context"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
)

// Sequence takes chosen records of any number of documents one after the other, as a replay does, by the same path as [Handler.Process].
// All of them together count as one batch: without a ledger, records of one key share one flight and one answer, and another fingerprint is
// a conflict. In a FIFO group nothing is started after a record that its source keeps for another try; one that is refused for good holds
// nobody up, as it has lost its place already. A sweep trigger sweeps nothing, and a hint that a call may be due moves nothing: it names no
// request whose ring somebody could have expected of this sequence, and the sweep finds the call without it.
//
// It is not safe for concurrent use.
type Sequence struct {
	h        *Handler
	producer string

	first   map[string]string // fingerprint by row
	flights map[string]call.Outcome
	stopped map[string]bool // FIFO groups
}

// Sequence begins a sequence. A producer's ARN takes the place of the one that a record names; empty leaves it.
func (h *Handler) Sequence(producerARN string) *Sequence {
	return &Sequence{h: h, producer: producerARN, first: map[string]string{}, flights: map[string]call.Outcome{}, stopped: map[string]bool{}}
}

// Delivery returns the delivery of a record with the verdict ok as Record hands it to the core now.
func (s *Sequence) Delivery(record envelope.Record) call.Delivery {
	return s.h.delivery(record, s.producerOf(record))
}

func (s *Sequence) producerOf(record envelope.Record) string {
	if s.producer != "" {
		return s.producer
	}
	return record.ProducerARN()
}

// Record takes one record of a document as far as the time allows.
func (s *Sequence) Record(ctx context.Context, doc envelope.Document, record envelope.Record) Result {
	limit, end := s.h.limit(ctx)
	defer end()
	doc.Records = []envelope.Record{record}
	w := &work{h: s.h, limit: limit, doc: doc, asks: make([]ask, 1), results: []Result{{Record: record}}}
	if record.Verdict == envelope.VerdictOK {
		w.asks[0] = s.h.ask(s.Delivery(record), s.first)
	}
	group := record.SourceARN + " " + record.Group
	if doc.FIFO && s.stopped[group] {
		w.results[0].Outcome = w.notStarted(0, CodeGroupStopped, "An earlier record of the group was not acknowledged, so this one was not started.")
		return w.results[0]
	}
	if record.IsWake() {
		w.results[0].Outcome = w.settled(0, call.MetIgnored, "ignored")
	} else {
		w.results[0].Outcome = w.safely(0, s.flights)
	}
	s.stopped[group] = w.results[0].Outcome.Ack == call.AckRetry
	return w.results[0]
}
