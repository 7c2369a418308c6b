package replay_test

import (
	"context"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
	"github.com/ringonce/ringonce/internal/replay"
)

// virtual is a clock that sleeping moves.
type virtual struct {
	now  time.Time
	naps int
}

func (c *virtual) Now() time.Time { return c.now }

func (c *virtual) Sleep(ctx context.Context, d time.Duration) error {
	c.now, c.naps = c.now.Add(d), c.naps+1
	return ctx.Err()
}

// slow is a core whose calls are throttled: each is due again after so long, and placed at its last try.
type slow struct {
	clock *virtual
	after map[string]time.Duration
	tries map[string]int // left
	asked map[string]int
	done  func()
}

func (s *slow) Place(_ context.Context, _ envelope.Document, record envelope.Record) call.Outcome {
	id := record.Delivery.Request.NotificationID
	s.asked[id]++
	if s.tries[id]--; s.tries[id] < 0 {
		if s.done != nil {
			s.done()
		}
		return call.Outcome{Met: call.MetPlaced, Ack: call.AckDone, Suppressed: call.ReasonInProgress, By: "call", Call: call.Call{State: call.Placed}}
	}
	return call.Outcome{Met: call.MetReceived, Ack: call.AckRetry, Call: call.Call{State: call.Received, Due: s.clock.now.Add(s.after[id])}}
}

func newSlow(tries map[string]int, after map[string]time.Duration) *slow {
	return &slow{clock: &virtual{now: now}, tries: tries, after: after, asked: map[string]int{}}
}

// ringing is a plan by which every record rings.
func ringing(t *testing.T, documents ...string) *replay.Plan {
	t.Helper()
	p := planOf(replay.Filter{}, documents...)
	s := &stage{verdicts: map[string]call.Verdict{"n-1": call.VerdictRing, "n-2": call.VerdictResend, "n-3": call.VerdictRepeat}}
	if err := p.Preview(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestNobodyWaitsForACallThatThePlanHasNoRingFor(t *testing.T) {
	t.Parallel()
	p := planOf(replay.Filter{}, request(1), request(2))
	previewed := &stage{verdicts: map[string]call.Verdict{"n-1": call.VerdictHeld, "n-2": call.VerdictDialing}}
	if err := p.Preview(t.Context(), previewed); err != nil {
		t.Fatal(err)
	}
	s := newSlow(map[string]int{"n-1": 1, "n-2": 1}, map[string]time.Duration{"n-1": time.Second, "n-2": time.Second})
	p.Run(t.Context(), s, nil, nil, nil)
	p.Finish(t.Context(), s.clock, s, nil)
	if len(p.Waiting()) > 0 || s.asked["n-1"] != 1 || s.asked["n-2"] != 1 {
		t.Errorf("%d wait, delivered %v times", len(p.Waiting()), s.asked)
	}
}

func TestCallsThatNoSweeperMovesAreDeliveredAgainWhenTheyAreDue(t *testing.T) {
	t.Parallel()
	p := ringing(t, request(1), request(2), request(3))
	s := newSlow(map[string]int{"n-1": 0, "n-2": 1, "n-3": 3}, map[string]time.Duration{"n-2": 2 * time.Second, "n-3": time.Minute})
	source := &shelf{}
	p.Run(t.Context(), s, nil, source, nil)
	if n := len(p.Waiting()); n != 2 {
		t.Fatalf("%d wait", n)
	}
	p.Finish(t.Context(), s.clock, s, source)
	for _, e := range p.Entries[1:] {
		if e.Outcome.Met != call.MetPlaced || e.Outcome.Suppressed != "" || e.Outcome.By != "" {
			t.Errorf("%s: %s, suppressed %q by %q", e.Name, e.Outcome.Met, e.Outcome.Suppressed, e.Outcome.By)
		}
	}
	if s.asked["n-2"] != 2 || s.asked["n-3"] != 4 || s.clock.now.Sub(now) > 4*time.Minute {
		t.Errorf("delivered %v times within %s", s.asked, s.clock.now.Sub(now))
	}
}

func TestNobodyWaitsForWhatDoesNotMove(t *testing.T) {
	t.Parallel()
	const never = 1 << 30
	cases := map[string]struct {
		after time.Duration
		most  time.Duration
	}{
		"a call that is due in an hour":            {time.Hour, 0},
		"a call that is due and does not move":     {0, replay.Patience + time.Minute},
		"a call that is put off again and again":   {5 * time.Minute, replay.Patience + 5*time.Minute},
		"a call that is due again in milliseconds": {time.Millisecond, replay.Patience + time.Minute},
	}
	for name, c := range cases {
		p := ringing(t, request(1))
		s := newSlow(map[string]int{"n-1": never}, map[string]time.Duration{"n-1": c.after})
		p.Run(t.Context(), s, nil, nil, nil)
		p.Finish(t.Context(), s.clock, s, nil)
		if waited := s.clock.now.Sub(now); waited > c.most || s.asked["n-1"] > 700 {
			t.Errorf("%s: waited %s and delivered %d times", name, waited, s.asked["n-1"])
		}
	}
}

func TestWaitingEndsWithAnInterruptAndForWhatItsSourceGaveAway(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	p := ringing(t, request(1), request(2), request(3))
	one := map[string]time.Duration{"n-1": time.Second, "n-2": time.Second, "n-3": time.Second}
	s := newSlow(map[string]int{"n-1": 1, "n-2": 1, "n-3": 1}, one)
	s.done = interrupt
	source := &shelf{}
	p.Run(ctx, s, nil, source, nil)
	source.gone = map[string]bool{"m-0": true}
	p.Finish(ctx, s.clock, s, source)
	if s.asked["n-1"] != 1 || s.asked["n-2"] != 2 || s.asked["n-3"] != 1 || !p.Entries[0].Gone {
		t.Errorf("delivered %v times; gone %t", s.asked, p.Entries[0].Gone)
	}
}
