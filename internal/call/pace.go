package call

import (
	"sync"
	"time"
)

// Pacer spaces requests. The buckets of Amazon Connect are per account, Region and operation: 2 per second and a burst of 5 for
// StartOutboundVoiceContact and StartTaskContact, 5 and 8 for StartChatContact (facts/amazon-connect.md section 3).
type Pacer interface {
	// Reserve takes the next slot of a bucket, which is a Region and, for other kinds than voice, the kind ("us-east-1 chat"). It takes it
	// if it begins within patience, and returns how long to wait for it. Otherwise it takes nothing and reports false with the wait that
	// would have been needed; with a negative patience always.
	Reserve(bucket string, now time.Time, patience time.Duration) (wait time.Duration, ok bool)
	// Return gives back a slot that was taken and will not be used.
	Return(bucket string)
}

// Pace is a Pacer for one process: a virtual-scheduling token bucket for each name. It is safe for concurrent use.
type Pace struct {
	interval time.Duration
	burst    int

	mu   sync.Mutex
	next map[string]time.Time // theoretical time of the next slot at an empty bucket
}

// NewPace returns a pacer of perSecond dials with the given burst. A perSecond of zero or less paces nothing.
func NewPace(perSecond float64, burst int) *Pace {
	p := &Pace{burst: max(burst, 1), next: map[string]time.Time{}}
	if perSecond > 0 {
		p.interval = time.Duration(float64(time.Second) / perSecond)
	}
	return p
}

// Reserve implements [Pacer].
func (p *Pace) Reserve(bucket string, now time.Time, patience time.Duration) (time.Duration, bool) {
	if p.interval == 0 {
		return 0, true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	next := p.next[bucket]
	if next.Before(now) {
		next = now
	}
	wait := max(next.Sub(now)-time.Duration(p.burst-1)*p.interval, 0)
	if wait > patience {
		return wait, false
	}
	p.next[bucket] = next.Add(p.interval)
	return wait, true
}

// Return implements [Pacer]. The bucket is then as if the slot had never been taken; who was told to wait meanwhile still waits.
func (p *Pace) Return(bucket string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next[bucket] = p.next[bucket].Add(-p.interval)
}
