package rules

import (
	"context"
	"sync"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// switchesAge is how old the switches may be that a dial is decided by: a pause acts within a second with what a dial takes.
const switchesAge = 500 * time.Millisecond

// board is the switches as this process read them last. It is safe for concurrent use.
type board struct {
	cells call.Cells

	mu      sync.Mutex
	read    time.Time // zero: never
	now     Switches
	resumes int64
	asked   bool
}

// switches returns what is paused, as it was switchesAge before now or later.
func (b *board) switches(ctx context.Context, now time.Time) (Switches, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if age := now.Sub(b.read); !b.read.IsZero() && age >= 0 && age < switchesAge {
		return b.now, nil
	}
	s, err := ReadSwitches(ctx, b.cells)
	if err != nil {
		return Switches{}, err
	}
	b.now, b.read = s, now
	return s, nil
}

// forget lets the next question read the switches again.
func (b *board) forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.read = time.Time{}
}

// resumed reports whether something was resumed since it was asked last. A process begins with a look at all parked calls anyway.
func (b *board) resumed(ctx context.Context, now time.Time) bool {
	s, err := b.switches(ctx, now)
	if err != nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	changed := b.asked && b.resumes != s.Resumes
	b.resumes, b.asked = s.Resumes, true
	return changed
}
