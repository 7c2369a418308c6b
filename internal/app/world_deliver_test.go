package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// publish makes a message: a new logical request, or one that was asked for before.
func (w *world) publish() {
	s := pick(w, w.subjects...)
	a := w.ask(s)
	w.send(&message{id: w.nextID(), form: pick(w, forms()...), subject: s, ask: a, born: time.Now().UTC()})
}

func (w *world) ask(s *subject) *ask {
	if len(s.asks) > 0 && w.chance(0.55) {
		return pick(w, s.asks...)
	}
	now := time.Now().UTC()
	a := &ask{number: s.number}
	if len(s.asks) > 0 && w.chance(0.25) {
		a.number, a.conflicts = number(500+w.rng.IntN(90)), true
	}
	a.payload = object{"notificationId": s.name, "recipientId": "user-67890"}
	if a.number != "" {
		a.payload["destinationPhoneNumber"] = a.number
	}
	if w.log != nil {
		a.payload["attributes"] = object{secretAttribute: secretValue}
	}
	if s.recall != "" {
		a.payload["recallId"] = s.recall
	}
	if s.profile != "" {
		a.payload["profile"] = s.profile
	}
	if w.chance(0.6) {
		a.at = now.Add(pick(w, 0, 0, 0, -time.Hour, 4*time.Minute)).Truncate(time.Second)
		a.payload["requestedAt"] = a.at.Format(time.RFC3339)
	}
	if w.chance(0.15) {
		a.limited = true
		a.payload["notAfter"] = now.Add(time.Duration(w.rng.IntN(7200)-60) * time.Second).Format(time.RFC3339)
	}
	s.asks = append(s.asks, a)
	return a
}

func (w *world) publishCancel() {
	s := pick(w, w.subjects...)
	a := &ask{cancel: true, payload: object{"notificationId": s.name, "recipientId": "user-67890", "action": "cancel"}}
	if s.recall != "" {
		a.payload["recallId"] = s.recall
	}
	if s.kind != "" { // a cancel means the kind of its profile
		a.payload["profile"] = s.profile
	}
	if w.chance(0.8) {
		a.at = time.Now().UTC().Add(pick(w, 0, 0, -time.Minute, -30*time.Hour, 3*time.Minute)).Truncate(time.Second)
		a.payload["requestedAt"] = a.at.Format(time.RFC3339)
	}
	w.send(&message{id: w.nextID(), form: pick(w, forms()...), subject: s, ask: a, born: time.Now().UTC()})
}

func (w *world) send(m *message) {
	w.pending = append(w.pending, m)
	w.history = append(w.history, m)
}

// deliver hands pending messages of one form to a worker: one document.
func (w *world) deliver(ctx context.Context, k *worker) {
	if len(w.pending) == 0 {
		return
	}
	batch := []*message{w.pending[len(w.pending)-1]}
	if w.chance(0.5) {
		batch[0] = pick(w, w.pending...)
	}
	if f := batch[0].form; f.queued() {
		for _, m := range w.pending {
			if m != batch[0] && m.form.queued() && (m.form == "sqs-fifo") == (f == "sqs-fifo") && len(batch) < 6 && w.chance(0.7) {
				batch = append(batch, m)
			}
		}
	}
	w.handle(ctx, k, batch)
}

func (w *world) handle(ctx context.Context, k *worker, batch []*message) {
	for _, m := range batch {
		m.received++
	}
	if k.skew == 0 && !w.calm && w.chance(0.12) {
		limited, cancel := context.WithTimeout(ctx, time.Duration(2+w.rng.IntN(40))*time.Second)
		defer cancel()
		ctx = limited
		w.mark("deadline")
	}
	w.survive(k, func() {
		report, err := k.app.Handler.Process(ctx, document(batch))
		switch {
		case k.dead:
			return
		case err != nil || len(report.Results) != len(batch):
			w.find("a document of %d messages came back as %d results: %v", len(batch), len(report.Results), err)
			return
		}
		response, failure := report.Response() // an error is an answer
		w.listen(string(response), fmt.Sprint(failure))
		var partial struct {
			BatchItemFailures []struct{ ItemIdentifier string }
		}
		if batch[0].form.queued() {
			if err := json.Unmarshal(response, &partial); err != nil {
				w.find("the response of a batch cannot be read: %v", err)
			}
		}
		returned := map[string]bool{}
		for _, failure := range partial.BatchItemFailures {
			returned[failure.ItemIdentifier] = true
		}
		for i, m := range batch {
			acknowledged := report.Results[i].Acknowledged()
			if m.form.queued() && acknowledged == returned[m.id] {
				w.find("%s is acknowledged %v and returned %v", m.id, acknowledged, returned[m.id])
			}
			w.tell(m, report.Results[i].Outcome)
		}
	})
}

// tell lets the source act on an answer.
func (w *world) tell(m *message, out call.Outcome) {
	w.mark("met " + string(out.Met))
	w.mark("form " + string(m.form))
	w.listen(out.Message, out.Fix, fmt.Sprintf("%+v", out))
	if out.Code == call.CodeTokenTaken {
		w.find("%s was refused because another call has its token", m.subject.name)
	}
	if out.Suppressed != "" {
		w.mark("suppressed " + out.Suppressed)
	}
	if out.Ack == call.AckDone {
		w.acknowledged(m, out)
	}
	gone := out.Ack == call.AckDone || (out.Ack == call.AckRefuse && m.received >= 3)
	if !gone {
		return
	}
	if out.Ack == call.AckDone && !w.calm && w.chance(0.25) {
		w.mark("late duplicate")
		return // deleted too late: it comes again
	}
	w.pending = slices.DeleteFunc(w.pending, func(p *message) bool { return p == m })
	if out.Ack == call.AckRefuse {
		w.dlq = append(w.dlq, m)
	}
}

// listen keeps what was said, for the canary.
func (w *world) listen(said ...string) {
	if w.log != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.answers = append(w.answers, said...)
	}
}

func (w *world) redriveOrReplay() {
	if len(w.dlq) > 0 && w.chance(0.5) {
		m := *w.dlq[0]
		w.dlq = w.dlq[1:]
		m.id, m.received = w.nextID(), 0
		if m.form == "sqs" || m.form == "sqs-fifo" {
			m.born = time.Now().UTC() // a redrive is a new message to the queue
		}
		w.mark("redrive")
		w.pending = append(w.pending, &m)
		return
	}
	if len(w.history) > 0 {
		m := *pick(w, w.history...)
		m.received, m.replay = 0, true
		if m.form.queued() {
			m.id = w.nextID()
		}
		w.mark("replay")
		w.pending = append(w.pending, &m)
	}
}
