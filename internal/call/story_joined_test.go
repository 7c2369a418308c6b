package call_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/rules"
)

// passes returns how often the list of user-1 passed over somebody, as the history says.
func (w *world) passes(notification string) (n int) {
	w.t.Helper()
	entries, err := w.store.History(context.Background(), w.row(notification, 0).ID)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, entry := range entries {
		if event, err := entry.Event(); err != nil || event.Kind == call.EventTurnConfirmed && event.RowID == "" {
			n++
		}
	}
	return n
}

// joinedAnew lets a later request open the key of user-1 anew, whose first ring was confirmed, so that its list meets a call of user-2's own.
func joinedAnew(w *world) {
	meetsAnew(w, 0)
	w.wentOn()
}

// meetsAnew does it when that call is so old.
func meetsAnew(w *world, age time.Duration) {
	w.t.Helper()
	w.profile(window(time.Hour))
	w.deliver(escalating("n", start, "user-2", "user-3"))
	w.live(always(call.OutcomeConfirmed))
	w.clock.advance(2 * time.Hour)
	w.deliver(to("user-2", request("n", w.clock.Now())))
	w.live(always(call.OutcomeVoicemail))
	w.clock.advance(age)
	w.deliver(escalating("n", w.clock.Now(), "user-2", "user-3"))
	w.live(always(call.OutcomeVoicemail))
}

// wentOn sees that the list has gone from user-1 to user-2, who was not rung anew, and from there to user-3.
func (w *world) wentOn() {
	w.t.Helper()
	second, third := w.rowFor("n", "user-2", 0), w.rowFor("n", "user-3", 0)
	if n := w.passes("n"); n > 0 {
		w.t.Errorf("the list passed over %d, and the call of user-2 goes on with it", n)
	}
	if w.row("n", 0).EscalatedTo != second.ID || second.EscalatedTo != third.ID || third.State != call.Placed {
		w.t.Errorf("the list went to %q, and from there to %q (%s)", w.row("n", 0).EscalatedTo, second.EscalatedTo, third.State)
	}
	if second.LastRing > 0 {
		w.t.Error("user-2 was rung anew in the turn in which their call joined")
	}
}

// recalledAndJoined lets the list of a key whose first ring was followed by a re-call meet a call.
func recalledAndJoined(w *world) {
	w.deliver(to("user-2", request("n", start)))
	w.live(always(call.OutcomeAnswered))
	w.clock.advance(time.Minute)
	w.deliver(escalating("n", w.clock.Now(), "user-2", "user-3"))
	w.live(func(c call.Call) call.ContactOutcome {
		if c.Key.RecipientID == "user-1" {
			return call.OutcomeBusy
		}
		return call.OutcomeAnswered
	})
	w.wentOn()
}

// joinedLater lets the first request of a key meet a call that was asked for before.
func joinedLater(w *world) {
	w.deliver(to("user-2", request("n", start)))
	w.live(always(call.OutcomeVoicemail))
	w.deliver(escalating("n", w.clock.Now(), "user-2", "user-3"))
	w.live(always(call.OutcomeVoicemail))
}

// TestALaterTurnRingsWhoJoinedInAnEarlierOne: that their call is a step of the list says nothing of a request that came after it.
func TestALaterTurnRingsWhoJoinedInAnEarlierOne(t *testing.T) {
	t.Parallel()
	w := newFollowed(t, rules.RecallRule{})
	w.profile(window(time.Hour))
	joinedLater(w)
	w.clock.advance(2 * time.Hour)
	w.deliver(escalating("n", w.clock.Now(), "user-2", "user-3"))
	w.live(always(call.OutcomeVoicemail))
	for _, who := range []string{"user-2", "user-3"} {
		if c := w.rowFor("n", who, 1); c.State != call.Placed {
			t.Errorf("%s is not rung for the later request: %q", who, c.State)
		}
	}
	w.clean(6)
}

// TestAListNotesWhoseCallJoinedItInTheVeryTurnWhateverDied lets a process die, or an answer be lost, on both sides of each write between the claim of the
// turn and what notes it. It was seen for the first ring of a key only.
func TestAListNotesWhoseCallJoinedItInTheVeryTurnWhateverDied(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]struct {
		rule  rules.RecallRule
		story func(*world)
		rings int
	}{
		"opened anew, the window of the call runs": {rules.RecallRule{}, joinedAnew, 4},
		"opened anew, the window of the call has ended": {rules.RecallRule{}, func(w *world) {
			meetsAnew(w, 3*time.Hour)
			w.wentOn()
		}, 4},
		"re-called": {rules.RecallRule{Budget: 1, Wait: map[call.ContactOutcome]time.Duration{call.OutcomeBusy: 5 * time.Minute}}, recalledAndJoined, 4},
	} {
		names := playJoined(t, name, s.rule, 0, "", s.story, s.rings)
		for _, kind := range []string{"update escalated", "update joined", "update turn-confirmed"} {
			effect := slices.Index(names, kind) + 1
			if effect == 0 {
				t.Fatalf("%s: nothing is %s: %v", name, kind, names)
			}
			for _, how := range modes {
				playJoined(t, name+", "+kind+" "+string(how), s.rule, effect, how, s.story, s.rings)
			}
		}
	}
}

