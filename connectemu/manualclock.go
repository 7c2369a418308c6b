package connectemu

import (
	"context"
	"sync"
	"time"
)

// ManualClock is a [Mover] that stands still until somebody moves it. It is safe for concurrent use; make one with
// [NewManualClock].
type ManualClock struct {
	mu       sync.Mutex
	now      time.Time
	sleepers map[*sleeper]struct{}
}

// sleeper is one goroutine inside Sleep.
type sleeper struct {
	until time.Time
	woken chan struct{}
}

// NewManualClock returns a clock that shows start, in UTC, until it is moved.
func NewManualClock(start time.Time) *ManualClock {
	return &ManualClock{now: start.UTC(), sleepers: make(map[*sleeper]struct{})}
}

// Now returns the time the clock was last moved to.
func (c *ManualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock by d and wakes every sleeper whose time has come. A negative d moves it back, which wakes nobody.
func (c *ManualClock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.setLocked(c.now.Add(d))
}

// Set moves the clock to t, forward or back, and wakes every sleeper whose time has come.
func (c *ManualClock) Set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.setLocked(t.UTC())
}

func (c *ManualClock) setLocked(t time.Time) {
	c.now = t
	for s := range c.sleepers {
		if !s.until.After(t) {
			close(s.woken)
			delete(c.sleepers, s)
		}
	}
}

// Sleep blocks until the clock has been moved by d, or until ctx ends.
func (c *ManualClock) Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	c.mu.Lock()
	s := &sleeper{until: c.now.Add(d), woken: make(chan struct{})}
	c.sleepers[s] = struct{}{}
	c.mu.Unlock()
	select {
	case <-s.woken:
		return nil
	case <-ctx.Done():
		c.mu.Lock()
		delete(c.sleepers, s)
		c.mu.Unlock()
		return ctx.Err()
	}
}

// Sleepers returns how many goroutines are inside Sleep: a test polls it before it moves the clock.
func (c *ManualClock) Sleepers() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.sleepers)
}
