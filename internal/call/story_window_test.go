package call_test

import (
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

func window(d time.Duration) func(*call.Profile) {
	return func(p *call.Profile) { p.Window = call.Window{For: d} }
}

func TestAfterTheWindowOnlyATrustedLaterRequestRingsAgain(t *testing.T) {
	t.Parallel()
	for _, length := range []time.Duration{2 * day, 30 * day} {
		w := newWorld(t)
		w.profile(window(length))
		w.place(request("n", start))
		w.outcome(w.deliver(request("n", start.Add(-time.Hour))), call.MetPlaced, call.AckDone, call.ReasonDuplicate)
		w.clock.advance(length + time.Hour)
		now := w.clock.Now()
		w.outcome(w.deliver(request("n", start)), call.MetPlaced, call.AckDone, call.ReasonLateRedelivery)
		w.outcome(w.deliver(undated("n")), call.MetPlaced, call.AckDone, call.ReasonLateRedelivery)
		w.outcome(w.deliver(request("n", start.Add(length))), call.MetPlaced, call.AckDone, call.ReasonLateRedelivery)
		w.clean(1)
		w.outcome(w.deliver(request("n", now)), call.MetPlaced, call.AckDone, "")
		w.outcome(w.deliver(request("n", now)), call.MetPlaced, call.AckDone, call.ReasonDuplicate)
		c := w.state("n", 1, call.Placed, "")
		if c.Cause != call.CauseWindow || c.Token == w.row("n", 0).Token || w.row("n", 0).Next != nil {
			t.Errorf("%+v", c)
		}
		w.settle()
		w.clean(2)
	}
}

func TestAWindowOfForeverNeverOpensAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.place(request("n", start))
	w.clock.advance(4000 * day)
	w.outcome(w.deliver(request("n", w.clock.Now())), call.MetPlaced, call.AckDone, call.ReasonDuplicate)
	w.clean(1)
}

func TestTwoDeliveriesAfterTheWindowOpenOneRing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.profile(window(day))
	w.place(request("n", start))
	w.clock.advance(2 * day)
	w.sweep()
	at := w.clock.Now()
	w.phones.onDial = func(call.Send) {
		w.phones.onDial = nil
		w.outcome(w.place(request("n", at)), call.MetDialing, call.AckDone, call.ReasonInProgress)
	}
	w.outcome(w.place(request("n", at)), call.MetPlaced, call.AckDone, "")
	w.clean(2)
}

func TestTheNextRingTakesItsOwnNotAfterAndDeadline(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.profile(window(day))
	d := request("n", start)
	d.Request.NotAfter = start.Add(time.Minute)
	w.place(d)
	w.clock.advance(2 * day)
	w.outcome(w.deliver(request("n", w.clock.Now())), call.MetPlaced, call.AckDone, "") // R12
	w.clock.advance(2 * day)
	w.profile(func(p *call.Profile) { p.Deadline = time.Minute })
	w.phones.script = append(w.phones.script, func(call.Send) call.Answer {
		return call.Answer{Class: call.ClassThrottled, RetryAfter: 2 * time.Minute}
	})
	w.deliver(request("n", w.clock.Now()))
	w.settle()
	w.state("n", 2, call.Expired, "not_after")
	w.clean(2)
}

func TestAFailureDoesNotCutAnEarlierWindowShort(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.profile(window(30 * day))
	w.place(request("n", start))
	w.phones.script = append(w.phones.script, says(call.ClassRefusedRequest, "destination_not_allowed"))
	w.recall("n", 0)
	w.state("n", 1, call.Failed, "destination_not_allowed")
	w.clock.advance(day)
	w.outcome(w.deliver(request("n", w.clock.Now())), call.MetFailed, call.AckDone, call.ReasonFailed) // R18
	w.clock.advance(30 * day)
	w.outcome(w.deliver(request("n", w.clock.Now())), call.MetPlaced, call.AckDone, "")
	w.clean(2)
}

func TestARequestOfTheFutureNeverOpensAWindow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.profile(window(day))
	w.place(request("n", start))
	if out := w.place(request("n", start.Add(3*day))); out.Code != call.CodeRequestedInFuture || out.Ack != call.AckRefuse {
		t.Errorf("%+v", out)
	}
	d := undated("n")
	d.FirstRequested = call.Stamp{At: start.Add(3 * day), Tier: call.TierMessage, From: "eventbridge.time"}
	w.outcome(w.place(d), call.MetPlaced, call.AckDone, call.ReasonDuplicate)
	w.clean(1)
}
