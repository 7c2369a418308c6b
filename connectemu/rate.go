package connectemu

import "time"

// bucket is a token bucket on the emulator's clock. The zero bucket is full.
type bucket struct {
	used float64
	last time.Time
}

// take takes one token and reports whether there was one. A clock that goes back refills nothing.
func (b *bucket) take(rate Rate, now time.Time) bool {
	if rate.PerSecond < 0 {
		return true
	}
	if passed := now.Sub(b.last); passed > 0 {
		b.used = max(0, b.used-passed.Seconds()*rate.PerSecond)
		b.last = now
	}
	// A refill that is due may be short of a whole token by the rounding of seconds to binary fractions.
	const rounding = 1e-9
	if b.used+1 > float64(rate.Burst)+rounding {
		return false
	}
	b.used++
	return true
}
