package sim

import (
	"sync"
	"time"
)

// moments hands out instants, each once. What wakes at one instant the runtime wakes in any order, and a life with two such sleepers would not repeat
// itself.
type moments struct {
	mu    sync.Mutex
	taken map[int64]bool // Unix nanoseconds
}

// alone returns the first instant from at on that nobody else has.
func (m *moments) alone(at time.Time) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.taken == nil {
		m.taken = map[int64]bool{}
	}
	for m.taken[at.UnixNano()] {
		at = at.Add(1)
	}
	m.taken[at.UnixNano()] = true
	return at
}
