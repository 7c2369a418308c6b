package app_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringonce/ringonce/internal/app"
)

// setClock is the clock of a machine that is set while a process runs.
type setClock struct {
	app.SystemClock

	ahead *atomic.Int64
}

func (c setClock) Now() time.Time { return c.SystemClock.Now().Add(time.Duration(c.ahead.Load())) }

// TestTheAgeOfTheLastSweepFollowsNoClockThatIsSet sets the clock ahead and back by hours, with a sweeper that runs and after it has ended.
func TestTheAgeOfTheLastSweepFollowsNoClockThatIsSet(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := drain(t, pool{pace: 10})
		defer d.end()
		a := d.apps[0]
		clock := setClock{ahead: &atomic.Int64{}}
		other := d.open(9)
		other.Clock = clock
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { other.RunSweeper(ctx) })
		synctest.Wait()
		within := 3 * a.Config.SweepEvery()
		for _, by := range []time.Duration{0, 3 * time.Hour, -3 * time.Hour} {
			clock.ahead.Store(int64(by))
			time.Sleep(time.Second)
			if !other.SweptWithin(within) {
				t.Errorf("no sweep, with a clock that was set by %s while the sweeper runs", by)
			}
		}
		stop()
		running.Wait()
		time.Sleep(within + time.Second)
		for _, by := range []time.Duration{0, 3 * time.Hour, -3 * time.Hour} {
			clock.ahead.Store(int64(by))
			if other.SweptWithin(within) {
				t.Errorf("a sweep, with a clock that was set by %s after the sweeper ended", by)
			}
		}
		if !a.SweptWithin(within) {
			t.Error("the other process sweeps")
		}
		if err := other.Close(); err != nil {
			t.Error(err)
		}
	})
}
