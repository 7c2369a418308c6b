package app

import (
	"context"
	"time"
)

// SystemClock is the clock of a process that runs for real. Its readings carry no monotonic part, so that a stored time equals the
// time that was stored.
type SystemClock struct{}

// Now returns the wall clock in UTC.
func (SystemClock) Now() time.Time { return time.Now().UTC().Round(0) }

// Monotonic returns an instant that is good for its distance from others of this process, which stays right when the wall clock is set.
func (SystemClock) Monotonic() time.Time { return time.Now() }

// Sleep waits for d or until the context ends.
func (SystemClock) Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
