package scenariotest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
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

// story returns the events of a placed call's whole life as the telephone network tells them, in their order.
func (w *world) story(contactID string) (documents [][]byte) {
	w.Helper()
	time.Sleep(2 * time.Minute)
	for _, e := range w.emu.TakeEvents() {
		if e.ContactID == contactID {
			documents = append(documents, e.Document)
		}
	}
	return documents
}

// fate says what becomes of the n-th request's phone.
func (w *world) fate(n int, fate connectemu.Fate) {
	w.Helper()
	if err := w.emu.SetPhone(number(n), fate); err != nil {
		w.Fatal(err)
	}
}

// cameTo sees what became of a request's first ring, and that nothing more is asked about it.
func (w *world) cameTo(request object, want call.ContactOutcome) call.Call {
	w.Helper()
	c := w.stands(request, call.Placed)
	if c.Outcome != want || !c.DueAt().IsZero() {
		w.Errorf("%v came to %q, due %s (%s), want %q", request["notificationId"], c.Outcome, c.DueAt(), c.DueReason, want)
	}
	return c
}

func TestScenarioV73TheOutcomeOfAnEventBeforeOurOwnRecordIsNotLost(t *testing.T) {
	t.Parallel()
	for _, late := range []time.Duration{0, 30 * time.Minute} {
		play(t, setting{}, func(w *world) {
			w.sweep()
			w.fate(1, connectemu.FateBusy)
			w.killedAt("after dial", wish(1)) // the contact is there, and its id in no row
			events := w.story(w.emu.Rings()[0].ContactID)
			time.Sleep(late)
			slices.Reverse(events) // DISCONNECTED before INITIATED
			for _, e := range events {
				if r := w.deliver(e); !r[0].Acknowledged() {
					t.Errorf("an early event comes back: %+v", r[0].Outcome)
				}
			}
			w.cameTo(wish(1), call.OutcomeBusy)
			w.sweepFor(time.Hour)
			w.cameTo(wish(1), call.OutcomeBusy)
			w.rang(1)
		})
	}
}

