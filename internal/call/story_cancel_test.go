package call_test

import (
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

func (w *world) canceled(d call.Delivery) call.Outcome {
	w.t.Helper()
	out := w.place(d)
	w.outcome(out, call.MetCancelKept, call.AckDone, "")
	if out.By == "" {
		w.t.Errorf("the cancel names no call: %+v", out)
	}
	return out
}

func TestACancelBeforeTheCallIsATombstone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.canceled(cancel("n", start))
	if c := w.state("n", 0, call.Canceled, "canceled"); !c.Tombstone {
		t.Errorf("%+v", c)
	}
	w.outcome(w.place(request("n", start.Add(-time.Minute))), call.MetCanceled, call.AckDone, call.ReasonCanceled)
	w.outcome(w.place(request("n", start)), call.MetCanceled, call.AckDone, call.ReasonCanceled)
	w.outcome(w.place(undated("n")), call.MetCanceled, call.AckDone, call.ReasonCanceled)
	if c := w.row("n", 0); c.Tombstone || c.Fingerprint == "" || c.Destination == "" {
		t.Errorf("the first request left no body: %+v", c)
	}
	d := request("n", start)
	d.Request.Attributes = map[string]string{"a": "b"}
	if out := w.place(d); out.Met != call.MetConflict {
		t.Errorf("%+v", out)
	}
	w.clean(0)
	w.outcome(w.place(request("n", start.Add(time.Minute))), call.MetPlaced, call.AckDone, "")
	w.state("n", 1, call.Placed, "")
	w.clean(1)
}

func TestTheFirstRequestOfATombstoneMayRingAtOnceWhenItIsLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.canceled(cancel("n", start))
	w.outcome(w.place(request("n", start.Add(1))), call.MetPlaced, call.AckDone, "")
	w.clean(1)
}

func TestACancelWhileTheCallWaitsEndsIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.phones.script = append(w.phones.script, says(call.ClassThrottled, "throttled"))
	w.place(request("n", start))
	w.canceled(cancel("n", start.Add(time.Second)))
	w.settle()
	w.state("n", 0, call.Canceled, "canceled")
	w.canceled(cancel("n", start.Add(time.Second)))
	w.clean(0)
}

func TestAnUndatedCancelCountsFromItsArrival(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.phones.script = append(w.phones.script, says(call.ClassThrottled, "throttled"))
	w.place(undated("n"))
	w.canceled(cancel("n", time.Time{}))
	w.state("n", 0, call.Canceled, "canceled")
	w.clean(0)
}

func TestACancelWhileAnAttemptIsOpenStopsTheContactItMakes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.phones.onDial = func(call.Send) {
		w.phones.onDial = nil
		w.canceled(cancel("n", start))
		if c := w.row("n", 0); c.State != call.Dialing || c.CancelRequested.IsZero() { // R22
			t.Errorf("%+v", c)
		}
	}
	w.outcome(w.place(request("n", start)), call.MetPlaced, call.AckDone, "")
	if len(w.phones.stopped) != 1 || w.phones.stopped[0] != "contact-1" {
		t.Errorf("stopped %v", w.phones.stopped)
	}
	w.clean(1)
}

func TestNothingIsResentAfterACancel(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		answer func(*phones) func(call.Send) call.Answer
		state  call.State
		code   call.Code
		rings  int
	}{
		"refused":         {func(*phones) func(call.Send) call.Answer { return says(call.ClassThrottled, "throttled") }, call.Canceled, "canceled", 0},
		"lost, not found": {func(*phones) func(call.Send) call.Answer { return says(call.ClassAmbiguous, "reset") }, call.InDoubt, "canceled", 0},
		"lost, found":     {func(p *phones) func(call.Send) call.Answer { return p.lost }, call.Placed, "", 1},
	} {
		w := newWorld(t)
		w.phones.onDial = func(call.Send) { w.phones.onDial = nil; w.canceled(cancel("n", start)) }
		w.phones.script = append(w.phones.script, tc.answer(w.phones))
		w.place(request("n", start))
		w.settle()
		w.state("n", 0, tc.state, tc.code)
		if len(w.phones.dials) != 1 { // R25
			t.Errorf("%s: %d dials", name, len(w.phones.dials))
		}
		w.clean(tc.rings)
	}
}

