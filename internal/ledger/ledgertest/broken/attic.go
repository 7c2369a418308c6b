package broken

import (
	"context"
	"errors"
	"sync"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/ledgertest"
)

// attic keeps what a sound ledger would have destroyed, over restarts.
type attic struct {
	memo    *memo
	mu      sync.Mutex
	entries map[string][]call.Entry
	rows    map[string]call.Call
	notes   map[string]call.Notes
}

// attic returns the one of a store.
func (m *memo) attic() *attic {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept == nil {
		m.kept = &attic{memo: m, entries: map[string][]call.Entry{}, rows: map[string]call.Call{}, notes: map[string]call.Notes{}}
	}
	return m.kept
}

// restarted reports whether the ledger was opened more than once.
func (a *attic) restarted() bool {
	a.memo.mu.Lock()
	defer a.memo.mu.Unlock()
	return a.memo.starts > 1
}

// put takes everything that the ledger still has of a row, once.
func (a *attic) put(ctx context.Context, l ledgertest.Ledger, id string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, known := a.rows[id]; known {
		return nil
	}
	row, err := l.Get(ctx, id)
	if err != nil {
		return nil // the sound ledger will say it
	}
	entries, err := l.History(ctx, id)
	notes, noteErr := l.Notes(ctx, id)
	a.rows[id], a.entries[id], a.notes[id] = row, entries, notes
	return errors.Join(err, noteErr)
}

func (a *attic) row(id string) (call.Call, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	c, known := a.rows[id]
	return c, known
}
