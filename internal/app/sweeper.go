package app

import (
	"context"
	"log/slog"
	"math"
	"sync"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// sweeper is the sweeping of a process that lives.
type sweeper struct {
	mu      sync.Mutex
	lanes   *call.Lanes        // nil while nothing runs
	wake    context.CancelFunc // ends the rest that lasts; nil during a pass
	until   time.Time          // when it ends by itself
	soonest time.Time          // the earliest due that was written since the last rest ended
	swept   time.Time          // when the last sweep ended without an error, by App.instant; zero before the first
}

// The lanes of a bucket: enough for dials that take some seconds at the configured pace, and few enough that what waits in them for slots does not
// keep a delivery from its own for longer than that.
const (
	lanesTime  = 4 // seconds of the pace
	leastLanes = 4
	mostLanes  = 512
)

func (c *Config) lanes() int {
	return min(max(int(math.Ceil(c.PacePerSecond()*lanesTime)), leastLanes), mostLanes)
}

// RunSweeper sweeps every sweep.every, and between two sweeps moves on what comes due, until ctx ends and what it began has ended. The first sweep comes
// at once: it leaves the heartbeat that lets unfinished calls be acknowledged, and merges what an earlier process could not write. Dials that run when ctx ends have serve.drain. It needs
// a ledger.
func (a *App) RunSweeper(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	lanes := call.NewLanes(a.Engine, a.Config.lanes(), func(lane func(context.Context)) { running.Go(func() { lane(lasting(ctx)) }) })
	a.sweeper.use(lanes)
	defer a.sweeper.use(nil)
	every := a.Config.SweepEvery()
	var next time.Time
	for ctx.Err() == nil {
		now := a.Clock.Now()
		var more bool
		var err error
		if now.Before(next) && next.Sub(now) <= every { // a clock may be set back
			more, err = lanes.Pass(ctx, a.Config.SweepLimit())
		} else {
			next = now.Add(every)
			more = a.sweepOnce(ctx)
		}
		if err != nil && ctx.Err() == nil {
			a.Observer.log.ErrorContext(ctx, "sweep", slog.String("error", err.Error()))
		}
		if more && err == nil {
			continue
		}
		if a.rest(ctx, lanes.Rest(ctx, max(next.Sub(a.Clock.Now()), 0))) != nil {
			return
		}
	}
}

// sweepOnce is one sweep with what it logs, and reports whether it found as much as it may take.
func (a *App) sweepOnce(ctx context.Context) (more bool) {
	swept, err := a.Sweep(ctx)
	if err != nil && ctx.Err() == nil {
		a.Observer.log.ErrorContext(ctx, "sweep", slog.String("error", err.Error()))
	}
	if err == nil {
		a.sweeper.ended(a.instant())
	}
	if swept.Failed > 0 {
		a.Observer.log.ErrorContext(ctx, "sweep", slog.Int("due", swept.Due), slog.Int("failed", swept.Failed))
	}
	return err == nil
}

// SweptWithin reports whether a sweep of this process's own sweeper ended without an error at most d ago. It asks no ledger: the heartbeats that lie
// there are those of every process, by clocks that may be wrong.
func (a *App) SweptWithin(d time.Duration) bool {
	a.sweeper.mu.Lock()
	last := a.sweeper.swept
	a.sweeper.mu.Unlock()
	ago := a.instant().Sub(last)
	return !last.IsZero() && ago >= 0 && ago <= d
}

// instant is for distances within this process. A clock that cannot tell one has no other than the time of day.
func (a *App) instant() time.Time {
	if c, ok := a.Clock.(interface{ Monotonic() time.Time }); ok {
		return c.Monotonic()
	}
	return a.Clock.Now()
}

func (s *sweeper) ended(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.swept = at
}

// rest waits for the next pass: for d, or until a moment before something is due that was written since the pass before began, but a moment in any case.
func (a *App) rest(ctx context.Context, d time.Duration) error {
	least := min(d, call.LanesBusy)
	resting, wake := context.WithCancel(ctx)
	defer wake()
	a.sweeper.rests(wake, a.Clock.Now().Add(d))
	defer a.sweeper.wakes()
	if err := a.Clock.Sleep(ctx, least); err != nil || d == least {
		return err
	}
	if err := a.Clock.Sleep(resting, d-least); err != nil && resting.Err() == nil {
		return err
	}
	return ctx.Err()
}

func (s *sweeper) use(lanes *call.Lanes) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lanes = lanes
}

// rests begins a rest.
func (s *sweeper) rests(wake context.CancelFunc, until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wake, s.until = wake, until
	s.endSooner()
}

// wakes ends it, and with it what is known of the pass before.
func (s *sweeper) wakes() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wake, s.soonest = nil, time.Time{}
}

// waits is call.Config.Waits: what is due before the rest ends, ends it.
func (s *sweeper) waits(due time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.soonest.IsZero() || due.Before(s.soonest) {
		s.soonest = due
	}
	s.endSooner()
}

func (s *sweeper) endSooner() {
	if s.wake != nil && !s.soonest.IsZero() && s.soonest.Before(s.until) {
		s.wake()
		s.wake = nil
	}
}

// sweep sweeps by the lanes of this process where it has them.
func (a *App) sweep(ctx context.Context) (call.Swept, error) {
	a.sweeper.mu.Lock()
	lanes := a.sweeper.lanes
	a.sweeper.mu.Unlock()
	if lanes != nil {
		return lanes.Sweep(ctx, a.Config.SweepLimit())
	}
	return a.Engine.Sweep(ctx, a.Config.SweepLimit())
}
