package memory

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/ringonce/ringonce/internal/call"
)

// ListNotes implements [call.Journal]. The cursor is the place of the last note of the page before, from 1.
func (l *Ledger) ListNotes(ctx context.Context, f call.NoteFilter) ([]call.RowNote, string, error) {
	if err := l.usable(ctx); err != nil {
		return nil, "", err
	}
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	from, err := position(f.Cursor, len(l.store.noted)+1, len(l.store.noted)+1)
	if err != nil {
		return nil, "", err
	}
	var page []call.RowNote
	for place := from - 2; place >= 0; place-- {
		n, ok := l.store.notedAt(place)
		switch {
		case !ok:
			continue
		case f.Ends(n.Note):
			return page, "", nil
		case !f.Has(n):
			continue
		}
		if page = append(page, n); len(page) == cmp.Or(max(f.Limit, 0), defaultPage) && place > 0 {
			return page, strconv.Itoa(place + 1), nil
		}
	}
	return page, "", nil
}

// notedAt returns the note at a place with its row; false when it was erased, or its row is not there.
func (s *store) notedAt(place int) (call.RowNote, bool) {
	of, r := s.notes[s.noted[place]], s.rows[s.noted[place]]
	if of == nil || r == nil {
		return call.RowNote{}, false
	}
	i, found := slices.BinarySearch(of.places, place)
	if !found {
		return call.RowNote{}, false
	}
	return call.RowNote{Note: of.kept[i], Row: r.call}, true
}
