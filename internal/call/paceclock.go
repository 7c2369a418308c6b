package call

import (
	"sync/atomic"
	"time"
)

// lateReading is how much older than the latest slot an instant may be because whoever read it was late: other processes took slots before it came to the
// bucket. It is more than a shared bucket is waited for.
const lateReading = 10 * time.Second

// PaceClock is how one process tells one bucket the time: by its own clock, set forward to the latest slot where that was set back by more than a late
// reading explains. The zero value is set forward by nothing. It is safe for concurrent use.
//
// Nobody waits long for a clock that was wrong. One that was set back, also while the process did not run, goes on from the latest slot: the bucket loses
// what it gained since then, and gains nothing twice. Beside a process whose clock is far ahead all follow that clock, so that a second fills the bucket
// by a second, whoever asks. A late reading sets nothing forward: each would fill the bucket a little, for ever.
type PaceClock struct{ forward atomic.Int64 }

// read returns the instant that a bucket is told for one of the process.
func (c *PaceClock) read(b *Bucket, at time.Time) time.Time {
	newest := b.Told
	if newest.IsZero() && len(b.Takes) > 0 {
		newest = b.Takes[len(b.Takes)-1].At
	}
	for {
		forward := c.forward.Load()
		now := at.Add(time.Duration(forward))
		behind := newest.Sub(now)
		if behind <= lateReading {
			return now
		}
		if c.forward.CompareAndSwap(forward, forward+int64(behind)) {
			return newest
		}
	}
}
