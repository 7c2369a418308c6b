package call_test

import (
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// accept hands a delivery over without a dial.
func (w *world) accept(d call.Delivery) (out call.Outcome) {
	w.t.Helper()
	if !w.survive(func() { out = w.engine.Accept(w.t.Context(), d) }) {
		w.t.Fatal("the process died")
	}
	return out
}

func TestAnAcceptedCallIsDurableAndRingsWithTheSweep(t *testing.T) {
	t.Parallel()
	for _, readFirst := range []bool{true, false} {
		w := newWorld(t, func(c *call.Config) { c.ReadFirst = readFirst })
		w.sweep()
		w.outcome(w.accept(request("n", start)), call.MetReceived, call.AckDone, "")
		if c := w.row("n", 0); c.Due.IsZero() || c.Due.After(w.clock.Now()) || c.AttemptCount != 0 {
			t.Errorf("an accepted call is not due: %+v", c)
		}
		w.outcome(w.accept(request("n", start)), call.MetReceived, call.AckDone, call.ReasonInProgress)
		if rings := w.phones.total(); rings != 0 {
			t.Fatalf("%d phones rang before the sweep", rings)
		}
		w.start() // the process dies and comes back
		w.sweep()
		w.state("n", 0, call.Placed, "")
		w.outcome(w.accept(request("n", start)), call.MetPlaced, call.AckDone, call.ReasonDuplicate)
		w.clean(1)
	}
}

func TestWithoutASweeperAcceptDialsAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.clock.advance(call.HeartbeatTime + time.Minute) // since the last sweep
	w.outcome(w.accept(request("n", start)), call.MetPlaced, call.AckDone, "")
	w.clean(1)
}

func TestAcceptAsksTheGateAndTakesNothingOfThePace(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *call.Config) { c.Pacer = call.NewPace(1, 1) })
	w.sweep()
	w.outcome(w.accept(request("a", start)), call.MetReceived, call.AckDone, "")
	w.outcome(w.place(request("b", start)), call.MetPlaced, call.AckDone, "")
	if waited := w.clock.Now().Sub(start); waited != 0 {
		t.Errorf("the slot is not there any more: the dial had to wait %s for one", waited)
	}
	w.profile(func(p *call.Profile) { p.Paused = true })
	w.outcome(w.accept(request("c", start)), call.MetReceived, call.AckDone, "")
	if c := w.row("c", 0); !c.Parked() {
		t.Errorf("a paused profile does not park what is accepted: %+v", c)
	}
}

func TestAcceptEndsWhatCannotRingAnyMore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sweep()
	d := request("n", start)
	d.Request.NotAfter = start.Add(-time.Minute)
	w.outcome(w.accept(d), call.MetExpired, call.AckDone, "")
	w.clean(0)
}

func TestTheKeySpaceOfADeliveryIsThatOfWhoAsked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *call.Config) { c.KeySpace = func(string) string { return "by-producer" } })
	for i, space := range []string{"a", "b", ""} {
		d := request("n", start)
		d.KeySpace = &space
		out := w.place(d)
		w.outcome(out, call.MetPlaced, call.AckDone, "")
		if out.Call.Key.KeySpace != space {
			t.Errorf("call %d is in the key space %q", i, out.Call.Key.KeySpace)
		}
	}
	if out := w.place(request("n", start)); out.Call.Key.KeySpace != "by-producer" {
		t.Errorf("%+v", out.Call.Key)
	}
	w.clean(4)
}

// hand gives a delivery to Accept until it is acknowledged, as a client does that sends again.
func (w *world) hand(d call.Delivery) (out call.Outcome) {
	w.t.Helper()
	for range 60 {
		out = call.Outcome{Ack: call.AckRetry}
		if w.survive(func() { out = w.engine.Accept(w.t.Context(), d) }) && out.Ack != call.AckRetry {
			if _, err := w.store.Get(w.t.Context(), out.Call.ID); err != nil {
				w.t.Errorf("acknowledged as %s, and the ledger has no row: %v", out.Met, err)
			}
			return out
		}
		w.clock.advance(30 * time.Second)
		w.sweep()
	}
	w.t.Fatal("the delivery is never acknowledged")
	return out
}

func TestAnAcceptedCallSurvivesEveryFault(t *testing.T) {
	t.Parallel()
	for _, readFirst := range []bool{true, false} {
		everyFault(t, "accepted call", func(w *world) {
			w.change = append(w.change, func(c *call.Config) { c.ReadFirst = readFirst })
			w.engine = w.start()
			w.sweep()
		}, func(w *world) {
			w.hand(request("n", start))
			w.hand(request("n", start))
			w.sweep()
			w.hand(request("n", start))
		}, rings(1))
	}
}

func TestAnAcceptedCallWhoseAnswerIsLostSurvivesEveryFault(t *testing.T) {
	t.Parallel()
	everyFault(t, "accepted, answer lost", func(w *world) {
		w.phones.script = append(w.phones.script, w.phones.lost)
		w.sweep()
	}, func(w *world) {
		w.hand(request("n", start))
		w.sweep()
		w.place(request("n", start)) // and a queue delivers the same
	}, rings(1))
}
