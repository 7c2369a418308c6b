package call

import (
	"context"
	"errors"
	"time"
)

// shadow is a ledger over another one: it reads through and keeps every write for itself.
type shadow struct {
	Ledger
	Journal

	rows   map[string]Call   // written here
	fresh  map[string]bool   // created here
	tokens map[string]string // owner of every token that was written here
}

func newShadow(l Ledger, j Journal) *shadow {
	return &shadow{Ledger: l, Journal: j, rows: map[string]Call{}, fresh: map[string]bool{}, tokens: map[string]string{}}
}

// Create implements [Ledger]. A token that only the ledger beneath knows is not noticed: its port cannot be asked for one.
func (s *shadow) Create(ctx context.Context, w Write) (Written, error) {
	row, err := s.Get(ctx, w.Row.ID)
	switch {
	case err == nil:
		return Written{Row: row}, nil
	case !errors.Is(err, ErrNotFound):
		return Written{}, err
	}
	written, err := s.keep(w)
	s.fresh[w.Row.ID] = err == nil
	return written, err
}

// Get implements [Ledger].
func (s *shadow) Get(ctx context.Context, id string) (Call, error) {
	if row, ok := s.rows[id]; ok {
		return row, nil
	}
	return s.Ledger.Get(ctx, id)
}

// Update implements [Ledger].
func (s *shadow) Update(ctx context.Context, w Write) (Written, error) {
	row, err := s.Get(ctx, w.Row.ID)
	if err != nil {
		return Written{}, err
	}
	if row.Version != w.Row.Version-1 {
		return Written{Row: row}, nil
	}
	return s.keep(w)
}

func (s *shadow) keep(w Write) (Written, error) {
	if token := w.Row.Token; token != "" {
		if owner, taken := s.tokens[token]; taken && owner != w.Row.ID {
			return Written{}, ErrTokenTaken
		}
		s.tokens[token] = w.Row.ID
	}
	s.rows[w.Row.ID] = w.Row
	return Written{Applied: true, Row: w.Row}, nil
}

// Note implements [Journal]: nothing is kept.
func (*shadow) Note(context.Context, Note) error { return nil }

// Beat implements [Journal]: nothing is kept.
func (*shadow) Beat(context.Context, time.Time) error { return nil }
