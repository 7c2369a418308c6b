package app

import (
	"context"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// timedCells measures how long a ledger takes to answer for its cells, as timedLedger does for its rows.
type timedCells struct {
	inner call.Cells
	timer timedLedger
}

// timedBeside returns the cells with their time measured, and themselves where nobody asks.
func timedBeside(c call.Cells, m *Metrics) call.Cells {
	if m == nil || c == nil {
		return c
	}
	return timedCells{c, timedLedger{metrics: m}}
}

// Cell implements call.Cells.
func (t timedCells) Cell(ctx context.Context, name string) (call.Cell, error) {
	defer t.timer.begin()()
	return t.inner.Cell(ctx, name)
}

// SetCell implements call.Cells.
func (t timedCells) SetCell(ctx context.Context, c call.Cell) (call.Cell, bool, error) {
	defer t.timer.begin()()
	return t.inner.SetCell(ctx, c)
}

// ListCells implements call.Cells.
func (t timedCells) ListCells(ctx context.Context, prefix, after string, limit int) ([]call.Cell, error) {
	defer t.timer.begin()()
	return t.inner.ListCells(ctx, prefix, after, limit)
}

// PruneCells implements call.Cells.
func (t timedCells) PruneCells(ctx context.Context, now time.Time, limit int) (int, error) {
	defer t.timer.begin()()
	return t.inner.PruneCells(ctx, now, limit)
}
