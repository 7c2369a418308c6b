package scenariotest

import (
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// oneLine is an account that may have one call at a time, and a limit that knows it. The lease of a slot is far longer than any story.
func oneLine() setting {
	return setting{
		network: connectemu.Config{MaxConcurrentCalls: 1, DescribeRate: connectemu.Unlimited},
		config:  func(c *app.Config) { c.Limits = app.Limits{Concurrent: 1, SlotLease: "24h"} },
	}
}

// tell delivers what the telephone network has told since the last time.
func (w *world) tell() {
	w.Helper()
	for _, e := range w.emu.TakeEvents() {
		if r := w.deliver(e.Document); len(r) != 1 || !r[0].Acknowledged() {
			w.Errorf("%s: %+v", e.Document, r)
		}
	}
}

// waitsForItsTurn sends two calls, of which the second finds no slot.
func (w *world) waitsForItsTurn() {
	w.Helper()
	w.sweep()
	w.met(w.send(wish(1)), call.MetPlaced, call.AckDone)
	w.met(w.send(wish(2)), call.MetReceived, call.AckDone)
	if c := w.row(wish(2), 0); c.DueReason != call.HeldConcurrency {
		w.Errorf("held for %q", c.DueReason)
	}
}

func TestScenarioV31ADisconnectedEventFreesTheSlotOfItsCall(t *testing.T) {
	t.Parallel()
	everywhere(t, oneLine(), func(w *world) {
		w.fate(1, connectemu.FateBusy) // over within seconds, long before anything is looked up
		w.waitsForItsTurn()
		time.Sleep(30 * time.Second)
		w.tell()
		w.sweepFor(time.Minute)
		w.stands(wish(2), call.Placed)
		w.rang(2)
		w.asked(2) // none was turned away by the account
	})
}

func TestScenarioV32DescribeContactFreesTheSlotOfACallWhoseEventsAreLost(t *testing.T) {
	t.Parallel()
	everywhere(t, oneLine(), func(w *world) {
		w.fate(1, connectemu.FateBusy)
		w.waitsForItsTurn()
		w.sweepFor(2*time.Minute + 30*time.Second)
		w.rang(1) // the call is over, and nobody has told
		w.sweepFor(4 * time.Minute)
		w.stands(wish(2), call.Placed)
		w.rang(2)
		w.asked(2)
	})
}
