package memory

import (
	"context"
	"slices"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// firstTexts is how many suppressions of a row the setting "first-20" keeps with their text (protocol.md section 8).
const firstTexts = 20

// notes is what the journal kept of one row.
type notes struct {
	suppressed int
	texts      int // kept suppressions
	kept       []call.Note
	places     []int // of those kept, in store.noted
}

// Note implements [call.Journal].
func (l *Ledger) Note(ctx context.Context, n call.Note) error {
	if err := l.usable(ctx); err != nil {
		return err
	}
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	if r, exists := l.store.rows[n.RowID]; exists && r.call.IsForgotten() {
		return nil
	}
	of := l.store.notes[n.RowID]
	if of == nil {
		of = &notes{}
		l.store.notes[n.RowID] = of
	}
	switch n.Kind {
	case call.NoteSuppressed:
		of.suppressed++
		if !l.keepsText(of.texts) {
			return nil
		}
		of.texts++
	case call.NoteConflict:
		if of.knows(n.Fingerprint) {
			return nil
		}
	case call.NoteRefused:
	}
	of.kept, of.places = append(of.kept, n), append(of.places, len(l.store.noted))
	l.store.noted = append(l.store.noted, n.RowID)
	return nil
}

func (n *notes) knows(fingerprint string) bool {
	return slices.ContainsFunc(n.kept, func(kept call.Note) bool {
		return kept.Kind == call.NoteConflict && kept.Fingerprint == fingerprint
	})
}

func (l *Ledger) keepsText(already int) bool {
	switch l.options.Suppressions {
	case "all":
		return true
	case "off":
		return false
	default:
		return already < firstTexts
	}
}

// Notes implements [call.Journal].
func (l *Ledger) Notes(ctx context.Context, id string) (call.Notes, error) {
	if err := l.usable(ctx); err != nil {
		return call.Notes{}, err
	}
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	of := l.store.notes[id]
	if of == nil {
		return call.Notes{}, nil
	}
	return call.Notes{Suppressed: of.suppressed, Kept: slices.Clone(of.kept)}, nil
}

// Beat implements [call.Journal].
func (l *Ledger) Beat(ctx context.Context, at time.Time) error {
	if err := l.usable(ctx); err != nil {
		return err
	}
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	if call.BeatCounts(at, l.store.beat) {
		l.store.beat = at
	}
	return nil
}

// LastBeat implements [call.Journal].
func (l *Ledger) LastBeat(ctx context.Context) (time.Time, error) {
	if err := l.usable(ctx); err != nil {
		return time.Time{}, err
	}
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	return l.store.beat, nil
}

// Flush waits until every note given so far can be read. Here they can at once.
func (l *Ledger) Flush(ctx context.Context) error { return l.usable(ctx) }
