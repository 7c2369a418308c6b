package scenariotest

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// eventKinds are the events of one contact's life in their order.
func eventKinds() []string { return []string{"INITIATED", "CONNECTED_TO_SYSTEM", "DISCONNECTED"} }

func TestScenarioV73AnEventBeforeOurOwnRecordOrLongAfterItIsApplied(t *testing.T) {
	t.Parallel()
	for name, after := range map[string]time.Duration{"before our record": 2 * time.Second, "30 minutes late": 30 * time.Minute} {
		for _, first := range eventKinds() {
			play(t, setting{resend: "never"}, func(w *world) {
				w.sweep()
				w.killedAt("after dial", wish(1))
				contact := w.emu.Rings()[0].ContactID
				time.Sleep(after)
				for _, r := range w.deliver(contactEvent("e-1", first, contact, time.Now())) {
					if !r.Acknowledged() {
						t.Errorf("%s: %s comes back", name, first)
					}
				}
				if c := w.stands(wish(1), call.Placed); c.ContactID != contact {
					t.Errorf("%s: %s leads to %q", name, first, c.ContactID)
				}
				w.suppressed(w.send(wish(1)), call.ReasonDuplicate, wish(1))
				w.sweepFor(day)
				w.rang(1)
				w.asked(1)
			})
		}
	}
}

func TestScenarioV74EventsInAnyOrderAndNumberLeadToOneState(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 4))
	ends := map[string]bool{}
	for _, order := range permutations([]int{0, 1, 2}) {
		for range 4 {
			list := append([]int{}, order...)
			for range random.IntN(5) { // duplicates, anywhere
				i := random.IntN(len(list) + 1)
				list = append(list[:i], append([]int{random.IntN(3)}, list[i:]...)...)
			}
			play(t, setting{driver: "memory", resend: "never"}, func(w *world) {
				w.killedAt("after dial", wish(1))
				contact := w.emu.Rings()[0].ContactID
				time.Sleep(time.Minute)
				for i, kind := range list {
					w.deliver(contactEvent(fmt.Sprintf("e-%d", i), eventKinds()[kind], contact, time.Now()))
				}
				c := w.row(wish(1), 0)
				ends[fmt.Sprintf("%s, contact known %t from %s, open %d, anomalies %d, version %d", c.State, c.ContactID == contact, c.ContactFrom, len(c.Open), len(c.Anomalies), c.Version)] = true
				w.rang(1)
			})
		}
	}
	if len(ends) != 1 {
		t.Errorf("ends in %d ways: %v", len(ends), ends)
	}
}

// permutations returns every order of a list.
func permutations(list []int) (all [][]int) {
	if len(list) < 2 {
		return [][]int{append([]int{}, list...)}
	}
	for i := range list {
		rest := append(append([]int{}, list[:i]...), list[i+1:]...)
		for _, p := range permutations(rest) {
			all = append(all, append([]int{list[i]}, p...))
		}
	}
	return all
}

func TestScenarioV76WithoutASingleEventACallComesToItsEnd(t *testing.T) {
	t.Parallel()
	for policy, within := range map[string]time.Duration{"token": 2 * time.Minute, "never": 45 * time.Minute, "evidence": 5 * time.Hour} {
		play(t, setting{resend: policy}, func(w *world) {
			w.sweep()
			w.killedAt("after dial", wish(1))
			w.sweepFor(within)
			w.stands(wish(1), call.Placed)
			w.rang(1)
		})
	}
}

func TestScenarioV77AnUnknownKindOfEventIsTakenAndChangesNothing(t *testing.T) {
	t.Parallel()
	play(t, setting{}, func(w *world) {
		out := w.send(wish(1))
		before := w.row(wish(1), 0)
		for _, kind := range []string{"COMPLETED", "TELEPATHY_ESTABLISHED", ""} {
			for _, r := range w.deliver(contactEvent("e-1", kind, out.ContactID, time.Now())) {
				if !r.Acknowledged() {
					t.Errorf("%q comes back: %+v", kind, r.Outcome)
				}
			}
		}
		if after := w.row(wish(1), 0); after.Version != before.Version {
			t.Errorf("an unknown event moved the row from version %d to %d", before.Version, after.Version)
		}
		w.rang(1)
	})
}
