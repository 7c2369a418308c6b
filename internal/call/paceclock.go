package call

import (
	"sync/atomic"
	"time"
)

// PaceClock is how one process tells one bucket the time: by its own clock, set forward as far as needed not to stand before an instant at which a
// slot was taken already. The zero value is set forward by nothing. It is safe for concurrent use.
//
// Nobody waits for a clock that was wrong. One that was set back, also while the process did not run, goes on from the latest slot: the bucket loses
// what it gained since then, and gains nothing twice. Beside a process whose clock is ahead all follow that clock, so that a second fills the bucket
// by a second, whoever asks.
type PaceClock struct{ forward atomic.Int64 }

// read returns the instant that a bucket is told for one of the process.
func (c *PaceClock) read(b *Bucket, at time.Time) time.Time {
	newest := b.Told
	if newest.IsZero() && len(b.Takes) > 0 {
		newest = b.Takes[len(b.Takes)-1].At
	}
	for {
		forward := c.forward.Load()
		needed := max(forward, int64(newest.Sub(at)))
		if needed == forward || c.forward.CompareAndSwap(forward, needed) {
			return at.Add(time.Duration(needed))
		}
	}
}
