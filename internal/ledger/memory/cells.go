package memory

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// Cell implements [call.Cells].
func (l *Ledger) Cell(ctx context.Context, name string) (call.Cell, error) {
	if err := cmp.Or(l.usable(ctx), call.CheckCellName(name)); err != nil {
		return call.Cell{}, err
	}
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	return l.store.cell(name), nil
}

// cell returns a copy, for a caller that holds the lock.
func (s *store) cell(name string) call.Cell {
	c := s.cells[name]
	c.Name, c.Data = name, bytes.Clone(c.Data)
	return c
}

// SetCell implements [call.Cells].
func (l *Ledger) SetCell(ctx context.Context, c call.Cell) (now call.Cell, ok bool, err error) {
	if err := cmp.Or(l.usable(ctx), c.Check()); err != nil {
		return call.Cell{}, false, err
	}
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	if l.store.cells[c.Name].Version != c.Version-1 {
		return l.store.cell(c.Name), false, nil
	}
	c.Data = bytes.Clone(c.Data)
	l.store.cells[c.Name] = c
	return l.store.cell(c.Name), true, nil
}

// ListCells implements [call.Cells].
func (l *Ledger) ListCells(ctx context.Context, prefix, after string, limit int) ([]call.Cell, error) {
	if err := cmp.Or(l.usable(ctx), call.CheckCellPart(prefix), call.CheckCellPart(after)); err != nil {
		return nil, err
	}
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	var found []call.Cell
	for name := range l.store.cells {
		if strings.HasPrefix(name, prefix) && name > after {
			found = append(found, call.Cell{Name: name})
		}
	}
	slices.SortFunc(found, func(a, b call.Cell) int { return cmp.Compare(a.Name, b.Name) })
	found = found[:min(len(found), max(limit, 0))]
	for i := range found {
		found[i] = l.store.cell(found[i].Name)
	}
	return found, nil
}

// PruneCells implements [call.Cells].
func (l *Ledger) PruneCells(ctx context.Context, now time.Time, limit int) (removed int, err error) {
	if err := l.usable(ctx); err != nil {
		return 0, err
	}
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	for name, c := range l.store.cells {
		if removed < limit && !c.Expires.IsZero() && c.Expires.Before(now) {
			delete(l.store.cells, name)
			removed++
		}
	}
	return removed, nil
}
