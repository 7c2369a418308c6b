package app

import (
	"context"
	"errors"
	"sync"
	"time"
)

// drainTime is how long what runs may take after the end was asked for, unless serve.drain says otherwise.
const drainTime = 20 * time.Second

func (c *Config) drainTime() time.Duration { return orDefault(c.Serve.Drain, drainTime) }

// hintJobs is the end of the answers that this process gives to hints.
type hintJobs struct {
	hints Hints
	drain time.Duration

	ending context.Context //nolint:containedctx // it ends with the first call of end, and every sweep of a job with it
	begin  context.CancelFunc
	once   sync.Once
	ended  chan struct{}
	err    error // once ended
}

func newHintJobs(drain time.Duration) *hintJobs {
	j := &hintJobs{drain: drain, ended: make(chan struct{})}
	j.ending, j.begin = context.WithCancel(context.Background())
	return j
}

// sweeping returns the context of a sweep, which begins no more when the end begins: it may take minutes. The dial that runs is not cut off.
func (j *hintJobs) sweeping(ctx context.Context) (sweep context.Context, end context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(j.ending, cancel)
	if j.ending.Err() != nil { // the function may come a moment later
		cancel()
	}
	return lasting(ctx), func() {
		stop()
		cancel()
	}
}

// end lets no further job begin, and returns at once.
func (j *hintJobs) end() {
	j.once.Do(func() {
		j.begin()
		go func() {
			defer close(j.ended)
			ctx, cancel := context.WithTimeout(context.Background(), j.drain)
			defer cancel()
			j.err = j.hints.Drain(ctx)
		}()
	})
}

// stopHints ends the hints before the ledger under them is closed.
func (a *App) stopHints() error {
	if a.Hints == nil {
		return nil
	}
	a.jobs.end()
	a.notices.stop()
	<-a.jobs.ended
	hints := a.Hints
	a.Hints = nil
	return errors.Join(a.jobs.err, hints.Stop(context.Background()))
}