func TestACancelHitsOnlyRingsRequestedBeforeIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.profile(window(day))
	w.place(request("n", start))
	w.clock.advance(2 * day)
	w.sweep()
	now := w.clock.Now()
	w.phones.script = append(w.phones.script, says(call.ClassThrottled, "throttled"))
	w.place(request("n", now))
	w.canceled(cancel("n", start.Add(time.Hour))) // meant for the first ring (R23)
	w.state("n", 1, call.Received, "throttled")
	w.settle()
	w.state("n", 1, call.Placed, "")
	w.canceled(cancel("n", start.Add(time.Hour))) // redelivered while the later call lasts
	if len(w.phones.stopped) != 0 {
		t.Errorf("a cancel of the past hung up %v", w.phones.stopped)
	}
	w.canceled(cancel("n", now))
	if len(w.phones.stopped) != 1 || w.phones.stopped[0] != "contact-2" {
		t.Errorf("stopped %v", w.phones.stopped)
	}
	w.clean(2)
}

func TestACancelThatOvertakesTheReopeningDeliveryStopsIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.profile(window(day))
	w.place(request("n", start))
	w.clock.advance(2 * day)
	w.sweep()
	now := w.clock.Now()
	w.canceled(cancel("n", now)) // R21
	w.outcome(w.place(request("n", now.Add(-time.Minute))), call.MetPlaced, call.AckDone, call.ReasonLateRedelivery)
	w.outcome(w.place(request("n", now)), call.MetPlaced, call.AckDone, call.ReasonLateRedelivery)
	w.clean(1)
	w.outcome(w.place(request("n", now.Add(time.Minute))), call.MetPlaced, call.AckDone, "")
	w.clean(2)
}

func TestACancelReachesARingThatIsClaimedAndNotMadeYet(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.profile(window(day))
	w.place(request("n", start))
	w.clock.advance(2 * day)
	w.sweep()
	now := w.clock.Now()
	w.faults.names, w.faults.fail, w.faults.mode = nil, 3, crashBefore
	w.place(request("n", now))
	if w.row("n", 0).Next == nil {
		t.Fatalf("the opener did not die in time: %v", w.faults.names)
	}
	w.canceled(cancel("n", now)) // R27
	w.settle()
	w.state("n", 1, call.Canceled, "canceled")
	w.clean(1)
}

func TestARingThatACancelOutranBeginsCanceled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.profile(window(day))
	w.place(request("n", start))
	w.clock.advance(2 * day)
	w.sweep()
	now := w.clock.Now()
	w.faults.names, w.faults.fail, w.faults.mode = nil, 3, crashBefore
	w.place(request("n", now)) // dies between the claim and the ring
	w.faults.names, w.faults.fail = nil, 3
	w.place(cancel("n", now)) // dies between the first row and the ring
	if first := w.row("n", 0); w.faults.fired != 2 || first.Next == nil || !first.CanceledBefore.Equal(now) {
		t.Fatalf("%v: %+v", w.faults.names, first)
	}
	w.settle()
	w.state("n", 1, call.Canceled, "canceled")
	w.clean(1)
}

func TestARingOpenedByAnUndatedDeliveryFallsToAnyCancel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.profile(func(p *call.Profile) { p.Window, p.WindowReopenAny = call.Window{For: day}, true })
	w.place(undated("n"))
	w.clock.advance(2 * day)
	w.sweep()
	w.phones.script = append(w.phones.script, says(call.ClassThrottled, "throttled"))
	w.place(undated("n"))
	w.canceled(cancel("n", start.Add(time.Hour))) // R26
	w.state("n", 1, call.Canceled, "canceled")
	w.settle()
	w.outcome(w.deliver(undated("n")), call.MetCanceled, call.AckDone, call.ReasonCanceled)
	w.clean(1)
}

func TestAnOperatorsRingSurvivesACancelOfTheSameInstant(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.place(request("n", start))
	w.clock.advance(time.Hour)
	w.sweep()
	at := w.clock.Now()
	w.phones.script = append(w.phones.script, says(call.ClassThrottled, "throttled"))
	w.recall("n", 0)
	w.canceled(cancel("n", at))
	w.settle()
	w.state("n", 1, call.Placed, "")
	w.clean(2)
}
