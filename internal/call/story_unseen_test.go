package call_test

import (
	"errors"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// untracked adds a profile "quiet" whose outcomes nobody tracks.
func (w *world) untracked() {
	w.t.Helper()
	w.profiles["quiet"] = call.Profile{Name: "quiet", Region: "r", InstanceID: "i", ContactFlowID: "flow"}
	w.change = append(w.change, tracked, func(c *call.Config) {
		c.Tracks = func(p call.Profile) (bool, bool) { return p.Name != "quiet", false }
	})
	w.engine = w.start()
}

// minutes lets time pass as in production: what a look finds is followed by the next sweep.
func (w *world) minutes(n int, each func()) {
	w.t.Helper()
	for range n {
		w.clock.advance(time.Minute)
		w.sweepQuietly()
		each()
	}
}

// meetsAnUntrackedCall lets the list of user-1 come to user-2 at minute 21, whose own untracked call rang at minute 19. Each contact lasts 20 minutes.
func meetsAnUntrackedCall(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.untracked()
	w.lives(life{connect: time.Second, end: 20 * time.Minute, reason: "CUSTOMER_DISCONNECT"})
	w.deliver(escalating("n", start, "user-2", "user-3"))
	w.clock.advance(19 * time.Minute)
	own := to("user-2", request("n", start))
	own.Request.Profile = "quiet"
	w.deliver(own)
	return w
}

// TestAListWaitsForTheEndOfACallThatNobodyTracked: it once went on at once, while the recipient was being rung, and the call never got an outcome.
func TestAListWaitsForTheEndOfACallThatNobodyTracked(t *testing.T) {
	t.Parallel()
	w := meetsAnUntrackedCall(t)
	w.minutes(60, func() {
		if c := w.rowFor("n", "user-3", 0); c.ID != "" && w.clock.Now().Before(start.Add(39*time.Minute)) {
			t.Fatalf("user-3 is rung at %s, and user-2 had not hung up", w.clock.Now().Sub(start))
		}
	})
	if c := w.rowFor("n", "user-2", 0); c.Outcome != call.OutcomeAnswered || c.Followup != call.FollowedEscalation {
		t.Errorf("user-2's call is %q, and followed by %q", c.Outcome, c.Followup)
	}
	if c := w.rowFor("n", "user-3", 0); c.State != call.Placed {
		t.Errorf("user-3's call is %q", c.State)
	}
	w.clean(3)
}

// TestAnEventThatTellsNoEndIsNoEnd: what is heard of such a call before anybody could ask does not let the list go on either.
func TestAnEventThatTellsNoEndIsNoEnd(t *testing.T) {
	t.Parallel()
	w := meetsAnUntrackedCall(t)
	w.minutes(1, func() {}) // user-1 has hung up
	w.phones.mute = func() error { return errors.New("reset") }
	w.minutes(1, func() {})
	contact := w.phones.contacts[1]
	if c := w.tell(contact.ID, life{connect: 1, end: day}.upTo(contact, time.Minute)); c.Outcome != call.OutcomeAnswered || c.DueReason != "outcome" {
		t.Fatalf("it is %q, and due for %q", c.Outcome, c.DueReason)
	}
	w.minutes(1, func() {})
	if c := w.rowFor("n", "user-3", 0); c.ID != "" {
		t.Fatal("user-3 is rung, and user-2 had not hung up")
	}
	w.phones.mute = nil
	w.minutes(60, func() {})
	if c := w.rowFor("n", "user-2", 0); c.Outcome != call.OutcomeAnswered || c.Followup != call.FollowedEscalation {
		t.Errorf("user-2's call is %q, and followed by %q", c.Outcome, c.Followup)
	}
	w.clean(3)
}

// TestACallThatWasKnownAsAcknowledgedOnlyGetsItsOutcome: the key of a ring that a restore forgot is acknowledged, an event brings its contact, and a
// list comes to it.
func TestACallThatWasKnownAsAcknowledgedOnlyGetsItsOutcome(t *testing.T) {
	t.Parallel()
	for name, looks := range map[string]struct {
		mute func() error
		want call.ContactOutcome
	}{
		"by a look":           {nil, call.OutcomeAnswered},
		"when its time is up": {func() error { return call.ErrNotFound }, call.OutcomeUnknown},
	} {
		w, p := taped(t)
		w.change = append(w.change, tracked)
		w.lives(answeredLife)
		w.place(to("user-2", request("n", start)))
		w.restore(p, 0)
		w.recovered(start.Add(-time.Minute))
		w.deliver(to("user-2", acknowledgment("n", start)))
		contact := w.phones.contacts[0]
		w.tell(contact.ID, answeredLife.upTo(contact, time.Second))
		if c := w.rowFor("n", "user-2", 0); c.State != call.Placed || !c.Tombstone || c.Tracked {
			t.Fatalf("%s: the forgotten call is %s", name, c.State)
		}
		w.clock.advance(10 * time.Minute)
		w.deliver(escalating("n", w.clock.Now(), "user-2", "user-3"))
		w.minutes(3, func() {}) // user-1 has hung up
		w.phones.mute = looks.mute
		w.minutes(12*60, func() {})
		if c := w.rowFor("n", "user-2", 0); c.EscalatedFrom == "" || c.Outcome != looks.want || c.Followup == "" {
			t.Errorf("%s: from %q, the outcome is %q, and it is followed by %q", name, c.EscalatedFrom, c.Outcome, c.Followup)
		}
		w.clean(w.phones.total())
	}
}

// TestARequestOfAnUntrackedProfileForAStepOfAListIsTaken: the write would have said that what follows is decided by an end that nobody looks for, and
// was refused as a breach for ever.
func TestARequestOfAnUntrackedProfileForAStepOfAListIsTaken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.untracked()
	w.lives(answeredLife)
	w.deliver(to("user-2", acknowledgment("n", start.Add(-time.Hour))))
	w.deliver(escalating("n", start, "user-2", "user-3"))
	w.minutes(20, func() {})
	if c := w.rowFor("n", "user-2", 0); c.EscalatedFrom == "" || !c.Tombstone {
		t.Fatalf("the list did not come to the key: %+v", c)
	}
	own := to("user-2", request("n", start))
	own.Request.Profile = "quiet"
	w.deliver(own)
	w.minutes(20, func() {})
	if c := w.rowFor("n", "user-2", 0); c.Tombstone || !c.Tracked || !c.Follows {
		t.Errorf("tombstone %t, tracked %t, follows %t", c.Tombstone, c.Tracked, c.Follows)
	}
	w.clean(w.phones.total())
}
