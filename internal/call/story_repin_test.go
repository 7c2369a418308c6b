package call_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// refusing is a telephone that refuses the flow named old for our setup.
func refusing(p *phones) func(call.Send) call.Answer {
	return func(s call.Send) call.Answer {
		if contains(string(s.Body), `"flow":"old"`) {
			return call.Answer{Class: call.ClassRefusedSetup, Code: "resource_not_found"}
		}
		return p.ring(s)
	}
}

func contains(text, part string) bool {
	for i := range len(text) - len(part) + 1 {
		if text[i:i+len(part)] == part {
			return true
		}
	}
	return false
}

func flow(name string) func(*call.Profile) {
	return func(p *call.Profile) { p.ContactFlowID = name }
}

// broken brings the ring before the last to a refusal of our setup under the flow named old.
func broken(w *world, ring int) {
	if ring > 0 {
		w.place(request("n", start))
	}
	w.profile(flow("old"))
	w.phones.always = refusing(w.phones)
	if ring > 0 {
		w.recall("n", 0)
	} else {
		w.place(request("n", start))
	}
	w.clock.advance(20 * time.Minute)
}

func TestRepairedConfigurationGoesOnUnderTheNextRing(t *testing.T) {
	t.Parallel()
	for ring := range 2 {
		w := newWorld(t)
		broken(w, ring)
		w.sweep()
		w.state("n", ring, call.Received, "resource_not_found")
		w.profile(flow("new"))
		w.settle()
		w.state("n", ring, call.Failed, "repin")
		c := w.state("n", ring+1, call.Placed, "")
		if c.Cause != call.CauseRepin || !contains(c.Pin, "new") || w.row("n", 0).LastRing != ring+1 {
			t.Errorf("%+v", c)
		}
		w.clean(ring + 1)
	}
}

func TestRepairedPermissionsKeepTokenAndBytes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	broken(w, 0)
	w.phones.always = nil
	w.settle()
	c := w.state("n", 0, call.Placed, "")
	if !contains(c.Pin, "old") {
		t.Errorf("%s", c.Pin)
	}
	w.clean(1)
}

func TestConfigurationThatChangesWithoutARefusalDoesNotChangeTheBytes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.profile(flow("old"))
	w.phones.script = append(w.phones.script, says(call.ClassThrottled, "throttled"))
	w.place(request("n", start))
	w.profile(flow("new"))
	w.settle()
	if c := w.state("n", 0, call.Placed, ""); !contains(c.Pin, "old") {
		t.Errorf("%s", c.Pin)
	}
	w.clean(1)
}

func TestARepinSurvivesACrashAtEveryEffect(t *testing.T) {
	t.Parallel()
	for ring := range 2 {
		everyFault(t, fmt.Sprintf("repin of ring %d", ring), nil, func(w *world) {
			w.faults.pause(func() { broken(w, ring) })
			w.profile(flow("new"))
			w.sweep()
			w.settle()
		}, func(w *world) {
			w.state("n", ring, call.Failed, "repin")
			w.clean(ring + 1)
		})
	}
}

// A worker with the older configuration acts before and after each effect of the worker that repins.
func TestAWorkerWithTheOlderConfigurationCannotDialTheOldRing(t *testing.T) {
	t.Parallel()
	for ring := range 2 {
		for effect := 1; effect < 12; effect++ {
			w := newWorld(t)
			w.faults.pause(func() { broken(w, ring) })
			older := w.profiles[""]
			second := w.start(func(c *call.Config) {
				c.Profile = func(string) (call.Profile, bool) { return older, true }
				c.Ledger = w.store
			})
			w.profile(flow("new"))
			w.phones.always = nil // the old flow was repaired too, so its bytes would ring
			w.faults.names, w.faults.at = nil, map[int]func(){effect: func() {
				if _, err := second.Sweep(context.Background(), 10); err != nil {
					t.Error(err)
				}
			}}
			w.sweepQuietly()
			w.faults.at = nil
			w.settle()
			if w.phones.total() != ring+1 {
				t.Errorf("ring %d, effect %d: %d rings", ring, effect, w.phones.total())
			}
			switch old := w.row("n", ring); {
			case old.State == call.Placed && w.row("n", 0).LastRing == ring: // the older worker was first
			case old.State == call.Failed && old.Code == "repin" && w.row("n", ring+1).State == call.Placed:
			default:
				t.Errorf("ring %d, effect %d: %s (%s)", ring, effect, old.State, old.Code)
			}
			w.clean(ring + 1)
		}
	}
}

func TestAFenceWhoseAnswerIsLostMeetsARunThatEndedTheParent(t *testing.T) {
	t.Parallel()
	lose := func(fence int) *world {
		w := newWorld(t)
		broken(w, 1)
		w.profile(flow("new"))
		w.faults.names = nil
		if fence > 0 {
			other := w.start()
			w.faults.fail, w.faults.mode = fence, lostAfter
			w.faults.at = map[int]func(){fence + 1: func() { // before the same write is sent again
				if _, err := other.Sweep(context.Background(), 100); err != nil {
					t.Error(err)
				}
			}}
		}
		w.sweepQuietly()
		return w
	}
	fence := slices.Index(lose(0).faults.names, "update superseded") + 1
	if fence == 0 {
		t.Fatal("nothing is fenced")
	}
	w := lose(fence)
	if w.faults.fired != 1 {
		t.Fatalf("%d answers were lost", w.faults.fired)
	}
	w.settle()
	c := w.state("n", 1, call.Failed, "repin")
	if !c.Due.IsZero() {
		t.Errorf("the ended ring is due again: %s", c.DueReason)
	}
	w.state("n", 2, call.Placed, "")
	w.clean(2)
}
