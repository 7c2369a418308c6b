package access

import (
	"math"
	"sync"
	"time"
)

// mostBuckets bounds how many names are counted apart. Whoever comes when it is full shares one bucket with the others that came late.
const mostBuckets = 10_000

// overflow is no name that anything else has.
const overflow = "\x00"

// buckets are token buckets by name, in this process only: several processes of one service give each producer so many times its rate.
type buckets struct {
	mu  sync.Mutex
	all map[string]*bucket
}

type bucket struct {
	tokens float64
	at     time.Time
	rate   Rate
}

// take takes one token, or says how long until there is one.
func (b *buckets) take(name string, r Rate, now time.Time) (wait time.Duration, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.of(name, r, now).take()
}

// spent reports whether take would take nothing.
func (b *buckets) spent(name string, r Rate, now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.of(name, r, now).wait() > 0
}

func (b *buckets) of(name string, r Rate, now time.Time) *bucket {
	one, known := b.all[name]
	if !known {
		if b.all == nil {
			b.all = map[string]*bucket{}
		}
		if len(b.all) >= mostBuckets {
			b.forget(now)
		}
		if len(b.all) >= mostBuckets {
			name = overflow
			one = b.all[name]
		}
		if one == nil {
			one = &bucket{tokens: float64(r.Burst), at: now}
			b.all[name] = one
		}
	}
	one.rate = r
	one.fill(now)
	return one
}

// forget drops those that are full again: a new one is the same.
func (b *buckets) forget(now time.Time) {
	for name, one := range b.all {
		if one.fill(now); one.tokens >= float64(one.rate.Burst) {
			delete(b.all, name)
		}
	}
}

func (b *bucket) fill(now time.Time) {
	if passed := now.Sub(b.at); passed > 0 { // a clock that went back fills nothing
		b.tokens = math.Min(float64(b.rate.Burst), b.tokens+passed.Seconds()*b.rate.PerSecond)
		b.at = now
	}
}

func (b *bucket) take() (time.Duration, bool) {
	if b.tokens < 1 {
		return b.wait(), false
	}
	b.tokens--
	return 0, true
}

func (b *bucket) wait() time.Duration {
	if b.tokens >= 1 {
		return 0
	}
	return time.Duration((1 - b.tokens) / b.rate.PerSecond * float64(time.Second))
}