func TestScenarioV74EventsInAnyOrderAndNumberLeadToOneState(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 4))
	for fate, want := range map[connectemu.Fate]call.ContactOutcome{connectemu.FateFlowEnds: call.OutcomeAnswered, connectemu.FateTimeout: call.OutcomeNoAnswer} {
		ends := map[string]bool{}
		for _, order := range permutations([]int{0, 1, 2}) {
			for _, lost := range []bool{false, true} {
				list := append([]int{}, order...)
				for range random.IntN(5) { // duplicates, anywhere
					i := random.IntN(len(list) + 1)
					list = append(list[:i], append([]int{random.IntN(3)}, list[i:]...)...)
				}
				play(t, setting{driver: "memory", resend: "never"}, func(w *world) {
					w.fate(1, fate)
					if lost {
						w.killedAt("after dial", wish(1))
					} else {
						w.send(wish(1))
					}
					events := w.story(w.emu.Rings()[0].ContactID)
					for _, n := range list {
						w.deliver(events[n])
					}
					c := w.cameTo(wish(1), want)
					s := *c.Sight
					s.Described = time.Time{} // when we looked
					ends[fmt.Sprintf("%s %s anomalies %d %+v", c.State, c.Outcome, len(c.Anomalies), s)] = true
					w.rang(1)
				})
			}
		}
		if len(ends) != 1 {
			t.Errorf("%s ends in %d ways: %v", fate, len(ends), ends)
		}
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

func TestScenarioV76WithoutASingleEventTheOutcomeIsKnownWithinMinutes(t *testing.T) {
	t.Parallel()
	for fate, want := range map[connectemu.Fate]call.ContactOutcome{
		connectemu.FateAnswers: call.OutcomeAnswered, connectemu.FateBusy: call.OutcomeBusy, connectemu.FateInvalid: call.OutcomeInvalid,
		connectemu.FateBlocked: call.OutcomeBlocked, connectemu.FateNoAnswer: call.OutcomeNoAnswer, connectemu.FateUnreachable: call.OutcomeNoAnswer,
		connectemu.FateTimeout: call.OutcomeNoAnswer, connectemu.FateNoReason: call.OutcomeAnswered, connectemu.FateProblem: call.OutcomeUnknown,
	} {
		play(t, setting{}, func(w *world) {
			w.sweep()
			w.fate(1, fate)
			w.send(wish(1))
			w.sweepFor(4 * time.Minute)
			w.cameTo(wish(1), want)
			w.rang(1)
		})
	}
}

func TestScenarioV77AnUnknownKindOfEventIsTakenAndChangesNothing(t *testing.T) {
	t.Parallel()
	play(t, setting{}, func(w *world) {
		out := w.send(wish(1))
		before := w.row(wish(1), 0)
		for _, kind := range []string{"INITIATED", "TELEPATHY_ESTABLISHED", ""} {
			for _, r := range w.deliver(contactEvent("e-1", kind, out.ContactID, time.Now())) {
				if !r.Acknowledged() {
					t.Errorf("%q comes back: %+v", kind, r.Outcome)
				}
			}
		}
		if after := w.row(wish(1), 0); after.Version != before.Version {
			t.Errorf("an unknown event moved the row from version %d to %d", before.Version, after.Version)
		}
		w.deliver(contactEvent("e-2", "DISCONNECTED", out.ContactID, time.Now())) // with a reason that tells nothing, and no connection
		if c := w.row(wish(1), 0); c.Sight == nil || c.Sight.Reason.Text != "TELECOM_PROBLEM" || c.Outcome != "" || c.DueReason != "outcome" {
			t.Errorf("a reason without meaning leads to %q, due for %q, %+v", c.Outcome, c.DueReason, c.Sight)
		}
		w.rang(1)
	})
}

func TestScenarioV55AVoicemailIsAnsweredAndNeverConfirmed(t *testing.T) {
	t.Parallel()
	play(t, setting{network: connectemu.Config{RingTime: 8 * time.Second, TalkTime: 25 * time.Second}}, func(w *world) {
		w.fate(1, connectemu.FateVoicemail)
		w.send(wish(1))
		for _, e := range w.story(w.emu.Rings()[0].ContactID) {
			w.deliver(e)
		}
		c := w.cameTo(wish(1), call.OutcomeAnswered) // nobody asked for answering machine detection
		if !c.Sight.Confirmed.IsZero() || c.Sight.Connected.IsZero() || c.Sight.Disconnected.Sub(c.Sight.Connected) != 25*time.Second {
			t.Errorf("%+v", c.Sight)
		}
		w.rang(1)
	})
}

func TestScenarioV79OfTwoDeliveriesWithNewDataTheNewestUpdateCounts(t *testing.T) {
	t.Parallel()
	for name, order := range map[string][]int{"in order": {0, 1}, "reversed": {1, 0}, "the old one again": {0, 1, 0}} {
		play(t, setting{}, func(w *world) {
			out := w.send(wish(1))
			time.Sleep(time.Minute)
			ended := time.Now().UTC()
			told := func(reason string, updated time.Duration) []byte {
				text := string(contactEvent("e-1", "DISCONNECTED", out.ContactID, ended))
				text = strings.Replace(text, "TELECOM_PROBLEM", reason, 1)
				return []byte(strings.Replace(text, `"disconnectReason"`, fmt.Sprintf(`"lastUpdateTimestamp":%q,"disconnectReason"`,
					ended.Add(updated).Format(time.RFC3339)), 1))
			}
			documents := [][]byte{told("TELECOM_UNANSWERED", time.Second), told("TELECOM_BUSY", time.Hour)}
			for _, n := range order {
				w.deliver(documents[n])
			}
			if c := w.cameTo(wish(1), call.OutcomeBusy); c.Sight.Reason.Text != "TELECOM_BUSY" {
				t.Errorf("%s: %+v", name, c.Sight)
			}
		})
	}
}
