package call_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/rules"
)

// newFollowed is a world with a rule.
func newFollowed(t *testing.T, rule rules.RecallRule) *world {
	t.Helper()
	return newWorld(t, followed(rule))
}

// started prepares a world for a story of everyFault.
func started(rule rules.RecallRule) func(*world) {
	return func(w *world) {
		w.change = append(w.change, followed(rule))
		w.engine = w.start()
	}
}

func TestEveryFaultOfRecallsAndListsLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	for name, fresh := range map[string]maker{"memory": onMemory, "sqlite": onSQLite()} {
		for _, story := range againStories() {
			t.Run(name+" "+story.name, func(t *testing.T) {
				t.Parallel()
				everyFaultOn(t, fresh, story.name, func(w *world) { story.prepare(w); w.engine = w.start() }, story.play, rings(story.rings))
			})
		}
	}
}

func TestScenarioV50OneBudgetCountsOverAllOutcomes(t *testing.T) {
	t.Parallel()
	w := newFollowed(t, rules.RecallRule{Budget: 2, Wait: patient().Wait})
	w.profile(func(p *call.Profile) { p.MaxAttempts = 1 })
	w.deliver(request("n", start))
	w.hangUp(always(call.OutcomeBusy))
	w.phones.script = append(w.phones.script, w.phones.ring, says(call.ClassThrottled, "throttled")) // ring 2 fails
	w.live(inTurn(call.OutcomeBusy, call.OutcomeNoAnswer))
	w.state("n", 2, call.Failed, "attempts_exhausted")
	if c := w.row("n", 2); c.Followup != call.FollowedNothing || c.Recalls != 2 {
		t.Errorf("after the budget: %q, %d re-calls", c.Followup, c.Recalls)
	}
	if last := w.row("n", 0).LastRing; last != 2 {
		t.Errorf("a budget of 2 made %d re-calls", last)
	}
	for ring, wait := range map[int]time.Duration{1: 5 * time.Minute, 2: 15 * time.Minute} { // busy, then no answer
		before, c := w.row("n", ring-1), w.row("n", ring)
		if began := c.AcceptedAt; began.IsZero() || w.dialedAt(c).Before(before.Sight.Disconnected.Add(wait)) {
			t.Errorf("ring %d was dialed before its wait was over", ring)
		}
	}
	w.clean(2)
}

