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
	// Return gives back, at the instant now, a slot that was taken by the Reserve at the instant taken and will not be used.
	Return(name string, taken, now time.Time)
}

// Pace is a Pacer for one process: a virtual-scheduling token bucket for each name. It is safe for concurrent use.
type Pace struct {
	interval time.Duration
	burst    int

	mu      sync.Mutex
	buckets map[string]*bucket
}

// bucket is the state of one name.
type bucket struct {
	next  time.Time // theoretical time of the next slot at an empty bucket; not after now means a full bucket
	takes []take    // the latest ones, oldest first
}

// take is one slot that was taken, and how far from full the bucket is at the instant for which it was taken, after the wait.
type take struct {
	at      time.Time
	missing time.Duration
}

// keptTakes is how many takes a bucket remembers. A slot that is older than all of them is not given back.
const keptTakes = 64

// NewPace returns a pacer of perSecond dials with the given burst. A perSecond of zero or less paces nothing.
func NewPace(perSecond float64, burst int) *Pace {
	p := &Pace{burst: max(burst, 1), buckets: map[string]*bucket{}}
	if perSecond > 0 {
		p.interval = time.Duration(float64(time.Second) / perSecond)
	}
	return p
}

// Reserve implements [Pacer].
func (p *Pace) Reserve(name string, now time.Time, patience time.Duration) (time.Duration, bool) {
	if p.interval == 0 {
		return 0, true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.buckets[name]
	if b == nil {
		b = &bucket{}
		p.buckets[name] = b
	}
	missing := b.missing(now)
	wait := max(missing-time.Duration(p.burst-1)*p.interval, 0)
	if wait > patience {
		return wait, false
	}
	b.next = now.Add(missing + p.interval)
	if len(b.takes) == keptTakes {
		b.takes = append(b.takes[:0], b.takes[1:]...)
	}
	b.takes = append(b.takes, take{at: now, missing: missing - wait})
	return wait, true
}

// missing returns how far the bucket is from full, as the time that filling it takes.
func (b *bucket) missing(now time.Time) time.Duration {
	if !b.next.After(now) {
		return 0
	}
	return b.next.Sub(now)
}

// Return implements [Pacer]. The bucket is then as if the slot had never been taken, so it gets back only what time has not refilled since:
// nothing when it was full again meanwhile, as it holds no more than its burst. Who was told to wait still waits, and is counted when the wait ends.
func (p *Pace) Return(name string, taken, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.buckets[name]
	if b == nil {
		return
	}
	own := slices.IndexFunc(b.takes, func(t take) bool { return t.at.Equal(taken) })
	if own < 0 {
		return
	}
	later := b.takes[own+1:]
	back := min(p.interval, b.missing(now))
	for _, t := range later {
		back = min(back, t.missing)
	}
	for i := range later {
		later[i].missing -= back
	}
	b.takes = slices.Delete(b.takes, own, own+1)
	b.next = b.next.Add(-back)
}
