package call_test

import (
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// everyFault runs a story once to count its effects, then once for each effect and each way in which it can fail, redelivering
// and sweeping until nothing is due, and holds every oracle and the story's own expectation against each end.
func everyFault(t *testing.T, name string, prepare, story, expect func(*world)) {
	t.Helper()
	everyFaultOn(t, onMemory, name, prepare, story, expect)
}

// everyFaultOn does it on the ledgers that a maker makes.
func everyFaultOn(t *testing.T, fresh maker, name string, prepare, story, expect func(*world)) {
	t.Helper()
	run := func(effect int, how mode) *world {
		l := fresh(t, &clock{now: start})
		t.Cleanup(func() { _ = l.Close() })
		w := newWorldOn(t, l)
		if prepare != nil {
			prepare(w)
		}
		w.faults.names, w.faults.fail, w.faults.mode = nil, effect, how
		story(w)
		w.faults.fail = 0
		w.settle()
		return w
	}
	clean := run(0, "")
	expect(clean)
	effects := len(clean.faults.names)
	if effects == 0 {
		t.Fatalf("%s has no effects", name)
	}
	for effect := 1; effect <= effects; effect++ {
		for _, how := range modes {
			failed := t.Failed()
			w := run(effect, how)
			if w.faults.fired == 0 {
				t.Errorf("%s: effect %d never happened", name, effect)
			}
			w.faults.names = w.faults.names[:min(len(w.faults.names), effect)]
			expect(w)
			for key, contacts := range w.phones.rings {
				if len(contacts) > 1 {
					t.Errorf("%s rang %d times", key, len(contacts))
				}
			}
			if t.Failed() && !failed {
				t.Fatalf("%s: effect %d of %d (%s), %s", name, effect, effects, w.faults.names[len(w.faults.names)-1], how)
			}
		}
	}
}

func rings(n int) func(*world) { return func(w *world) { w.clean(n) } }

// answered expects clean oracles, every call final, and at most n rings: under the policy never a ring may not be made.
func answered(n int) func(*world) {
	return func(w *world) {
		w.clean(w.phones.total())
		if w.phones.total() > n {
			w.t.Errorf("%d rings, want at most %d", w.phones.total(), n)
		}
		for _, c := range w.rows() {
			if !c.State.Final() {
				w.t.Errorf("%s is %s at the end", c.ID, c.State)
			}
			if c.State == call.InDoubt && len(w.phones.rings[c.ID]) == 0 && c.AttemptCount == 0 {
				w.t.Errorf("%s is in doubt without an attempt", c.ID)
			}
		}
	}
}

func TestAFirstCallSurvivesEveryFault(t *testing.T) {
	t.Parallel()
	for _, readFirst := range []bool{true, false} {
		everyFault(t, "first call", func(w *world) {
			w.change = append(w.change, func(c *call.Config) { c.ReadFirst = readFirst })
			w.engine = w.start()
		}, func(w *world) {
			w.deliver(request("n", start))
			w.deliver(request("n", start))
		}, rings(1))
	}
}

func TestALostAnswerSurvivesEveryFaultUnderEachPolicy(t *testing.T) {
	t.Parallel()
	for policy, expect := range map[call.Resend]func(*world){
		call.ResendToken: rings(1), call.ResendEvidence: rings(1), call.ResendNever: answered(1),
	} {
		everyFault(t, "lost answer under "+string(policy), func(w *world) {
			resend(policy)(w)
			w.phones.script = append(w.phones.script, w.phones.lost)
		}, func(w *world) {
			w.deliver(request("n", start))
			w.settle()
		}, expect)
	}
}

func TestEvidenceSurvivesEveryFaultUnderA1Prime(t *testing.T) {
	t.Parallel()
	for _, policy := range []call.Resend{call.ResendEvidence, call.ResendNever} {
		everyFault(t, string(policy)+" under A1'", func(w *world) {
			resend(policy)(w)
			w.phones.ends = true
			w.phones.script = append(w.phones.script, w.phones.lost)
		}, func(w *world) {
			w.deliver(request("n", start))
			w.settle()
		}, answered(1))
	}
}

func TestARefusalAfterALostAnswerSurvivesEveryFault(t *testing.T) {
	t.Parallel()
	everyFault(t, "refusal after a lost answer", func(w *world) {
		w.phones.script = append(w.phones.script, w.phones.lost, says(call.ClassRefusedRequest, "invalid_parameter"))
	}, func(w *world) {
		w.deliver(request("n", start))
		w.settle()
	}, answered(1))
}

func TestAThrottleAndANewTokenSurviveEveryFault(t *testing.T) {
	t.Parallel()
	everyFault(t, "token age", func(w *world) {
		w.phones.always = says(call.ClassThrottled, "throttled")
	}, func(w *world) {
		w.deliver(request("n", start))
		for range 3 {
			w.clock.advance(time.Minute)
			w.sweep()
		}
		w.clock.advance(call.TokenUse + time.Hour)
		w.phones.always = nil
		w.settle()
	}, func(w *world) {
		answered(1)(w)
		if c := w.row("n", 0); c.State != call.InDoubt && w.phones.total() != 1 { // an attempt that was cut off stays open for ever
			w.t.Errorf("%s (%s) and %d rings", c.State, c.Code, w.phones.total())
		}
	})
}

func TestATokenAgeOfALaterRingSurvivesEveryFault(t *testing.T) {
	t.Parallel()
	everyFault(t, "token age of ring 1", func(w *world) {
		w.place(request("n", start))
		w.phones.script = append(w.phones.script, says(call.ClassThrottled, "throttled"))
		w.recall("n", 0)
	}, func(w *world) {
		w.clock.advance(call.TokenUse + time.Hour)
		w.sweep()
		w.settle()
	}, rings(2))
}

func TestAWindowThatOpensSurvivesEveryFault(t *testing.T) {
	t.Parallel()
	everyFault(t, "window", func(w *world) { w.profile(window(2 * day)) }, func(w *world) {
		w.deliver(request("n", start))
		w.settle()
		w.clock.advance(3 * day)
		at := w.clock.Now()
		w.deliver(request("n", at))
		w.deliver(request("n", at))
		w.deliver(request("n", start))
	}, rings(2))
}

func TestARecallSurvivesEveryFault(t *testing.T) {
	t.Parallel()
	everyFault(t, "re-call", func(w *world) { w.place(request("n", start)) }, func(w *world) {
		for range 20 {
			if out := w.recall("n", 0); out.Met == call.MetPlaced || out.Code == call.CodeRingMoved {
				return
			}
			w.clock.advance(time.Minute)
			w.sweep()
		}
		w.t.Error("the re-call is never answered")
	}, rings(2))
}

func TestACancelBeforeTheCallSurvivesEveryFault(t *testing.T) {
	t.Parallel()
	everyFault(t, "tombstone", nil, func(w *world) {
		w.deliver(cancel("n", start))
		w.deliver(request("n", start.Add(-time.Minute)))
		w.deliver(request("n", start.Add(time.Minute)))
		w.deliver(cancel("n", start))
	}, rings(1))
}

func TestACancelOfAWaitingCallSurvivesEveryFault(t *testing.T) {
	t.Parallel()
	everyFault(t, "cancel", func(w *world) {
		w.phones.script = append(w.phones.script, func(call.Send) call.Answer {
			return call.Answer{Class: call.ClassThrottled, RetryAfter: 50 * time.Minute}
		})
		w.place(request("n", start))
	}, func(w *world) {
		w.deliver(cancel("n", start))
		w.deliver(request("n", start))
	}, func(w *world) {
		w.state("n", 0, call.Canceled, "canceled")
		w.clean(0)
	})
}

func TestACancelOfALaterRingSurvivesEveryFault(t *testing.T) {
	t.Parallel()
	everyFault(t, "cancel of ring 1", func(w *world) {
		w.profile(window(day))
		w.place(request("n", start))
		w.clock.advance(2 * day)
		w.sweep()
		w.phones.script = append(w.phones.script, func(call.Send) call.Answer {
			return call.Answer{Class: call.ClassThrottled, RetryAfter: 50 * time.Minute}
		})
		w.place(request("n", start.Add(2*day)))
	}, func(w *world) {
		w.deliver(cancel("n", start.Add(2*day)))
		w.deliver(request("n", start.Add(2*day)))
	}, func(w *world) {
		w.state("n", 1, call.Canceled, "canceled")
		w.clean(1)
	})
}
