package httpapi

import (
	"context"
	"sync"

	"github.com/ringonce/ringonce/internal/call"
)

// mostRemembered bounds the answers that are kept in memory.
const mostRemembered = 10_000

// remembered keeps answers in the memory of this process, for ledgers without cells. When it is full the one that expires first is dropped:
// its key is answered anew, by the call it made.
type remembered struct {
	mu    sync.Mutex
	cells map[string]call.Cell
}

// Cell implements answers.
func (m *remembered) Cell(_ context.Context, name string) (call.Cell, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c, ok := m.cells[name]; ok {
		return c, nil
	}
	return call.Cell{Name: name}, nil
}

// SetCell implements answers.
func (m *remembered) SetCell(_ context.Context, c call.Cell) (call.Cell, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if now := m.cells[c.Name]; now.Version != c.Version-1 {
		return now, false, nil
	}
	if _, known := m.cells[c.Name]; !known && len(m.cells) >= mostRemembered {
		m.dropOldest()
	}
	m.cells[c.Name] = c
	return c, true, nil
}

func (m *remembered) dropOldest() {
	oldest := ""
	for name, c := range m.cells {
		if oldest == "" || c.Expires.Before(m.cells[oldest].Expires) {
			oldest = name
		}
	}
	delete(m.cells, oldest)
}
