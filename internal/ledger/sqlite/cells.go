package sqlite

import (
	"bytes"
	"cmp"
	"context"
	"database/sql/driver"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

const (
	insertCell = `INSERT OR IGNORE INTO cells (name, version, data, expires) VALUES (?, ?, ?, ?)`
	updateCell = `UPDATE cells SET version = ?1, data = ?2, expires = ?3 WHERE name = ?4 AND version = ?1 - 1`
	selectCell = `SELECT name, version, data, expires FROM cells WHERE name = ?`
	listCells  = `SELECT name, version, data, expires FROM cells WHERE name >= ?1 AND name < ?2 AND name > ?3 ORDER BY name LIMIT ?4`
	pruneCells = `DELETE FROM cells WHERE name IN (SELECT name FROM cells WHERE expires < ? ORDER BY expires LIMIT ?)`
)

// pastNames follows every name that begins with a prefix when it follows the prefix: names are of bytes up to 0x7e.
const pastNames = "\x7f"

// Cell implements [call.Cells].
func (l *Ledger) Cell(ctx context.Context, name string) (c call.Cell, err error) {
	if err := call.CheckCellName(name); err != nil {
		return call.Cell{}, err
	}
	err = l.read(ctx, "read a cell", func(p prepare) (err error) {
		c, err = p.cell(name)
		return err
	})
	return c, err
}

// cell reads a cell; one that does not exist has its name alone.
func (p prepare) cell(name string) (call.Cell, error) {
	c := call.Cell{Name: name}
	err := p.each(func(row []driver.Value) error {
		c = cellOf(row)
		return nil
	}, selectCell, name)
	return c, err
}

func cellOf(row []driver.Value) call.Cell {
	return call.Cell{Name: textOf(row[0]), Version: numberOf(row[1]), Data: bytes.Clone(bytesOf(row[2])), Expires: instant(row[3])}
}

// SetCell implements [call.Cells] as an act of the writer: it shares the sync of its group, and counts as no write of a call, so that the
// high-water and the witness stay as they are.
func (l *Ledger) SetCell(ctx context.Context, c call.Cell) (now call.Cell, ok bool, err error) {
	if err := cmp.Or(l.cellsWritable(ctx), c.Check()); err != nil {
		return call.Cell{}, false, err
	}
	c.Data = append(make([]byte, 0, len(c.Data)), c.Data...) // the caller may go before the writer comes, and null is no data
	c.Expires = instant(optional(c.Expires))
	// What the writer finds has a place of its own: the caller may be gone when it is found.
	met := &struct {
		current call.Cell
		ok      bool
	}{current: c}
	set := func(p prepare, _ *record) (err error) {
		met.current, met.ok, err = p.setCell(c)
		return err
	}
	if l.options.ReadOnly { // beside the process that has the writer: one statement is a transaction of its own
		err = l.writer.use(func(p prepare) error { return set(p, nil) })
		if err != nil {
			err = explain(err, "write a cell")
		}
	} else {
		_, err = l.wait(ctx, &job{kind: jobAct, act: set})
	}
	if err != nil {
		return call.Cell{}, false, err
	}
	return met.current, met.ok, nil
}

// setCell writes a cell if the version before it is there, and otherwise returns the one that is.
func (p prepare) setCell(c call.Cell) (current call.Cell, ok bool, err error) {
	var changed int64
	if c.Version == 1 {
		changed, err = p.exec(insertCell, c.Name, c.Version, c.Data, optional(c.Expires))
	} else {
		changed, err = p.exec(updateCell, c.Version, c.Data, optional(c.Expires), c.Name)
	}
	if err != nil || changed > 0 {
		return c, err == nil, err
	}
	current, err = p.cell(c.Name)
	return current, false, err
}

// cellsWritable says why no cell can be written.
func (l *Ledger) cellsWritable(ctx context.Context) error {
	if l.options.ReadOnly && l.options.Cells {
		return l.usable(ctx)
	}
	return l.writable(ctx)
}

// ListCells implements [call.Cells].
func (l *Ledger) ListCells(ctx context.Context, prefix, after string, limit int) (found []call.Cell, err error) {
	if err := cmp.Or(call.CheckCellPart(prefix), call.CheckCellPart(after)); err != nil {
		return nil, err
	}
	err = l.read(ctx, "list its cells", func(p prepare) error {
		return p.each(func(row []driver.Value) error {
			found = append(found, cellOf(row))
			return nil
		}, listCells, prefix, prefix+pastNames, after, int64(max(limit, 0)))
	})
	return found, err
}

// PruneCells implements [call.Cells].
func (l *Ledger) PruneCells(ctx context.Context, now time.Time, limit int) (int, error) {
	if err := l.writable(ctx); err != nil {
		return 0, err
	}
	removed := new(int64)
	_, err := l.wait(ctx, &job{kind: jobAct, act: func(p prepare, _ *record) (err error) {
		*removed, err = p.exec(pruneCells, nanos(now), int64(max(limit, 0)))
		return err
	}})
	if err != nil {
		return 0, err
	}
	return int(*removed), nil
}

var _ call.Cells = (*Ledger)(nil)
