package lambda

import (
	"context"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// limit is how long an invocation may work. Its end lies a margin before the Lambda deadline: a dial that is cut off there is
// recorded and answered while there is still time to say so.
type limit struct {
	ctx     context.Context
	clock   call.Clock
	end     time.Time
	limited bool
	reserve time.Duration
}

func (h *Handler) limit(ctx context.Context) (l limit, cancel context.CancelFunc) {
	l = limit{ctx: ctx, clock: h.Clock, reserve: h.Reserve}
	deadline, limited := ctx.Deadline()
	if !limited {
		return l, func() {}
	}
	l.end, l.limited = deadline.Add(-h.Margin), true
	l.ctx, cancel = context.WithDeadline(ctx, l.end)
	return l, cancel
}

// mayStart reports whether the time left is enough for one more dial and its record.
func (l limit) mayStart() bool {
	if l.ctx.Err() != nil {
		return false
	}
	return !l.limited || l.end.Sub(l.clock.Now()) >= l.reserve
}
