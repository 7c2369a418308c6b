package call_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// slowConfirm lets something happen between the moment at which a sweeper has seen a ring's row and the one at which it says so.
type slowConfirm struct {
	call.Ledger

	before func()
}

func (l *slowConfirm) Update(ctx context.Context, w call.Write) (call.Written, error) {
	if before := l.before; before != nil && w.Entry.Kind == call.EventRingConfirmed {
		l.before = nil
		before()
	}
	return l.Ledger.Update(ctx, w)
}

// childless is the ledger of an opener that dies after its claim.
type childless struct{ call.Ledger }

func (childless) Create(context.Context, call.Write) (call.Written, error) {
	return call.Written{}, errors.New("the opener died")
}

func TestASlowSweeperClearsNoNewerClaim(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.place(request("n", start))
	dying := w.start(func(c *call.Config) { c.Ledger = childless{w.store} })
	claim := func(ring int) {
		dying.Recall(context.Background(), w.row("n", ring).ID, call.Recall{Actor: "ann", Reason: "she asked"})
		if first := w.row("n", 0); first.Next == nil || first.LastRing != ring+1 {
			t.Fatalf("ring %d is not claimed: %+v", ring+1, first)
		}
	}
	claim(0)
	slow := w.start(func(c *call.Config) {
		c.Ledger = &slowConfirm{w.store, func() { // R11
			w.sweepQuietly() // another sweeper confirms ring 1 and dials it; then somebody claims ring 2
			claim(1)
		}}
	})
	if _, err := slow.Sweep(context.Background(), 10); err != nil {
		t.Fatal(err)
	}
	if first := w.row("n", 0); first.Next == nil {
		t.Error("the claim of ring 2 is gone and its row was never made")
	}
	w.settle()
	w.state("n", 2, call.Placed, "")
	w.clean(3)
}

func TestAnUndatedRequestFallsToACancelThatIsDatedBeforeItsArrival(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.clock.advance(time.Hour)
	w.phones.script = append(w.phones.script, says(call.ClassThrottled, "throttled"))
	w.place(undated("n"))
	w.canceled(cancel("n", start.Add(time.Minute))) // R26: the request may be older than it looks
	w.state("n", 0, call.Canceled, "canceled")
	w.settle()
	w.clean(0)
}
