package sim

import (
	"context"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// gatedCells are the cells of a worker. Their writes pass the points "before cell" and "after cell", and fail or lose their answers as "cell".
type gatedCells struct {
	call.Cells
	gate *gate
}

// gateCells wraps the cells of a worker: first what is planted in them, then the gate.
func (w *World) gateCells(c call.Cells, g *gate) call.Cells {
	if plant := w.options.Plant.Cells; plant != nil {
		c = plant(c)
	}
	g.cells = gatedCells{c, g}
	return g.cells
}

// Cell implements call.Cells.
func (c gatedCells) Cell(ctx context.Context, name string) (call.Cell, error) {
	if err := c.gate.read(); err != nil {
		return call.Cell{}, err
	}
	return c.Cells.Cell(ctx, name)
}

// SetCell implements call.Cells.
func (c gatedCells) SetCell(ctx context.Context, cell call.Cell) (now call.Cell, ok bool, err error) {
	err = c.gate.cell(ctx, func() (err error) {
		now, ok, err = c.Cells.SetCell(ctx, cell)
		return err
	})
	if err != nil {
		return call.Cell{}, false, err
	}
	return now, ok, nil
}

// ListCells implements call.Cells.
func (c gatedCells) ListCells(ctx context.Context, prefix, after string, limit int) ([]call.Cell, error) {
	if err := c.gate.read(); err != nil {
		return nil, err
	}
	return c.Cells.ListCells(ctx, prefix, after, limit)
}

// PruneCells implements call.Cells.
func (c gatedCells) PruneCells(ctx context.Context, now time.Time, limit int) (removed int, err error) {
	err = c.gate.cell(ctx, func() (err error) {
		removed, err = c.Cells.PruneCells(ctx, now, limit)
		return err
	})
	return removed, err
}

// cell sends one write of a cell, unless it is lost on the way there or back.
func (g *gate) cell(ctx context.Context, send func() error) error {
	const name = "cell"
	g.at(ctx, "before "+name, "")
	if g.k.starting {
		return send()
	}
	if err := g.w.ledgerDown(true); err != nil {
		return err
	}
	for _, s := range g.w.strikes("fail", name) {
		g.w.struck(s, "")
		return errAnswerLost
	}
	err := send()
	g.at(ctx, "after "+name, "")
	for _, s := range g.w.strikes("lose", name) {
		g.w.struck(s, "")
		return errAnswerLost
	}
	return err
}
