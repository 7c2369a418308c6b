package call_test

import (
	"context"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// A recipe that is not injective can give the next rings of two keys one token. The second of them can never ring, and must not be due for ever.
func TestANextRingWhoseTokenBelongsToAnotherCallFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *call.Config) {
		c.Token = func(in call.TokenInput) (string, error) {
			if in.Ring > 0 {
				return "the token of every second ring", nil
			}
			return "token of " + in.NotificationID, nil
		}
	})
	for _, name := range []string{"a", "b"} {
		w.deliver(request(name, start))
	}
	w.clock.advance(time.Hour)
	for _, name := range []string{"a", "b"} {
		out := w.engine.Recall(context.Background(), w.row(name, 0).ID, call.Recall{Actor: "ann", Reason: "again"})
		if out.Call.Ring != 1 {
			t.Errorf("the re-call of %s came back as %+v", name, out)
		}
	}
	w.settle()
	w.state("a", 1, call.Placed, "")
	w.state("b", 1, call.Failed, call.CodeTokenTaken)
	if first := w.row("b", 0); first.Next != nil || !first.DueAt().IsZero() {
		t.Errorf("the claim of the ring stays due: %+v", first.Next)
	}
	w.clean(3)
}