// playJoined plays a story in which one effect fails, and returns the names of all effects.
func playJoined(t *testing.T, name string, rule rules.RecallRule, effect int, how mode, story func(*world), rings int) []string {
	t.Helper()
	failed := t.Failed()
	w := newFollowed(t, rule)
	w.faults.names, w.faults.fail, w.faults.mode = nil, effect, how
	story(w)
	if w.faults.fail = 0; effect > 0 && w.faults.fired == 0 {
		t.Errorf("%s: it never happened", name)
	}
	w.clean(rings)
	if t.Failed() && !failed {
		t.Fatal(name)
	}
	return w.faults.names
}

// olderLedger is written by a program that does not know in which turn a key joined a list: it drops what it does not know.
type olderLedger struct{ call.Ledger }

// Update implements call.Ledger.
func (l olderLedger) Update(ctx context.Context, w call.Write) (call.Written, error) {
	w.Row.JoinedTurn = time.Time{}
	return l.Ledger.Update(ctx, w)
}

// TestARowThatDoesNotSayInWhichTurnItJoinedIsReadAsBefore: of the first ring of a key it is known all the same, and after it the recipient is passed
// over. That the ledger was written by two programs is no breach.
func TestARowThatDoesNotSayInWhichTurnItJoinedIsReadAsBefore(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]struct {
		story         func(*world)
		passed, rings int
	}{
		"the first ring":    {joinedLater, 0, 3},
		"a key opened anew": {func(w *world) { meetsAnew(w, 0) }, 1, 4},
	} {
		play := func(effect int) *world {
			w := newFollowed(t, rules.RecallRule{})
			w.faults.Ledger = olderLedger{w.store}
			w.faults.names, w.faults.fail, w.faults.mode = nil, effect, crashAfter
			s.story(w)
			w.faults.fail = 0
			w.clean(s.rings)
			return w
		}
		w := play(slices.Index(play(0).faults.names, "update joined") + 1)
		if w.faults.fired != 1 || w.passes("n") != s.passed || w.rowFor("n", "user-3", 0).State != call.Placed {
			t.Errorf("%s: the list passed over %d, want %d; user-3's call is %q", name, w.passes("n"), s.passed, w.rowFor("n", "user-3", 0).State)
		}
	}
}

// TestAJoinedCallIsJudgedByTheDateOfItsOwnRequest shows a limit that docs/recalls.md names: a call of user-2's own, from before the first request of user-1 was
// confirmed or acknowledged, joins the list of a later request. What was known of the first one stops it, and user-3 is not rung. A call that was asked for
// after that goes on.
func TestAJoinedCallIsJudgedByTheDateOfItsOwnRequest(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		own          time.Duration
		acknowledged bool
		goesOn       bool
	}{
		"asked for with what was confirmed":           {0, false, false},
		"asked for before it, and it is acknowledged": {-time.Minute, true, false},
		"asked for before it, and it is confirmed":    {-time.Minute, false, true},
		"asked for after it":                          {time.Hour, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newFollowed(t, rules.RecallRule{})
			w.profile(window(time.Hour))
			own := func() {
				w.deliver(to("user-2", request("n", start.Add(c.own))))
				w.live(always(call.OutcomeVoicemail))
			}
			if c.own <= 0 {
				own()
			}
			w.deliver(escalating("n", start, "user-2", "user-3"))
			w.live(always(call.OutcomeConfirmed))
			w.clock.advance(time.Minute)
			if c.acknowledged {
				w.deliver(acknowledgment("n", w.clock.Now()))
			}
			w.clock.advance(2 * time.Hour)
			if c.own > 0 {
				own()
			}
			w.deliver(escalating("n", w.clock.Now(), "user-2", "user-3"))
			w.live(always(call.OutcomeVoicemail))
			if c.goesOn {
				w.wentOn()
				w.clean(4)
				return
			}
			second := w.rowFor("n", "user-2", 0)
			if third := w.rowFor("n", "user-3", 0); second.EscalatedFrom != w.row("n", 0).ID || second.Followup != call.FollowedStopped || third.ID != "" {
				t.Errorf("the list went on behind %q with %q: say so in docs/recalls.md", second.Followup, third.State)
			}
			w.clean(3)
		})
	}
}
