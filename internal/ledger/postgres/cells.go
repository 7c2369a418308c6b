package postgres

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/postgres/queries"
)

// pastNames follows every name that begins with a prefix when it follows the prefix: names are of bytes up to 0x7e.
const pastNames = "\x7f"

// Cell implements [call.Cells].
func (l *Ledger) Cell(ctx context.Context, name string) (call.Cell, error) {
	if err := cmp.Or(l.usable(ctx), call.CheckCellName(name)); err != nil {
		return call.Cell{}, err
	}
	c, err := l.cell(ctx, name)
	return c, l.failed(explain(err, "read a cell"))
}

// cell reads a cell; one that does not exist has its name alone.
func (l *Ledger) cell(ctx context.Context, name string) (call.Cell, error) {
	row, err := l.queries.ReadCell(ctx, name)
	if errors.Is(err, pgx.ErrNoRows) {
		return call.Cell{Name: name}, nil
	}
	if err != nil {
		return call.Cell{}, err
	}
	return cellOf(row), nil
}

func cellOf(row queries.Cell) call.Cell {
	return call.Cell{Name: row.Name, Version: row.Version, Data: row.Data, Expires: instant(row.Expires)}
}

// SetCell implements [call.Cells]. One statement is a transaction of its own.
func (l *Ledger) SetCell(ctx context.Context, c call.Cell) (now call.Cell, ok bool, err error) {
	if err := cmp.Or(l.cellsWritable(ctx), c.Check()); err != nil {
		return call.Cell{}, false, err
	}
	c.Data = append(make([]byte, 0, len(c.Data)), c.Data...) // null is no data
	c.Expires = instant(optional(c.Expires))
	for {
		var changed int64
		if c.Version == 1 {
			changed, err = l.queries.MakeCell(ctx, queries.MakeCellParams{Name: c.Name, Data: c.Data, Expires: optional(c.Expires)})
		} else {
			changed, err = l.queries.MoveCell(ctx, queries.MoveCellParams{
				Name: c.Name, Version: c.Version, Before: c.Version - 1, Data: c.Data, Expires: optional(c.Expires),
			})
		}
		if err != nil {
			return call.Cell{}, false, l.failed(explain(err, "write a cell"))
		}
		if changed > 0 {
			return c, true, nil
		}
		current, err := l.cell(ctx, c.Name)
		if err != nil {
			return call.Cell{}, false, l.failed(explain(err, "read a cell"))
		}
		// The cell that won may have been removed meanwhile. A compare that would hold now is no lost one: it is made again.
		if current.Version != c.Version-1 {
			return current, false, nil
		}
	}
}

// cellsWritable says why no cell can be written.
func (l *Ledger) cellsWritable(ctx context.Context) error {
	if l.options.ReadOnly && l.options.Cells {
		return l.usable(ctx)
	}
	return l.writable(ctx)
}

// ListCells implements [call.Cells].
func (l *Ledger) ListCells(ctx context.Context, prefix, after string, limit int) ([]call.Cell, error) {
	if err := cmp.Or(l.usable(ctx), call.CheckCellPart(prefix), call.CheckCellPart(after)); err != nil {
		return nil, err
	}
	rows, err := l.queries.ListCells(ctx, queries.ListCellsParams{First: prefix, Past: prefix + pastNames, After: after, Most: most(limit)})
	if err != nil {
		return nil, l.failed(explain(err, "list its cells"))
	}
	var found []call.Cell
	for _, row := range rows {
		found = append(found, cellOf(row))
	}
	return found, nil
}

// PruneCells implements [call.Cells].
func (l *Ledger) PruneCells(ctx context.Context, now time.Time, limit int) (int, error) {
	if err := l.writable(ctx); err != nil {
		return 0, err
	}
	removed, err := l.queries.PruneCells(ctx, queries.PruneCellsParams{Now: nanos(now), Most: most(limit)})
	return int(removed), l.failed(explain(err, "remove old cells"))
}
