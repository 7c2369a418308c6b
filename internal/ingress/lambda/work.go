package lambda

import (
	"context"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
)

// work is one document on its way through the core. Lanes write disjoint elements of results.
type work struct {
	h       *Handler
	limit   limit
	doc     envelope.Document
	asks    []ask
	results []Result
}

// ask is a record's delivery with its key. The zero value belongs to a record that is no request.
type ask struct {
	delivery    call.Delivery
	rowID       string // empty when the core refuses the delivery before it has a key
	fingerprint string // empty for a cancel
	conflict    bool   // without a ledger: the key has another fingerprint earlier in the document
}

// ask completes the deliveries and names their keys.
func (w *work) ask() []ask {
	asks := make([]ask, len(w.doc.Records))
	first := map[string]string{} // fingerprint by row
	for i, record := range w.doc.Records {
		a := &asks[i]
		if record.IsWake() { // in one lane with the deliveries of its key
			a.rowID = record.Wake.Call
		}
		if record.Verdict != envelope.VerdictOK {
			continue
		}
		d := w.h.delivery(record, record.ProducerARN())
		if d.Trace.IsZero() {
			d.Trace = call.TraceOf(w.limit.ctx)
		}
		asks[i] = w.h.ask(d, first)
	}
	return asks
}

// context returns the context of one record: that of the invocation, with the record's own trace.
func (w *work) context(i int) context.Context {
	return call.WithTrace(w.limit.ctx, w.doc.Records[i].Trace)
}

// delivery completes the delivery of a record whose producer has this ARN.
func (h *Handler) delivery(record envelope.Record, producerARN string) call.Delivery {
	d := record.Delivery
	d.Producer = producerARN
	if h.Producer != nil {
		d.Producer = h.Producer(producerARN)
	}
	d.ReceivedAt = h.Clock.Now()
	return d
}

// ask names the key of a delivery. first holds the fingerprint of the earlier records' keys, and learns this one.
func (h *Handler) ask(d call.Delivery, first map[string]string) ask {
	a := ask{delivery: d}
	rowID, fingerprint, err := h.Keys.Key(d)
	if err != nil {
		return a // Place refuses it in the core's words
	}
	a.rowID, a.fingerprint = rowID, fingerprint
	if known, again := first[rowID]; again && h.Mode == call.ModeNone && fingerprint != "" {
		a.conflict = known != fingerprint
	} else if fingerprint != "" && !again {
		first[rowID] = fingerprint
	}
	return a
}

// lane takes records one after the other. In a FIFO group nothing is started after a record that was not acknowledged.
func (w *work) lane(records []int) {
	stopped := map[string]bool{}
	flights := map[string]call.Outcome{}
	for _, i := range records {
		group := w.doc.Records[i].Group
		if stopped[group] {
			w.results[i].Outcome = w.notStarted(i, CodeGroupStopped, "An earlier record of the group was not acknowledged, so this one was not started.")
			continue
		}
		w.results[i].Outcome = w.safely(i, flights)
		stopped[group] = w.doc.FIFO && !w.results[i].Acknowledged()
	}
}

// record answers one record.
func (w *work) record(i int, flights map[string]call.Outcome) call.Outcome {
	record, a := w.doc.Records[i], w.asks[i]
	switch record.Verdict {
	case envelope.VerdictReject:
		return w.unreadable(i)
	case envelope.VerdictIgnore:
		if record.IsWake() {
			return w.wake(i, *record.Wake)
		}
		if record.Contact != nil && w.h.Contacts != nil {
			return w.contact(i)
		}
		return w.settled(i, call.MetIgnored, "ignored")
	case envelope.VerdictOK:
	}
	if a.conflict {
		return w.conflict(i)
	}
	if out, shared := w.twin(i, flights); shared {
		return out
	}
	if !w.limit.mayStart() {
		return w.notStarted(i, call.CodeDeadlineTooNear, "The Lambda deadline is too near to start this record.")
	}
	out := w.h.Placer.Place(w.limit.ctx, a.delivery)
	if a.rowID != "" && a.fingerprint != "" && sent(out.Met) {
		flights[a.rowID] = out
	}
	return out
}

// settled answers a record by what the envelope says about it.
func (w *work) settled(i int, met call.Situation, what string) call.Outcome {
	record := w.doc.Records[i]
	w.h.observe(w.context(i), call.Decided{
		What: what, Code: call.Code(record.Reason), Reason: record.Message, Source: w.doc.Source, Delivery: record.Identity.Delivery,
	})
	out := w.h.outcome(w.doc, met, call.Code(record.Reason), record.Message)
	out.Fix = record.Fix
	return out
}

func (w *work) notStarted(i int, code call.Code, message string) call.Outcome {
	w.h.observe(w.context(i), call.Decided{
		What: "not-started", Code: code, Reason: message, RowID: w.asks[i].rowID, Number: w.asks[i].delivery.Request.Destination,
		Source: w.doc.Source, Delivery: w.doc.Records[i].Identity.Delivery,
	})
	out := w.h.outcome(w.doc, call.MetNotStarted, code, message)
	out.Fix = "Nothing: it goes back to its source."
	return out
}
