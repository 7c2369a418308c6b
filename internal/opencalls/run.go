package opencalls

import (
	"context"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// seldom keeps looks apart: what a look takes, times this, passes before the next one, so that looks never take more than a tenth of the time.
const seldom = 9

// Run looks at once and then every so often until ctx ends, and tells of looks that failed.
func (c *Counter) Run(ctx context.Context, clock call.Clock, every time.Duration, failed func(error)) {
	for ctx.Err() == nil {
		began := clock.Now()
		if err := c.Look(ctx); err != nil && ctx.Err() == nil {
			failed(err)
		}
		if clock.Sleep(ctx, max(every, seldom*clock.Now().Sub(began))) != nil {
			return
		}
	}
}
