package call_test

import (
	"errors"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/rules"
)

func isNotFound(err error) bool { return errors.Is(err, call.ErrNotFound) }

// againStories reach the writes of what comes after the end of a call.
func againStories() []siteStory {
	return []siteStory{
		{name: "re-calls by rule", prepare: followedWorld(patient()), play: recalledByRule, rings: 3},
		{name: "an escalation list", prepare: followedWorld(rules.RecallRule{}), play: escalated, rings: 3},
		{name: "an escalation list after a re-call", prepare: followedWorld(patient()), play: recalledThenEscalated, rings: 4},
		{name: "an escalation list that meets a call", prepare: followedWorld(rules.RecallRule{}), play: joined, rings: 3},
		{name: "an escalation list of a key that was opened anew", prepare: followedWorld(rules.RecallRule{}), play: joinedAnew, rings: 4},
		{name: "an escalation list that passes a forgotten recipient", prepare: followedWorld(rules.RecallRule{}), play: passedOver, rings: 3},
		{name: "an acknowledgment that reaches the list", prepare: followedWorld(rules.RecallRule{}), play: acknowledgedList, rings: 1},
	}
}

func recalledByRule(w *world) {
	w.deliver(request("n", start))
	w.live(inTurn(call.OutcomeNoAnswer, call.OutcomeBusy, call.OutcomeConfirmed))
	for ring, want := range []string{call.FollowedRecall, call.FollowedRecall, call.FollowedStopped} {
		if c := w.row("n", ring); c.Followup != want {
			w.t.Errorf("ring %d is followed by %q, want %q", ring, c.Followup, want)
		}
	}
}

func escalated(w *world) {
	w.deliver(escalating("n", start, "user-2", "user-3"))
	w.live(by("user-3", call.OutcomeConfirmed))
	for recipient, want := range map[string]string{"user-1": call.FollowedEscalation, "user-2": call.FollowedEscalation, "user-3": ""} {
		if c := w.rowFor("n", recipient, 0); c.Followup != want || c.State != call.Placed {
			w.t.Errorf("%s is %s and followed by %q, want %q", recipient, c.State, c.Followup, want)
		}
	}
}

// recalledThenEscalated rings the first recipient three times, so that a later ring ends the rings of the key.
func recalledThenEscalated(w *world) {
	w.deliver(escalating("n", start, "user-2"))
	w.live(by("user-2", call.OutcomeConfirmed))
	if c := w.rowFor("n", "user-2", 0); c.Cause != call.CauseEscalation || c.State != call.Placed {
		w.t.Errorf("the second recipient: %s %s", c.Cause, c.State)
	}
}

func joined(w *world) {
	w.deliver(to("user-2", request("n", start)))
	w.live(always(call.OutcomeVoicemail))
	w.deliver(escalating("n", start, "user-2", "user-3"))
	w.live(always(call.OutcomeVoicemail))
	if c := w.rowFor("n", "user-2", 0); c.EscalatedFrom != w.row("n", 0).ID || c.EscalatedTo != w.rowFor("n", "user-3", 0).ID {
		w.t.Errorf("the call that was there is no step of the list: %+v", c)
	}
}

func passedOver(w *world) {
	w.deliver(to("user-2", request("n", start)))
	w.live(always(call.OutcomeVoicemail))
	w.forgetUntil("user-2")
	w.deliver(escalating("n", start, "user-2", "user-3"))
	w.live(always(call.OutcomeVoicemail))
	if c := w.rowFor("n", "user-3", 0); c.State != call.Placed || c.EscalatedFrom != w.row("n", 0).ID {
		w.t.Errorf("the list ended at a forgotten recipient: %+v", c)
	}
}

// acknowledgedList acknowledges while the second recipient waits for the pace.
func acknowledgedList(w *world) {
	w.deliver(escalating("n", start, "user-2", "user-3"))
	for range 10 { // the first dial, or a sweep, may not come through at once
		w.hangUp(always(call.OutcomeBusy))
		if w.row("n", 0).State == call.Placed && len(w.phones.script) == 0 {
			w.phones.script = append(w.phones.script, waitsLong, waitsLong) // a dial whose answer is lost is sent again at once
		}
		w.sweep()
		if c := w.rowFor("n", "user-2", 0); c.AttemptCount > 0 {
			break
		}
		w.clock.advance(31 * time.Second)
	}
	w.deliver(acknowledgment("n", w.clock.Now()))
	w.live(always(call.OutcomeBusy))
	// Where an answer was lost the attempt was open: then the row ends when that is closed, or in doubt.
	lost := func(c call.Call) bool {
		return w.faults.fired > 0 && (c.State == call.InDoubt || c.State == call.Canceled)
	}
	if c := w.rowFor("n", "user-2", 0); (c.State != call.Canceled || c.Code != "acknowledged") && !lost(c) {
		w.t.Errorf("the second recipient is %s (%s)", c.State, c.Code)
	}
}
