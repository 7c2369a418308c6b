package scenariotest

import (
	"context"
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// settled is longer than every policy takes to come to an end: the send rule, the longest call, the schedule of evidence.
const settled = 9 * day

// Each instant around claim, send, answer and save, under each policy and the reading that it is promised for.
func TestScenarioI11ACrashAnywhereLeavesOneRingOrADoubt(t *testing.T) {
	t.Parallel()
	for _, policy := range []struct {
		resend  string
		reading connectemu.Reading
	}{{"token", connectemu.A1}, {"evidence", connectemu.A1}, {"evidence", connectemu.A1Prime}, {"never", connectemu.A1}, {"never", connectemu.A1Prime}} {
		for _, point := range points() {
			t.Run(policy.resend+" "+policy.reading.String()+" "+point, func(t *testing.T) {
				t.Parallel()
				play(t, setting{driver: "memory", resend: policy.resend, network: connectemu.Config{Reading: policy.reading}}, func(w *world) {
					w.killedAt(point, wish(1))
					w.send(wish(1)) // the queue delivers again
					w.sweepFor(settled)
					out := w.send(wish(1))
					switch c := w.row(wish(1), 0); c.State { //nolint:exhaustive // a crash may lead to these two ends
					case call.Placed:
						w.rang(1)
						w.suppressed(out, call.ReasonDuplicate, wish(1))
					case call.InDoubt:
						w.suppressed(out, call.ReasonInDoubt, wish(1))
						if rings := w.emu.RingCount(); rings > 1 || policy.resend != "never" {
							t.Errorf("in doubt after %d rings", rings)
						}
					default:
						t.Errorf("is %q for ever", c.State)
					}
				})
			})
		}
	}
}

func TestScenarioV29AProcessThatDiesBetweenReceiveAndDialLosesNothing(t *testing.T) {
	t.Parallel()
	play(t, setting{}, func(w *world) {
		w.killedAt("before create", wish(1))
		w.met(w.send(wish(1)), call.MetPlaced, call.AckDone)
		w.killedAt("before dial", wish(2))
		w.sweepFor(10 * time.Minute) // a sweeper, though nothing comes back from the queue
		w.stands(wish(2), call.Placed)
		w.rang(2)
	})
}

func TestScenarioV13AHandlerThatFailsAfterTheDialTwiceRingsOnce(t *testing.T) {
	t.Parallel()
	play(t, setting{}, func(w *world) {
		document := []byte(event("e-1", wish(1)).text())
		for range 2 { // EventBridge, then Lambda's own retry of the asynchronous invocation
			w.gate.kill = "after dial"
			w.deliver(document)
			time.Sleep(2 * time.Minute)
		}
		results := w.deliver(document)
		w.met(results[0].Outcome, call.MetPlaced, call.AckDone)
		w.rang(1)
	})
}

func TestScenarioI10ACompletionThatCannotBeWrittenIsFinishedWithoutACall(t *testing.T) {
	t.Parallel()
	for _, failures := range []int{1, 2, 100} {
		for _, fate := range []write{notApplied, answerLost} {
			play(t, setting{}, func(w *world) {
				left := failures
				w.gate.spoil = func(name string) write {
					if name != string(call.EventResult) || left == 0 {
						return answered
					}
					left--
					return fate
				}
				out := w.send(wish(1))
				if failures == 100 {
					if fate == notApplied {
						w.met(out, call.MetDialing, call.AckRetry)
						if c := w.row(wish(1), 0); c.Token == "" || len(c.Open) != 1 {
							t.Errorf("what is left does not say what was sent: %v", c)
						}
					}
					left = 0
					w.sweep() // or the next start: the answer waited in the spool
				}
				w.met(w.send(wish(1)), call.MetPlaced, call.AckDone)
				w.stands(wish(1), call.Placed)
				w.rang(1)
				w.asked(1)
			})
		}
	}
}

func TestScenarioV37ACallWhoseRecordWasLostIsAdoptedWhenThePersonAnswers(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"token", "evidence", "never"} {
		play(t, setting{resend: policy}, func(w *world) {
			w.killedAt("after dial", wish(1))
			contact := w.emu.Rings()[0].ContactID
			time.Sleep(10 * time.Second)
			w.deliver(contactEvent("e-1", "CONNECTED_TO_SYSTEM", contact, time.Now()))
			if c := w.stands(wish(1), call.Placed); c.ContactID != contact || c.ContactFrom != "event" {
				t.Errorf("%s: adopted %q from %q", policy, c.ContactID, c.ContactFrom)
			}
			w.sweepFor(day)
			w.rang(1)
			w.asked(1)
		})
	}
}

// The paths of a call that waits: throttled, or held by its profile; then due, then dialed. The process dies around every write of them,
// on a delivery or in a sweep.
func TestScenarioV25ACallThatWaitsIsFoundFromTheLedgerAloneWhereverItsProcessDied(t *testing.T) {
	t.Parallel()
	reached := map[string]bool{}
	for _, why := range []string{"throttled", "held"} {
		for _, point := range append(points(), "before held", "after held") {
			for _, dying := range []string{"delivery", "sweep"} {
				s := setting{driver: "memory"}
				if s.faults = "throttle nth=1"; why == "held" {
					s.faults, s.config = "", paused
				}
				play(t, s, func(w *world) {
					w.sweep() // a heartbeat, so that a call that waits is acknowledged
					if dying == "delivery" {
						w.gate.kill = point
					}
					out := w.send(wish(1))
					if dying == "sweep" {
						w.gate.kill = point
					}
					if w.sweepFor(time.Hour); why == "held" {
						w.sweepFor(31 * time.Hour) // a paused call is looked at once a day
					}
					w.restart(func(*app.Config) {}) // the pause is over
					w.sweepFor(time.Hour)
					if out.Ack != call.AckDone { // never acknowledged: the queue still has it
						w.send(wish(1))
						w.sweepFor(time.Hour)
					}
					reached[point] = reached[point] || w.gate.count(point) > 0
					w.stands(wish(1), call.Placed)
					w.rang(1)
				})
			}
		}
	}
	for _, point := range append(points(), "before held", "after held") {
		if !reached[point] {
			t.Errorf("no process died %s", point)
		}
	}
}

func TestScenarioV26ACallNeverSuppressesItself(t *testing.T) {
	t.Parallel()
	play(t, setting{}, func(w *world) {
		w.killedAt("after intent", wish(1))
		out := w.send(wish(1)) // the first message again, before it was finished
		w.suppressed(out, call.ReasonInProgress, wish(1))
		w.met(out, call.MetDialing, call.AckRetry) // so it comes once more
		time.Sleep(2 * time.Minute)
		out = w.send(wish(1))
		w.met(out, call.MetPlaced, call.AckDone)
		if _, err := w.app.Store.Ledger.Get(context.Background(), out.By); err != nil {
			t.Errorf("answered by a call that does not exist: %v", err)
		}
		w.rang(1)
	})
}
