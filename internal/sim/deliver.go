package sim

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/sim/transport"
)

// publish lets a producer send a request, or with the verb cancel the wish to withdraw it: "publish m1 r1 key=n1 form=sqs at=now". A request
// that was sent before is the same request in another message.
func publish(_ context.Context, w *World, a Act) error {
	name, err := a.word(0)
	if err != nil {
		return err
	}
	if w.message(name) != nil {
		return fmt.Errorf("the message %s was published before", name)
	}
	wish := name
	if len(a.Words) > 1 {
		wish = a.Words[1]
	}
	r := w.request(wish)
	if r == nil {
		if r, err = w.newRequest(wish, a, a.Verb != "publish"); err != nil {
			return err
		}
	}
	form := transport.Form(a.value("form"))
	if form == "" {
		form = transport.SQS
	}
	now := time.Now().UTC()
	m := &message{name: name, request: r, form: form, born: now, unkeyed: a.value("unkeyed") == "yes", waits: a.value("wait") == "yes"}
	if err := w.net.Publish(transport.Message{ID: name, Form: form, Payload: r.payload, Group: r.subject.name, Key: wish}, now); err != nil {
		return err
	}
	w.messages = append(w.messages, m)
	w.mark("form " + string(form))
	return nil
}

// deliver invokes a worker with messages, whatever their schedule: "deliver m1 m2 to=B".
func deliver(ctx context.Context, w *World, a Act) error {
	k, err := w.worker(a.value("to"))
	if err != nil {
		return err
	}
	d := w.net.taken
	w.net.taken = nil
	if d == nil {
		for _, name := range a.Words {
			if w.message(name) == nil {
				return fmt.Errorf("there is no message %q", name)
			}
		}
		forced, err := w.net.Force(time.Now().UTC(), a.Words...)
		if err != nil {
			return err
		}
		d = &forced
	}
	w.invoke(ctx, k, a, *d)
	return nil
}

// invoke runs a worker's function on a delivery and tells its source what came of it.
func (w *World) invoke(ctx context.Context, k *worker, a Act, d transport.Delivery) {
	start, limit := time.Now(), d.Deadline
	outer := w.invoked
	w.invoked = start
	defer func() { w.invoked = outer }() // what was interrupted by this invocation goes on, and is older
	for i := range a.Strikes {
		if a.Strikes[i].Do == "deadline" {
			limit = a.Strikes[i].For
			a.Strikes[i].spent = true
		}
	}
	ctx, end := context.WithDeadline(ctx, w.moments.alone(start.Add(limit+1))) // dials that take their time end at whole seconds from the start
	defer end()
	if d.Form == transport.API {
		w.overAPI(ctx, k, d, limit)
		return
	}
	answer, acks, cut := transport.Response{Crashed: true}, []call.Ack(nil), false
	lived := w.survive(k, func() {
		if k.dead.Load() {
			return
		}
		report, err := k.app.Handler.Process(ctx, d.Document)
		switch {
		case k.dead.Load():
			return
		case err != nil || len(report.Results) != len(d.Records):
			w.find("a document of %d messages came back as %d results: %v", len(d.Records), len(report.Results), err)
			return
		}
		body, failure := report.Response() // an error is an answer
		if w.options.Secret != "" {
			w.listen(string(body), fmt.Sprint(failure))
		}
		answer = transport.Response{Body: body, Err: failure}
		for i, r := range d.Records {
			w.answered(k, r, report.Results[i].Outcome)
			acks = append(acks, report.Results[i].Outcome.Ack)
			cut = cut || report.Results[i].Outcome.Met == call.MetNotStarted
		}
	})
	if limit < d.Deadline && (time.Since(start) > limit || cut) {
		w.fault(FaultTimeout, w.message(d.Records[0].MessageID).request.subject.row())
	}
	if !lived {
		answer = transport.Response{Crashed: true}
	} else if time.Since(start) > limit {
		answer.TimedOut = true
	}
	if ruling, err := w.net.Answer(d.ID, answer, time.Now().UTC()); err == nil { // else it came after the source had given the delivery up
		w.understood(d, acks, ruling)
	}
}

// understood sees that the source read from the response what the handler meant: it may keep more than it was told to forget, and never less.
func (w *World) understood(d transport.Delivery, acks []call.Ack, r transport.Ruling) {
	for i, ack := range acks {
		if i < len(r.Acknowledged) && r.Acknowledged[i] && ack == call.AckRetry {
			w.find("%s was to be delivered again, and its source forgets it", d.Records[i].MessageID)
		}
	}
}

