package connectemu

import (
	"context"
	"sync"
	"time"
)

// RunningClock is a [Mover] that runs as the machine's clock does, from wherever it was moved to. It is safe for concurrent use; make
// one with [NewRunningClock]. A client that signs with the time of its own machine is refused as stale once the clock was moved by
// more than the signature window, as it would be by the service: move the client's clock as well, or switch the window off.
type RunningClock struct {
	mu    sync.Mutex
	ahead time.Duration // of the machine's clock
	moved chan struct{} // closed by the next move
}

// NewRunningClock returns a clock that shows the machine's time until it is moved.
func NewRunningClock() *RunningClock { return &RunningClock{moved: make(chan struct{})} }

// Now returns the time of this clock in UTC.
func (c *RunningClock) Now() time.Time {
	now, _ := c.read()
	return now
}

// Advance moves the clock by d and wakes every sleeper whose time has come.
func (c *RunningClock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead += d
	close(c.moved)
	c.moved = make(chan struct{})
}

// Sleep blocks until d has passed on this clock, by itself or by moves, or until ctx ends.
func (c *RunningClock) Sleep(ctx context.Context, d time.Duration) error {
	now, moved := c.read()
	for until := now.Add(d); until.After(now); now, moved = c.read() {
		timer := time.NewTimer(until.Sub(now))
		select {
		case <-timer.C:
		case <-moved:
		case <-ctx.Done():
		}
		timer.Stop()
		if ctx.Err() != nil {
			break
		}
	}
	return ctx.Err()
}

// read returns the time and what is closed when the clock is moved.
func (c *RunningClock) read() (now time.Time, moved <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return WallClock{}.Now().Add(c.ahead), c.moved
}
