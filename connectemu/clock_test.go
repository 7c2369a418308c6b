package connectemu_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringonce/ringonce/connectemu"
)

func TestManualClockWakesSleepersInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		clock := connectemu.NewManualClock(epoch)
		woken := make(chan time.Duration, 3)
		for _, d := range []time.Duration{time.Second, time.Minute, 0} {
			go func() {
				if err := clock.Sleep(t.Context(), d); err != nil {
					t.Errorf("sleep: %v", err)
				}
				woken <- d
			}()
		}
		synctest.Wait()
		if d := <-woken; d != 0 || clock.Sleepers() != 2 {
			t.Errorf("woken %v, %d sleep", d, clock.Sleepers())
		}
		clock.Advance(time.Second - 1)
		clock.Advance(-time.Minute)
		synctest.Wait()
		if clock.Sleepers() != 2 {
			t.Error("somebody woke too early")
		}
		clock.Set(epoch.Add(time.Second))
		if d := <-woken; d != time.Second {
			t.Errorf("woken %v", d)
		}
		clock.Advance(time.Hour)
		if d := <-woken; d != time.Minute {
			t.Errorf("woken %v", d)
		}
	})
}

func TestClocksStopSleepingWithTheContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		manual := connectemu.NewManualClock(epoch)
		for _, clock := range []connectemu.Clock{manual, connectemu.NewRunningClock(), connectemu.WallClock{}} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			if err := clock.Sleep(ctx, time.Hour); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%T: got %v", clock, err)
			}
			cancel()
		}
		if manual.Sleepers() != 0 {
			t.Error("a sleeper was left behind")
		}
		before := connectemu.WallClock{}.Now()
		if err := (connectemu.WallClock{}).Sleep(t.Context(), time.Hour); err != nil {
			t.Error(err)
		}
		if passed := (connectemu.WallClock{}).Now().Sub(before); passed != time.Hour {
			t.Errorf("slept %v", passed)
		}
	})
}

func TestARunningClockRunsAndCanBeMoved(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		clock, start := connectemu.NewRunningClock(), time.Now()
		woken := make(chan time.Duration)
		go func() {
			if err := clock.Sleep(t.Context(), 8*24*time.Hour); err != nil {
				t.Errorf("sleep: %v", err)
			}
			woken <- time.Since(start)
		}()
		time.Sleep(time.Minute)
		clock.Advance(24 * time.Hour)
		synctest.Wait()
		clock.Advance(6 * 24 * time.Hour)
		if got := clock.Now().Sub(start); got != 7*24*time.Hour+time.Minute {
			t.Errorf("the clock is %v ahead of its start", got)
		}
		if waited := <-woken; waited != 24*time.Hour {
			t.Errorf("8 days of which 7 were skipped took %v", waited)
		}
	})
}