// answered notes what a worker said about one record.
func (w *World) answered(k *worker, r transport.Record, out call.Outcome) {
	m := w.message(r.MessageID)
	if r.Cause != transport.CauseFirst && r.Cause != transport.CauseRetry && r.Cause != transport.CauseForced {
		w.fault(FaultSource, m.request.subject.row())
	}
	w.trace.add(k.name, string(out.Met)+" "+out.Suppressed+" "+string(out.Ack), m.name)
	w.mark("met " + string(out.Met))
	if w.options.Secret != "" {
		w.listen(out.Message, out.Fix, fmt.Sprintf("%+v", out))
	}
	if out.Code == call.CodeTokenTaken {
		w.find("%s was refused because another call has its token", m.request.subject.name)
	}
	if out.Suppressed != "" {
		w.mark("suppressed " + out.Suppressed)
	}
	acknowledged := out.Ack == call.AckDone
	if lie := w.options.Plant.Acknowledge; lie != nil {
		acknowledged = lie(out)
	}
	if acknowledged {
		w.acknowledged(m, out)
	}
	if acknowledged || (out.Ack == call.AckRefuse && w.calm) { // what a broken configuration refuses is replayed again before a recovery is closed
		w.net.paid(m.name)
	}
	w.net.last[m.name] = verdict{acknowledged: acknowledged, refused: out.Ack == call.AckRefuse, said: saidOf(out)}
}

// acknowledged notes what a source was promised, and sees that the ledger can keep it.
func (w *World) acknowledged(m *message, out call.Outcome) {
	first, known := w.row(m.request.subject.row())
	if !known {
		w.find("%s was acknowledged (%s) and is not in the ledger", m.request.subject.name, out.Met)
		return
	}
	if out.Met != call.MetConflict {
		w.judgeSuppressed(m, out, first)
	}
	// Nobody finishes what is acknowledged before its end but a sweeper that runs (protocol.md section 8, R30, R31).
	if late := w.invoked.Sub(w.beat); (out.Met == call.MetReceived || out.Met == call.MetDialing) && late > call.HeartbeatTime+w.clockError() {
		w.find("%s is acknowledged as %s, and no sweeper has run for %s", m.name, out.Met, late)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	t := &w.truth
	switch {
	case m.request.cancel:
		if !m.request.at.IsZero() && first.CanceledBefore.Before(m.request.at) {
			w.findings = append(w.findings, "an acknowledged cancel left no trace on "+m.request.subject.name)
		}
		if first.Tombstone {
			w.counts["tombstone"]++
		}
		if at := m.canceledAt(w.invoked, w.behind); at.After(t.kept[first.ID]) {
			t.seq++
			t.kept[first.ID], t.keptSeq[first.ID] = at, t.seq
			if m.request.acks {
				t.life.acked[first.ID] = known1{at, t.seq}
			}
		}
	case out.Met != call.MetConflict:
		t.accepted[first.ID] = max(t.accepted[first.ID], out.Call.Ring) // by the ring that the answer is about
	}
}

// canceledAt returns a time up to which the cancel surely counts, when the delivery that was answered began at the given instant: an undated cancel
// counts from its arrival, however long its process stood still before it answered. Its arrival is on a worker's clock, which may be behind; one that is
// behind by more than 5 minutes does not believe the stamp of a message either (protocol.md section 8).
func (m *message) canceledAt(arrived time.Time, behind time.Duration) time.Time {
	if !m.request.at.IsZero() {
		return m.request.at
	}
	at := m.countsFrom(arrived)
	if received := arrived.UTC().Add(-behind - 10*time.Minute); behind > 5*time.Minute && received.Before(at) {
		return received
	}
	return at
}

func (m *message) countsFrom(arrived time.Time) time.Time {
	switch m.form { //nolint:exhaustive // the others have a stamp, which may be as old as the first send
	case transport.SQS, transport.SQSFIFO, transport.SNSRawInSQS, transport.Async, transport.Direct, transport.HTTP:
		return arrived.UTC().Add(-10 * time.Minute) // on a worker's clock
	case transport.Scheduler, transport.SchedulerInSQS, // dated only once it was in a dead-letter queue
		transport.API: // another try is answered as the first was, which counted from its own arrival
		return m.born.Add(-10 * time.Minute)
	}
	return m.born.Truncate(time.Second)
}

// redrive moves what waits in dead-letter queues back to its source.
func redrive(_ context.Context, w *World, _ Act) error {
	if moved := w.net.Redrive(time.Now().UTC()); moved > 0 {
		w.mark("redrive")
	}
	return nil
}

// replay sends an event again from its archive.
func replay(_ context.Context, w *World, a Act) error {
	name, err := a.word(0)
	if err != nil {
		return err
	}
	if err := w.net.Replay(name, time.Now().UTC()); err != nil {
		return err
	}
	w.mark("replay")
	return nil
}

// listen keeps what was said, for the canary.
func (w *World) listen(said ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.said = append(w.said, said...)
}

// Said returns what sources and callers were told, of a world with a secret.
func (w *World) Said() []string { return slices.Clone(w.said) }
