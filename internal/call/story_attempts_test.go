package call_test

import (
	"context"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

func TestAResendGoesToTheInstanceOfItsFirstAttempt(t *testing.T) {
	t.Parallel()
	w := newWorld(t) // N14
	w.phones.script = append(w.phones.script, w.phones.lost, says(call.ClassAmbiguous, "reset"))
	w.place(request("n", start))
	w.phones.blind = true
	w.profile(func(p *call.Profile) { p.Region, p.InstanceID = "elsewhere", "another" })
	w.settle()
	if len(w.phones.dials) < 3 {
		t.Fatalf("%d dials", len(w.phones.dials))
	}
	for _, s := range w.phones.dials {
		if s.Target != (call.Target{Region: "r", InstanceID: "i"}) {
			t.Errorf("attempt %s went to %+v", s.AttemptID, s.Target)
		}
	}
	w.clean(1)
}

func TestWhatWasNotSentAfterAThrottleLeavesTheFirstSignature(t *testing.T) {
	t.Parallel()
	w := newWorld(t) // R2
	w.phones.script = append(w.phones.script, says(call.ClassThrottled, "throttled"), says(call.ClassNotSent, "dns"), says(call.ClassNotSent, "dns"))
	w.place(request("n", start))
	w.settle()
	for _, s := range w.phones.dials {
		if !s.NotBefore.Equal(start) {
			t.Errorf("attempt %s may be signed from %s on", s.AttemptID, s.NotBefore.Sub(start))
		}
	}
	w.clean(1)
}

func TestTheFirstSignatureIsBoundInWholeSeconds(t *testing.T) {
	t.Parallel()
	event := call.Intent(call.Begin("row"), "attempt", []byte("body"), call.Target{}, start.Add(1900*time.Millisecond), "")
	if !event.Signed.Equal(start.Add(time.Second)) {
		t.Errorf("X-Amz-Date has whole seconds, and the bound is %s", event.Signed)
	}
}

// slowIntent lets something happen between the decision to send and the write that permits it.
type slowIntent struct {
	call.Ledger

	before func()
}

func (l *slowIntent) Update(ctx context.Context, w call.Write) (call.Written, error) {
	if before := l.before; before != nil && w.Entry.Kind == call.EventIntent {
		l.before = nil
		before()
	}
	return l.Ledger.Update(ctx, w)
}

func TestAWorkerThatLosesTheRaceOfItsIntentSendsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.phones.script = append(w.phones.script, says(call.ClassThrottled, "throttled"))
	w.place(request("n", start))
	w.clock.advance(time.Minute)
	slow := w.start(func(c *call.Config) { c.Ledger = &slowIntent{w.store, w.sweepQuietly} })
	if _, err := slow.Sweep(context.Background(), 10); err != nil {
		t.Fatal(err)
	}
	if n := len(w.phones.dials); n != 2 { // the throttled one, and that of the faster worker
		t.Errorf("%d requests on the wire, want 2", n)
	}
	w.state("n", 0, call.Placed, "")
	w.clean(1)
}
