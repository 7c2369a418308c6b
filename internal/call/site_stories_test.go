package call_test

import (
	"context"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// siteStory is a story for the writes that it makes.
type siteStory struct {
	name    string
	prepare func(*world)
	play    func(*world)
	rings   int
}

// siteStories reach every write that the program has.
func siteStories() []siteStory {
	return append([]siteStory{
		{name: "a first call, a duplicate and a conflict", play: firstAndConflict, rings: 1},
		{name: "a throttled call", prepare: answers(says(call.ClassThrottled, "throttled")), play: deliverAndSettle, rings: 1},
		{name: "a call whose setup is refused", prepare: answers(says(call.ClassRefusedSetup, "access_denied")), play: deliverAndSettle, rings: 1},
		{name: "a call that was not sent", prepare: answers(says(call.ClassNotSent, "dns")), play: deliverAndSettle, rings: 1},
		{name: "a refused call", prepare: answers(says(call.ClassRefusedRequest, "invalid_parameter")), play: deliverAndSettle},
		{name: "an answer that is lost", prepare: ambiguousAnswer(call.ResendToken), play: deliverAndSettle, rings: 1},
		{name: "an answer that is lost, with evidence", prepare: ambiguousAnswer(call.ResendEvidence), play: deliverAndSettle, rings: 1},
		{name: "a doubt that a contact event ends", prepare: ambiguousAnswer(call.ResendNever), play: doubtAndContact, rings: 1},
		{name: "a doubt that a flow ends, whose recipient confirms", prepare: ambiguousAnswer(call.ResendNever), play: doubtAndKey, rings: 1},
		{name: "a call that expires", prepare: answers(waitsLong), play: expires},
		{name: "a cancel before the call", play: tombstone, rings: 1},
		{name: "a cancel of a waiting call", prepare: answers(waitsLong), play: cancelWaiting},
		{name: "a window that opens", prepare: func(w *world) { w.profile(window(2 * day)) }, play: windowOpens, rings: 2},
		{name: "a re-call", play: recallOnce, rings: 2},
		{name: "a token that grows too old", prepare: answers(says(call.ClassThrottled, "throttled")), play: tokenAge, rings: 1},
		{name: "a token of a later ring that grows too old", prepare: thenThrottled, play: laterTokenAge, rings: 2},
		{name: "a paused profile", prepare: func(w *world) { w.profile(pause) }, play: pausedAndResumed, rings: 1},
		{name: "a person's note", play: annotated, rings: 1},
		{name: "a held call that a person releases", prepare: answers(waitsLong), play: releaseHeld, rings: 1},
		{name: "a held call that a person drops", prepare: answers(waitsLong), play: dropHeld},
		{name: "a held re-call that a person drops", prepare: thenWaitsLong, play: dropRecall, rings: 1},
		{name: "a doubt that a person closes", prepare: ambiguousAnswer(call.ResendNever), play: doubtAndPerson, rings: 1},
		{name: "a recovery", prepare: answers(waitsLong), play: recovery, rings: 1},
		{name: "a recipient who is forgotten", play: forgotten, rings: 1},
		{name: "a recipient of two rings who is forgotten", play: forgottenTwice, rings: 2},
		{name: "records that cannot be read", play: parking},
		{name: "events of a contact", prepare: keepsOutcomes, play: eventsOfAContact, rings: 1},
		{name: "a contact without events", prepare: keepsOutcomes, play: deliverAndSettle, rings: 1},
		{name: "a contact that is hung up", prepare: keepsOutcomes, play: stoppedContact, rings: 1},
		{name: "cells", play: cellsCounted},
	}, againStories()...)
}

func answers(script ...func(call.Send) call.Answer) func(*world) {
	return func(w *world) { w.phones.script = append(w.phones.script, script...) }
}

func ambiguousAnswer(policy call.Resend) func(*world) {
	return func(w *world) {
		resend(policy)(w)
		w.phones.hidden = policy == call.ResendNever
		w.phones.script = append(w.phones.script, w.phones.lost)
	}
}

func waitsLong(call.Send) call.Answer {
	return call.Answer{Class: call.ClassThrottled, RetryAfter: 50 * time.Minute}
}

// again does an operator's act until the ledger answers it.
func (w *world) again(act func() error) {
	w.t.Helper()
	var err error
	for range 3 {
		if err = act(); err == nil {
			return
		}
	}
	w.t.Fatal(err)
}

func deliverAndSettle(w *world) {
	w.deliver(request("n", start))
	w.settle()
}

func firstAndConflict(w *world) {
	w.deliver(request("n", start))
	w.deliver(request("n", start))
	other := request("n", start)
	other.Request.Attributes = map[string]string{"text": "another"}
	w.deliver(other)
	w.deliver(other)
	w.sweep()
	w.again(func() error { return w.store.SetReading(context.Background(), "A1") })
}

func doubtAndContact(w *world) {
	w.deliver(request("n", start))
	w.settle()
	w.state("n", 0, call.InDoubt, w.row("n", 0).Code)
	if len(w.phones.contacts) != 1 {
		w.t.Fatalf("%d contacts, want 1", len(w.phones.contacts))
	}
	w.again(func() error {
		_, err := w.engine.SawContact(context.Background(), call.Target{}, w.phones.contacts[0].ID)
		return err
	})
}

func doubtAndKey(w *world) {
	w.deliver(request("n", start))
	w.settle()
	w.picksUp(0)
	w.presses(0, "1")
	w.presses(0, "1")
}

func expires(w *world) {
	d := request("n", start)
	d.Request.NotAfter = start.Add(20 * time.Minute)
	w.deliver(d)
	w.settle()
	w.state("n", 0, call.Expired, w.row("n", 0).Code)
}

func tombstone(w *world) {
	w.deliver(cancel("n", start))
	w.deliver(request("n", start.Add(-time.Minute)))
	w.clock.advance(2 * time.Minute)
	w.deliver(request("n", start.Add(time.Minute)))
	w.deliver(cancel("n", start))
}

func cancelWaiting(w *world) {
	w.deliver(request("n", start))
	w.deliver(cancel("n", start.Add(time.Second)))
	w.settle()
	w.state("n", 0, call.Canceled, "canceled")
}

func windowOpens(w *world) {
	w.deliver(request("n", start))
	w.clock.advance(3 * day)
	w.sweep()
	at := w.clock.Now()
	w.deliver(request("n", at))
	w.deliver(request("n", at))
	w.deliver(request("n", start))
}

func recallOnce(w *world) {
	w.deliver(request("n", start))
	w.recall("n", 0)
	w.settle()
}

func tokenAge(w *world) {
	w.deliver(request("n", start))
	w.clock.advance(call.TokenUse + time.Hour)
	w.settle()
	w.state("n", 0, call.Failed, w.row("n", 0).Code)
}

// thenThrottled answers the first dial and throttles the second.
func thenThrottled(w *world) {
	w.phones.script = append(w.phones.script, w.phones.ring, says(call.ClassThrottled, "throttled"))
}

func laterTokenAge(w *world) {
	w.deliver(request("n", start))
	w.recall("n", 0)
	w.clock.advance(call.TokenUse + time.Hour)
	w.settle()
	w.state("n", 1, call.Failed, w.row("n", 1).Code)
}

func pausedAndResumed(w *world) {
	w.deliver(request("n", start))
	w.clock.advance(2 * day)
	w.sweep()
	w.sweep()
	w.profile(func(p *call.Profile) { p.Paused = false })
	w.restart()
	w.settle()
}

func annotated(w *world) {
	w.deliver(request("n", start))
	w.again(func() error {
		_, err := w.engine.Annotate(context.Background(), w.row("n", 0).ID, "seen", "ann")
		return err
	})
}

// thenWaitsLong answers the first dial and throttles the second for long.
func thenWaitsLong(w *world) { w.phones.script = append(w.phones.script, w.phones.ring, waitsLong) }

func releaseHeld(w *world) {
	w.deliver(request("n", start))
	w.release("n", 0)
	w.state("n", 0, call.Placed, "")
}

func dropHeld(w *world) {
	w.deliver(request("n", start))
	w.drop("n", 0)
	w.deliver(request("n", start))
	w.settle()
	w.state("n", 0, call.Canceled, "canceled")
}

func dropRecall(w *world) {
	w.deliver(request("n", start))
	w.recall("n", 0)
	w.drop("n", 1)
	w.deliver(request("n", start))
	w.settle()
	w.state("n", 1, call.Canceled, "canceled")
}

// doubtAndPerson closes a doubt by a contact id that a person found.
func doubtAndPerson(w *world) {
	w.deliver(request("n", start))
	w.settle()
	w.again(func() error {
		_, err := w.engine.CloseDoubt(context.Background(), w.row("n", 0).ID, w.phones.contacts[0].ID, "ann", "it is in the list of contacts")
		return err
	})
	if c := w.state("n", 0, call.Placed, ""); c.ContactFrom != "person" {
		w.t.Errorf("known from %q", c.ContactFrom)
	}
}

// release lets a held call ring, until the ledger answers it. What is not held any more was released by the try before.
func (w *world) release(notification string, ring int) {
	w.t.Helper()
	w.again(func() error {
		out := w.engine.Release(context.Background(), w.row(notification, ring).ID, "ann", "it is urgent")
		if out.Met == call.MetUnavailable {
			return &call.Error{Code: out.Code, Message: out.Message}
		}
		return nil
	})
}

func (w *world) drop(notification string, ring int) {
	w.t.Helper()
	w.again(func() error {
		_, err := w.engine.Drop(context.Background(), w.row(notification, ring).ID, "ann", "not needed any more")
		if call.CodeOf(err) == call.CodeNotHeld {
			return nil
		}
		return err
	})
}

// recovery begins a recovery under a call that waits, taints it, and closes it.
func recovery(w *world) {
	ctx := context.Background()
	w.deliver(request("n", start))
	w.clock.advance(time.Minute)
	r := call.Recovery{Backup: start, Restored: w.clock.Now()}
	w.again(func() error { return w.store.BeginRecovery(ctx, r) })
	w.restart()
	w.again(func() error {
		_, err := w.engine.TaintRow(ctx, w.row("n", 0).ID, r)
		return err
	})
	w.settle()
	w.again(func() error {
		err := w.store.CloseRecovery(ctx)
		if call.CodeOf(err) == call.CodeRecoveryNotOpen {
			return nil
		}
		return err
	})
}

func forgotten(w *world) {
	w.deliver(request("n", start))
	w.deliver(request("n", start))
	w.forget()
	w.forget() // the index shows no row that is scrubbed
	w.deliver(request("n", start))
}

func forgottenTwice(w *world) {
	w.deliver(request("n", start))
	w.recall("n", 0)
	w.forget()
	w.forget()
}

func parking(w *world) {
	ctx := context.Background()
	for _, id := range []string{"parked-open", "parked-closed"} {
		w.again(func() error {
			_, err := w.store.Park(ctx, call.Parked{ID: id, At: start, Source: call.SourceSQS, Code: "not_json", Document: []byte("{"), Size: 1})
			return err
		})
	}
	w.again(func() error { return w.store.CloseParked(ctx, "parked-closed", call.ParkedDropped, start) })
	w.again(func() error { return w.store.CloseParked(ctx, "parked-closed", call.ParkedDropped, start) })
}

// cellsCounted writes cells as a gate does: who gets no answer reads again, and who lost writes after what is there.
func cellsCounted(w *world) {
	ctx := context.Background()
	write := func(c call.Cell) {
		w.again(func() error {
			now, err := w.store.Cell(ctx, c.Name)
			if err != nil || now.Version >= c.Version {
				return err
			}
			_, _, err = w.store.SetCell(ctx, c)
			return err
		})
	}
	write(call.Cell{Name: "expired", Version: 1, Expires: start.Add(-48 * time.Hour)})
	for count := int64(1); count <= 3; count++ {
		write(call.Cell{Name: "counter", Version: count, Data: []byte{byte(count)}})
	}
	w.again(func() error {
		_, err := w.store.PruneCells(ctx, start, 10)
		return err
	})
}
