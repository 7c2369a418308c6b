package cli

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/dial/connect"
)

// hurried is a clock on which the waits of the sweeper for what comes due take no time; before each its watcher says whether it has seen enough. Other
// waits are those of the time limits of dials, and the short ones while a dial is made.
type hurried struct {
	*shifted

	limit  time.Duration // of a dial
	enough func() bool
}

func (h hurried) Sleep(ctx context.Context, d time.Duration) error {
	if d == h.limit || d <= call.LanesBusy {
		return h.shifted.Sleep(ctx, d)
	}
	if h.enough() {
		return context.Canceled
	}
	h.advance(d)
	return ctx.Err()
}

// Nothing but the sweeper of ringonce lambda-runtime moves the held calls on: no hints are configured, and no delivery comes again.
func TestHeldCallsOnSQLiteAreWokenByTheSweeperOfTheProcess(t *testing.T) {
	t.Parallel()
	d := twoHeld(t)
	var waits atomic.Int64
	clock := hurried{d.clock, connect.DefaultTimeout, func() bool { return d.telephone.RingCount() == 2 || waits.Add(1) > 1000 }}
	e := d.environment(clock)
	a, err := e.open(t.Context(), opening{service: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	<-startSweeper(t.Context(), a, slog.New(slog.DiscardHandler))
	if n := d.telephone.RingCount(); n != 2 {
		t.Errorf("%d rings after %d sweeps", n, waits.Load())
	}
	rows, _, err := a.Store.Index.List(t.Context(), call.Filter{})
	if err != nil || len(rows) != 2 || rows[0].State != call.Placed || rows[1].State != call.Placed {
		t.Errorf("%+v, %v", rows, err)
	}
}
