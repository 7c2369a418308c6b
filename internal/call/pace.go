package call

import (
	"slices"
	"sync"
	"time"
)

// Pacer spaces requests. The buckets of Amazon Connect are per account, Region and operation: 2 per second and a burst of 5 for
// StartOutboundVoiceContact and StartTaskContact, 5 and 8 for StartChatContact (facts/amazon-connect.md section 3).
type Pacer interface {
	// Reserve takes the next slot of a bucket, which is a Region and, for other kinds than voice, the kind ("us-east-1 chat"). It takes it
	// if it begins within patience, and returns how long to wait for it. Otherwise it takes nothing and reports false with the wait that
	// would have been needed; with a negative patience always.
	Reserve(name string, now time.Time, patience time.Duration) (wait time.Duration, ok bool)
	// Return gives back, at the instant now, a slot that was taken and will not be used.
	Return(name string, taken PaceSlot, now time.Time)
}

// PaceSlot names a slot that was taken: the instant of its Reserve, and the wait that it answered. Slots with the same name are worth the same.
type PaceSlot struct {
	At   time.Time
	Wait time.Duration
}

// Pace is a Pacer for one process: a virtual-scheduling token bucket for each name. It is safe for concurrent use.
type Pace struct {
	rate Rate

	mu      sync.Mutex
	buckets map[string]*Bucket
	clocks  map[string]*PaceClock
	lines   map[string]*Line
}

// Rate is how fast a bucket fills, and how much it holds.
type Rate struct {
	Interval time.Duration // between two slots; zero paces nothing
	Burst    int           // at least 1
}

// NewRate returns the rate of perSecond dials with the given burst. A perSecond of zero or less paces nothing.
func NewRate(perSecond float64, burst int) Rate {
	r := Rate{Burst: max(burst, 1)}
	if perSecond > 0 {
		r.Interval = time.Duration(float64(time.Second) / perSecond)
	}
	return r
}

// Bucket is the state of one name: a value that can be kept anywhere. The zero value is full. Its instants are those of a [PaceClock].
type Bucket struct {
	Next  time.Time    `json:"next"`            // theoretical time of the next slot at an empty bucket; not after now means a full bucket
	Told  time.Time    `json:"told,omitzero"`   // when the latest slot was taken; zero in one that an older version wrote
	Takes []BucketTake `json:"takes,omitempty"` // the latest ones, oldest first
}

// BucketTake is one slot that was taken, and how far from full the bucket is at the instant for which it was taken, after the wait.
type BucketTake struct {
	At      time.Time     `json:"at"` // as PaceSlot.At
	Wait    time.Duration `json:"wait,omitempty"`
	Missing time.Duration `json:"missing"`
}

// keptTakes is how many takes a bucket remembers. A slot that is older than all of them is not given back.
const keptTakes = 64

// NewPace returns a pacer of perSecond dials with the given burst. A perSecond of zero or less paces nothing.
func NewPace(perSecond float64, burst int) *Pace {
	return &Pace{rate: NewRate(perSecond, burst), buckets: map[string]*Bucket{}, clocks: map[string]*PaceClock{}, lines: map[string]*Line{}}
}

// Reserve implements [Pacer].
func (p *Pace) Reserve(name string, now time.Time, patience time.Duration) (time.Duration, bool) {
	if p.rate.Interval == 0 {
		return 0, true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.buckets[name]
	if b == nil {
		b = &Bucket{}
		p.buckets[name], p.clocks[name] = b, &PaceClock{}
	}
	return b.Reserve(p.rate, p.clocks[name], now, patience)
}

// Return implements [Pacer].
func (p *Pace) Return(name string, taken PaceSlot, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if b := p.buckets[name]; b != nil {
		b.Return(p.rate, p.clocks[name], taken, now)
	}
}

// Reserve takes the next slot as [Pacer] says. The clock is that of the process for this bucket.
func (b *Bucket) Reserve(r Rate, clock *PaceClock, at time.Time, patience time.Duration) (wait time.Duration, ok bool) {
	if r.Interval == 0 {
		return 0, true
	}
	now := clock.read(b, at)
	missing := b.missing(now)
	wait = max(missing-time.Duration(r.Burst-1)*r.Interval, 0)
	if wait > patience {
		return wait, false
	}
	b.Next, b.Told = now.Add(missing+r.Interval), now
	if len(b.Takes) == keptTakes {
		b.Takes = append(b.Takes[:0], b.Takes[1:]...)
	}
	b.Takes = append(b.Takes, BucketTake{At: at, Wait: wait, Missing: missing - wait})
	return wait, true
}

// missing returns how far the bucket is from full, as the time that filling it takes.
func (b *Bucket) missing(now time.Time) time.Duration {
	if !b.Next.After(now) {
		return 0
	}
	return b.Next.Sub(now)
}

// Return gives a slot back and reports whether the bucket knew it. The bucket is then as if the slot had never been taken, so it gets back only
// what time has not refilled since: nothing when it was full again meanwhile, as it holds no more than its burst. Who was told to wait still
// waits, and is counted when the wait ends.
func (b *Bucket) Return(r Rate, clock *PaceClock, taken PaceSlot, at time.Time) bool {
	own := slices.IndexFunc(b.Takes, func(t BucketTake) bool { return t.At.Equal(taken.At) && t.Wait == taken.Wait })
	if own < 0 {
		return false
	}
	later := b.Takes[own+1:]
	back := min(r.Interval, b.missing(clock.read(b, at)))
	for _, t := range later {
		back = min(back, t.Missing)
	}
	for i := range later {
		later[i].Missing -= back
	}
	b.Takes = slices.Delete(b.Takes, own, own+1)
	b.Next = b.Next.Add(-back)
	return true
}
