package ledgertest

import (
	"context"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// Cell implements [call.Cells] for a ledger that has them.
func (l *Lossy) Cell(ctx context.Context, name string) (call.Cell, error) {
	cells, ok := l.Ledger.(call.Cells)
	if !ok {
		return call.Cell{}, errNoCells
	}
	return cells.Cell(ctx, name)
}

// cellAnswer is what a SetCell answers beside its error.
type cellAnswer struct {
	now call.Cell
	ok  bool
}

// SetCell implements [call.Cells] for a ledger that has them.
func (l *Lossy) SetCell(ctx context.Context, c call.Cell) (call.Cell, bool, error) {
	cells, ok := l.Ledger.(call.Cells)
	if !ok {
		return call.Cell{}, false, errNoCells
	}
	a, err := suffer(ctx, l, func(ctx context.Context) (a cellAnswer, err error) {
		a.now, a.ok, err = cells.SetCell(ctx, c)
		return a, err
	})
	return a.now, a.ok, err
}

// ListCells implements [call.Cells] for a ledger that has them.
func (l *Lossy) ListCells(ctx context.Context, prefix, after string, limit int) ([]call.Cell, error) {
	cells, ok := l.Ledger.(call.Cells)
	if !ok {
		return nil, errNoCells
	}
	return cells.ListCells(ctx, prefix, after, limit)
}

// PruneCells implements [call.Cells] for a ledger that has them.
func (l *Lossy) PruneCells(ctx context.Context, now time.Time, limit int) (int, error) {
	cells, ok := l.Ledger.(call.Cells)
	if !ok {
		return 0, errNoCells
	}
	return suffer(ctx, l, func(ctx context.Context) (int, error) { return cells.PruneCells(ctx, now, limit) })
}
