package demo

import (
	"context"
	"time"

	"github.com/ringonce/ringonce/connectemu"
)

// clock is the one clock of the demo, for the core, the dialer and the emulator. The demo moves it from delivery to delivery. A
// short wait of the core, for a pacing slot or a second try, passes at once; the dialer's time limit ends only when its request
// does, since nothing on loopback is slow.
type clock struct{ *connectemu.ManualClock }

const shortWait = 5 * time.Second

// Sleep implements call.Clock.
func (c clock) Sleep(ctx context.Context, d time.Duration) error {
	if d > shortWait {
		return c.ManualClock.Sleep(ctx, d)
	}
	c.Advance(d)
	return ctx.Err()
}
