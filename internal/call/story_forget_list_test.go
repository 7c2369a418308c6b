package call_test

import (
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/rules"
)

func TestAListIsErasedWithItsRecipientAndLeavesTheRowThatItMovedOnFrom(t *testing.T) {
	t.Parallel()
	w := newFollowed(t, rules.RecallRule{})
	w.deliver(escalating("n", start, "user-2", "user-3"))
	if len(w.row("n", 0).Escalation) != 2 {
		t.Fatal("the list is not kept")
	}
	w.hangUp(always(call.OutcomeNoAnswer))
	w.sweep()
	head, next := w.row("n", 0), w.rowFor("n", "user-2", 0)
	if text, err := head.Encode(); err != nil || strings.Contains(string(text), "user-3") || strings.Contains(string(text), "user-2") || len(next.Escalation) != 1 {
		t.Errorf("after the list moved on: %s, the next has %d left", text, len(next.Escalation))
	}
	w.again(func() error { return w.forgetRecipient("user-2") })
	c := w.rowFor("n", "user-2", 0)
	if text, err := c.Encode(); err != nil || !c.IsForgotten() || strings.Contains(string(text), "user-") || strings.Contains(string(text), head.ID) {
		t.Errorf("what is left of the second recipient: %s", text)
	}
	w.live(always(call.OutcomeNoAnswer))
	if c := w.rowFor("n", "user-3", 0); c.ID != "" {
		t.Errorf("the erased list rang on: %+v", c)
	}
	w.clean(2)
}

func TestARecipientWhoseTurnIsClaimedIsForgottenWhenTheTurnIsOver(t *testing.T) {
	t.Parallel()
	w := newFollowed(t, rules.RecallRule{})
	w.deliver(escalating("n", start, "user-2"))
	w.hangUp(always(call.OutcomeNoAnswer))
	w.faults.names, w.faults.fail, w.faults.mode = nil, 3, crashAfter
	w.sweepQuietly()
	if w.row("n", 0).Turn == nil {
		t.Fatalf("the claim was cleared: %v", w.faults.names)
	}
	w.again(func() error { return w.forgetRecipient("user-1") })
	if w.row("n", 0).IsForgotten() {
		t.Error("forgotten while the next recipient is claimed and has no call")
	}
	w.live(always(call.OutcomeNoAnswer))
	w.again(func() error { return w.forgetRecipient("user-1") })
	if !w.row("n", 0).IsForgotten() {
		t.Error("never forgotten")
	}
	w.clean(2)
}
