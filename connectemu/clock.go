package connectemu

import (
	"context"
	"time"
)

// Clock is the only source of time of the emulator. Implementations must be safe for concurrent use.
type Clock interface {
	// Now returns the present.
	Now() time.Time
	// Sleep returns nil once d has passed on this clock, or the context's error when the context ends first. A d of zero or
	// less returns at once.
	Sleep(ctx context.Context, d time.Duration) error
}

// Mover is a [Clock] that can be moved. The management handler moves the clock of the emulator only when it is one.
type Mover interface {
	Clock
	// Advance moves the clock by d and wakes every sleeper whose time has come.
	Advance(d time.Duration)
}

// WallClock is the clock of the machine. It works inside a testing/synctest bubble, where it becomes virtual.
type WallClock struct{}

// Now returns the machine's time in UTC.
func (WallClock) Now() time.Time { return time.Now().UTC() }

// Sleep waits for d on the machine's clock or until ctx ends, whichever is first.
func (WallClock) Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