// dialedAt returns when the first attempt of a call was opened.
func (w *world) dialedAt(c call.Call) time.Time {
	w.t.Helper()
	entries, err := w.store.History(context.Background(), c.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, entry := range entries {
		if event, err := entry.Event(); err == nil && event.Attempt != nil {
			return event.Attempt.Opened
		}
	}
	return time.Time{}
}

func TestABudgetIsCarriedOnWhenATokenGrowsTooOld(t *testing.T) {
	t.Parallel()
	w := newFollowed(t, rules.RecallRule{Budget: 1, Wait: patient().Wait})
	w.deliver(request("n", start))
	w.hangUp(always(call.OutcomeBusy))
	w.phones.script = append(w.phones.script, says(call.ClassThrottled, "throttled"))
	w.sweep()
	w.clock.advance(6 * time.Minute)
	w.sweep()
	w.clock.advance(call.TokenUse + time.Hour)
	w.live(always(call.OutcomeBusy))
	if c := w.row("n", 2); c.Cause != call.CauseTokenAge || c.Recalls != 1 || c.Followup != call.FollowedNothing {
		t.Errorf("%s, %d re-calls, %q", c.Cause, c.Recalls, c.Followup)
	}
	w.clean(2)
}

// waiting makes a call whose first re-call waits.
func waiting(w *world) {
	w.deliver(request("n", start))
	w.hangUp(always(call.OutcomeNoAnswer))
	w.sweep()
	w.sweep()
}

func TestARecallWaitsForTheEndAndTheWaitAndIsExplained(t *testing.T) {
	t.Parallel()
	w := newFollowed(t, patient())
	waiting(w)
	c := w.state("n", 1, call.Received, "")
	if c.DueReason != "recall_wait" || !c.Due.Equal(w.row("n", 0).Sight.Disconnected.Add(15*time.Minute)) {
		t.Errorf("due %s (%s)", c.Due.Sub(start), c.DueReason)
	}
	w.outcome(w.place(request("n", start)), call.MetReceived, call.AckDone, call.ReasonInProgress) // a redelivery does not dial it
	w.clean(1)
	entries, err := w.store.History(context.Background(), w.row("n", 0).ID)
	if err != nil || !slices.ContainsFunc(entries, func(e call.Entry) bool {
		return strings.Contains(string(e.Body), "no_answer: again 15m0s after its end, re-call 1 of 2")
	}) {
		t.Errorf("nobody says why: %v", err)
	}
}

func TestScenarioV46AnAcknowledgmentEndsARecallThatWaits(t *testing.T) {
	t.Parallel()
	everyFault(t, "an acknowledgment while a re-call waits", started(patient()), func(w *world) {
		waiting(w)
		w.deliver(acknowledgment("n", w.clock.Now()))
		w.live(always(call.OutcomeNoAnswer))
	}, func(w *world) {
		answered(1)(w)
		if w.row("n", 0).Acknowledged.IsZero() {
			w.t.Error("the acknowledgment is not kept")
		}
		if last := w.row("n", 0).LastRing; last == 1 {
			w.state("n", 1, call.Canceled, "acknowledged")
		}
	})
}

// An acknowledgment reaches the first row and dies, and nobody brings it again: the dial looks there.
func TestScenarioV46AnAcknowledgmentThatDiedOnItsWayIsFoundAtTheDial(t *testing.T) {
	t.Parallel()
	w := newFollowed(t, patient())
	waiting(w)
	w.faults.names, w.faults.fail, w.faults.mode = nil, 2, crashAfter // get, the first row
	w.place(acknowledgment("n", w.clock.Now()))
	if got := w.faults.names[len(w.faults.names)-1]; got != "update cancel-requested" {
		t.Fatalf("crashed at %q: %v", got, w.faults.names)
	}
	w.state("n", 1, call.Received, "")
	w.live(always(call.OutcomeNoAnswer))
	w.state("n", 1, call.Canceled, "acknowledged")
	w.clean(1)
}

func TestScenarioV46AnAcknowledgmentBetweenTheSlotAndTheIntentRingsNothing(t *testing.T) {
	t.Parallel()
	w := newFollowed(t, patient())
	waiting(w)
	w.clock.advance(time.Hour)
	w.faults.names = nil
	w.faults.at = map[int]func(){}
	for n := 1; n < 40; n++ { // before each effect of the sweep that dials; the first one that comes to the intent counts
		w.faults.at[n] = func() {
			if len(w.faults.names) > 0 && w.faults.names[len(w.faults.names)-1] == "update intent" {
				w.place(acknowledgment("n", w.clock.Now()))
			}
		}
	}
	w.sweepQuietly()
	if !slices.Contains(w.faults.names, "update intent") {
		t.Fatalf("it never came to its dial: %v", w.faults.names)
	}
	w.faults.at = nil
	w.state("n", 1, call.Canceled, "acknowledged")
	w.live(always(call.OutcomeNoAnswer))
	w.clean(1)
}

func TestScenarioV46WhatRingsIsHungUpAndShownAsTooLate(t *testing.T) {
	t.Parallel()
	w := newFollowed(t, patient())
	w.deliver(escalating("n", start, "user-2"))
	w.clock.advance(3 * time.Second)
	out := w.place(acknowledgment("n", w.clock.Now()))
	if out.Met != call.MetCancelKept || out.Code != "acknowledged" || !strings.Contains(out.Message, "after the phone had rung") {
		t.Errorf("%+v", out)
	}
	if c := w.row("n", 0); c.TooLate.IsZero() || len(w.phones.stopped) != 1 {
		t.Errorf("too late %s, stopped %v", c.TooLate, w.phones.stopped)
	}
	again := w.row("n", 0).Version
	w.place(acknowledgment("n", start.Add(3*time.Second)))
	if w.row("n", 0).Version != again {
		t.Error("a redelivered acknowledgment was written again")
	}
	w.live(always(call.OutcomeNoAnswer))
	if c := w.row("n", 0); c.Followup != call.FollowedStopped || c.LastRing != 0 || c.EscalatedTo != "" {
		t.Errorf("after an acknowledgment: %q, ring %d, %q", c.Followup, c.LastRing, c.EscalatedTo)
	}
	w.clean(1)
}

func TestScenarioV49ANewEpisodeRingsAfterAnAcknowledgment(t *testing.T) {
	t.Parallel()
	w := newFollowed(t, patient())
	w.profile(window(day))
	w.deliver(escalating("n", start, "user-2"))
	w.deliver(acknowledgment("n", start.Add(time.Second)))
	w.live(always(call.OutcomeNoAnswer))
	w.clean(1)
	w.deliver(request("m", w.clock.Now())) // an episode with an id of its own
	w.live(always(call.OutcomeConfirmed))
	w.clean(2)
	w.clock.advance(2 * day)
	w.sweep()
	w.deliver(escalating("n", w.clock.Now(), "user-2")) // the same id, fired again later
	w.live(by("user-2", call.OutcomeConfirmed))
	if c := w.rowFor("n", "user-2", 0); c.State != call.Placed {
		t.Errorf("the list of the new episode stands at %q", c.State)
	}
	w.clean(6) // its ring with two re-calls, and the second recipient
}

func TestAListBeginsAnewWithALaterRequest(t *testing.T) {
	t.Parallel()
	w := newFollowed(t, rules.RecallRule{})
	w.profile(window(day))
	w.deliver(escalating("n", start, "user-2", "user-3"))
	w.live(always(call.OutcomeNoAnswer))
	w.clean(3)
	w.clock.advance(2 * day)
	w.sweep()
	w.deliver(escalating("n", w.clock.Now(), "user-2", "user-3"))
	w.live(always(call.OutcomeNoAnswer))
	for _, recipient := range []string{"user-1", "user-2", "user-3"} {
		if c := w.rowFor("n", recipient, 1); c.State != call.Placed {
			t.Errorf("%s: %q", recipient, c.State)
		}
	}
	w.clean(6)
}

func TestADoubtIsFollowedByNothingUntilEvidenceClosesIt(t *testing.T) {
	t.Parallel()
	w := newFollowed(t, patient())
	resend(call.ResendNever)(w)
	w.phones.hidden = true
	w.phones.script = append(w.phones.script, w.phones.lost)
	w.deliver(escalating("n", start, "user-2"))
	w.live(always(call.OutcomeNoAnswer))
	w.state("n", 0, call.InDoubt, w.row("n", 0).Code)
	w.clean(1)
	if _, err := w.engine.SawContact(context.Background(), call.Target{}, w.phones.contacts[0].ID); err != nil {
		t.Fatal(err)
	}
	w.live(by("user-2", call.OutcomeConfirmed)) // two re-calls, then the second recipient
	w.clean(4)
}

func TestScenarioV52WhatIsRefusedForGoodIsNotTriedAgainAndKeepsNobody(t *testing.T) {
	t.Parallel()
	w := newFollowed(t, patient())
	w.phones.script = append(w.phones.script, says(call.ClassRefusedRequest, "invalid_parameter"))
	w.deliver(request("bad", start))
	for n := range 499 {
		w.deliver(request(fmt.Sprint("n-", n), start))
	}
	w.hangUp(always(call.OutcomeConfirmed))
	if _, err := w.engine.Sweep(context.Background(), 1000); err != nil {
		t.Fatal(err)
	}
	if c := w.state("bad", 0, call.Failed, "invalid_parameter"); c.LastRing != 0 || c.Followup != call.FollowedNothing || c.AttemptCount != 1 {
		t.Errorf("%d attempts, ring %d, %q", c.AttemptCount, c.LastRing, c.Followup)
	}
	w.clean(499)
}

func TestScenarioV59ARecallBeyondTheLimitOfItsRequestIsNotMade(t *testing.T) {
	t.Parallel()
	w := newFollowed(t, patient())
	d := escalating("n", start, "user-2")
	d.Request.NotAfter = start.Add(10 * time.Minute)
	w.deliver(d)
	w.live(by("user-2", call.OutcomeConfirmed)) // the wait of 15 minutes is too long, the list is not
	if c := w.row("n", 0); c.LastRing != 0 || c.Followup != call.FollowedEscalation || !w.rowFor("n", "user-2", 0).NotAfter.Equal(d.Request.NotAfter) {
		t.Errorf("ring %d, %q", c.LastRing, c.Followup)
	}
	w.clean(2)

	held := newFollowed(t, patient())
	d = request("n", start)
	d.Request.NotAfter = start.Add(20 * time.Minute)
	held.deliver(d)
	held.hangUp(always(call.OutcomeNoAnswer))
	held.sweep()
	held.profile(pause)
	held.restart()
	held.live(always(call.OutcomeNoAnswer))
	held.state("n", 1, call.Expired, "not_after")
	held.clean(1)
}

func TestARecallRingsWithTheSettingsOfTheRingBeforeOrWithThoseOfToday(t *testing.T) {
	t.Parallel()
	for _, pinned := range []bool{true, false} {
		rule := patient()
		rule.Pinned = pinned
		w := newFollowed(t, rule)
		waiting(w)
		w.profile(func(p *call.Profile) { p.ContactFlowID = "another flow" })
		w.restart()
		w.live(always(call.OutcomeConfirmed))
		want := map[bool]string{true: `"flow":"flow"`, false: `"flow":"another flow"`}[pinned]
		if body := string(w.phones.dials[1].Body); !strings.Contains(body, want) {
			t.Errorf("pinned %t: %s", pinned, body)
		}
		w.clean(2)
	}
}

// TestARecallWhosePinnedFlowIsGoneRingsWithThatOfTodayInTheEnd has no time limit: it must not be refused for ever.
func TestARecallWhosePinnedFlowIsGoneRingsWithThatOfTodayInTheEnd(t *testing.T) {
	t.Parallel()
	rule := patient()
	rule.Pinned = true
	w := newFollowed(t, rule)
	waiting(w)
	w.profile(func(p *call.Profile) { p.ContactFlowID = "another flow" })
	w.restart()
	w.phones.always = func(s call.Send) call.Answer {
		if strings.Contains(string(s.Body), `"flow":"flow"`) {
			return call.Answer{Class: call.ClassRefusedSetup, Code: "resource_not_found"}
		}
		return w.phones.ring(s)
	}
	for range 8 * 24 * 4 {
		w.clock.advance(15 * time.Minute)
		w.sweepQuietly()
	}
	w.live(always(call.OutcomeConfirmed))
	w.state("n", 1, call.Failed, "token-age")
	w.state("n", 2, call.Placed, "")
	if last := w.phones.dials[len(w.phones.dials)-1]; !strings.Contains(string(last.Body), `"flow":"another flow"`) || w.phones.total() != 2 {
		t.Errorf("%d rings, the last dial is %s", w.phones.total(), last.Body)
	}
}

func TestWhoConfirmsIsNotHungUpAndEndsTheList(t *testing.T) {
	t.Parallel()
	w := newFollowed(t, rules.RecallRule{})
	w.deliver(escalating("n", start, "user-2"))
	w.clock.advance(5 * time.Second)
	c, err := w.engine.Acknowledge(context.Background(), w.row("n", 0).ID, call.Acknowledgment{At: w.clock.Now(), Actor: "key 1", ConfirmedIn: w.row("n", 0).ID})
	if err != nil || !c.TooLate.IsZero() || len(w.phones.stopped) != 0 {
		t.Errorf("%+v %v, stopped %v", c, err, w.phones.stopped)
	}
	w.live(always(call.OutcomeAnswered)) // the confirmation itself was lost
	w.clean(1)
}
