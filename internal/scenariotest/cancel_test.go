package scenariotest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

func TestScenarioV46WhatWasCanceledBeforeItsDialDoesNotRing(t *testing.T) {
	t.Parallel()
	slow := func(c *app.Config) { // one call a minute, and nobody waits for the next slot
		perSecond := 1.0 / 60
		c.Pacing = app.Pacing{PerSecond: &perSecond, Burst: 1, Patience: "0s"}
	}
	play(t, setting{config: slow}, func(w *world) {
		w.sweep()
		w.send(wish(1)) // takes the slot
		w.met(w.send(wish(2)), call.MetReceived, call.AckDone)
		w.met(w.send(wish(3)), call.MetReceived, call.AckDone)
		if c := w.row(wish(2), 0); c.DueReason != "pacing" {
			t.Errorf("held for %q", c.DueReason)
		}
		w.met(w.sendAs("m-ack-2", cancel(2, time.Now())), call.MetCancelKept, call.AckDone)
		// Between the slot and the dial: the sweep has taken the slot for the third call when its cancel arrives.
		w.gate.do = map[string]func(){"before intent": func() { w.sendAs("m-ack-3", cancel(3, time.Now())) }}
		w.sweepFor(10 * time.Minute)
		if w.gate.count("before intent") < 2 {
			t.Error("the third call never came to its dial")
		}
		for n := 2; n <= 3; n++ {
			c := w.stands(wish(n), call.Canceled)
			entries, err := w.app.Store.Index.History(context.Background(), c.ID)
			if err != nil || !endsWith(entries, call.EventCancelRequested, call.EventCanceled) || c.AttemptCount != 0 {
				t.Errorf("the timeline does not tell it: %v, %v", entries, err)
			}
		}
		w.rang(1)
	})
}

// endsWith reports whether one of the kinds ends a history.
func endsWith(entries []call.Entry, kinds ...call.EventKind) bool {
	return len(entries) > 0 && slices.Contains(kinds, entries[len(entries)-1].Kind)
}

func TestScenarioV46WhatRingsAlreadyIsHungUp(t *testing.T) {
	t.Parallel()
	play(t, setting{}, func(w *world) {
		out := w.send(wish(1))
		time.Sleep(3 * time.Second) // it rings
		w.met(w.sendAs("m-ack", cancel(1, time.Now())), call.MetCancelKept, call.AckDone)
		contact, _ := w.emu.Contact(out.ContactID)
		if rang := contact.DisconnectedAt.Sub(contact.InitiatedAt); contact.State != connectemu.StateDisconnected || rang > 4*time.Second {
			t.Errorf("the contact is %s after %s", contact.State, rang)
		}
		w.stands(wish(1), call.Placed) // the history does not lie: it rang
		w.rang(1)
	})
}
