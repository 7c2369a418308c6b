package scenariotest

import (
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

func TestScenarioI16AnAbsentKeyNeverRings(t *testing.T) {
	t.Parallel()
	for _, driver := range []string{"sqlite", "none"} {
		play(t, setting{driver: driver}, func(w *world) {
			for _, member := range []string{"notificationId", "recipientId"} {
				for _, absent := range []string{"gone", "null", `""`, `" "`} {
					body := wish(1).with(member, nil).text()
					if absent != "gone" {
						body = strings.TrimSuffix(body, "}") + `,"` + member + `":` + absent + `}`
					}
					out := w.deliver(batch(message{id: "m-1", body: body}))[0].Outcome
					if out.Ack != call.AckRefuse || !strings.Contains(out.Message, member) {
						t.Errorf("%s %s: %s to the queue, %q", member, absent, out.Ack, out.Message)
					}
				}
			}
			w.asked(0)
		})
	}
}

func TestScenarioI17AFirstTryThatDefinitelyRangNothingIsTriedAgain(t *testing.T) {
	t.Parallel()
	for _, fault := range []string{"throttle nth=1", "refuse(ResourceNotFoundException) nth=1"} {
		play(t, setting{faults: fault}, func(w *world) {
			w.met(w.send(wish(1)), call.MetReceived, call.AckRetry)
			w.rang(0)
			time.Sleep(20 * time.Minute)
			out := w.send(wish(1))
			w.met(out, call.MetPlaced, call.AckDone)
			w.rang(1)
		})
	}
}

func TestScenarioI19I85AWriteWhoseAnswerWasLostIsKnownAsOnesOwn(t *testing.T) {
	t.Parallel()
	everywhere(t, setting{faults: "throttle number=" + number(2) + " nth=1"}, func(w *world) {
		lost := map[string]int{}
		w.gate.spoil = func(name string) write {
			if lost[name]++; lost[name] == 1 {
				return answerLost
			}
			return answered
		}
		w.met(w.send(wish(1)), call.MetPlaced, call.AckDone) // the claim of a new key: in one delivery, no lease is waited for
		w.met(w.send(wish(2)), call.MetReceived, call.AckRetry)
		lost["intent"] = 0 // the claim of a row that waits: the owner enters its own claim again
		time.Sleep(5 * time.Second)
		w.met(w.send(wish(2)), call.MetPlaced, call.AckDone)
		w.rang(2)
		w.asked(3)
		if lost["intent"] < 2 {
			w.Errorf("no answer to a claim was lost: %v", lost)
		}
	})
}

func TestScenarioI20PurposesOfOneOrderAreCallsOfTheirOwn(t *testing.T) {
	t.Parallel()
	play(t, setting{}, func(w *world) {
		for _, purpose := range []string{"reminder", "confirmation"} {
			request := wish(1).with("notificationId", "order-1/"+purpose)
			w.met(w.send(request), call.MetPlaced, call.AckDone)
			w.suppressed(w.send(request), call.ReasonDuplicate, request)
		}
		w.rang(2)
		for _, coarse := range []string{"call-{notificationId}", "call-{recipientId}", "call"} {
			config := w.configuration()
			config.Token = app.Token{Recipe: "template", Template: coarse}
			if _, _, err := config.Recipe(w.Context(), app.Options{}); call.CodeOf(err) != call.CodeConfiguration {
				t.Errorf("%q, a key of one field: %v", coarse, err)
			}
		}
	})
}

func TestScenarioI22ARefusalForGoodIsRecordedAndAnIntendedRepeatIsPossible(t *testing.T) {
	t.Parallel()
	play(t, setting{faults: "refuse(DestinationNotAllowedException) nth=1"}, func(w *world) {
		w.met(w.send(wish(1)), call.MetFailed, call.AckDone)
		failed := w.stands(wish(1), call.Failed)
		w.suppressed(w.send(wish(1)), call.ReasonFailed, wish(1))
		w.asked(1)
		out := w.app.Engine.Recall(w.Context(), failed.ID, call.Recall{Actor: "operator", Reason: "the country was allowed"})
		if out.Met != call.MetPlaced || w.row(wish(1), 1).State != call.Placed {
			t.Errorf("the re-call met %s", out.Met)
		}
		w.met(w.send(wish(1).with("recallId", "again")), call.MetPlaced, call.AckDone)
		w.rang(2)
	})
}

func TestScenarioI23ACanceledCallLeavesNoLockBehind(t *testing.T) {
	t.Parallel()
	play(t, setting{faults: "throttle nth=1"}, func(w *world) {
		w.met(w.send(wish(1)), call.MetReceived, call.AckRetry)
		waiting := w.row(wish(1), 0)
		time.Sleep(100 * time.Millisecond)
		w.met(w.sendAs("m-cancel", cancel(1, time.Now())), call.MetCancelKept, call.AckDone)
		if c := w.stands(wish(1), call.Canceled); c.ID != waiting.ID {
			t.Error("the cancel is in another record")
		}
		time.Sleep(time.Hour)
		w.suppressed(w.send(wish(1)), call.ReasonCanceled, wish(1))
		w.met(w.sendAs("m-new", wish(1).with("requestedAt", time.Now().UTC().Format(time.RFC3339))), call.MetPlaced, call.AckDone)
		w.rang(1)
	})
}

func TestScenarioI25AScheduledCallIsNoRivalOfItselfAfterAnUpgrade(t *testing.T) {
	t.Parallel()
	everywhere(t, setting{config: paused}, func(w *world) {
		w.sweep()
		for n := range 5 {
			w.met(w.send(wish(n)), call.MetReceived, call.AckDone)
		}
		w.sweepFor(time.Hour)
		w.restart(func(*app.Config) {}) // the next version, and not paused any more
		w.sweepFor(time.Hour)
		for n := range 5 {
			w.stands(wish(n), call.Placed)
		}
		w.rang(5)
	})
}

// paused is a configuration that accepts calls and dials none.
func paused(c *app.Config) {
	p := c.Profiles["alert"]
	p.Paused = true
	c.Profiles["alert"] = p
}
