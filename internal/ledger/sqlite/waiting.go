package sqlite

import (
	"context"
	"database/sql/driver"
	"strconv"

	"github.com/ringonce/ringonce/internal/call"
)

const (
	selectParkedCalls = `SELECT number, id FROM calls WHERE parked = 1 AND number > ? ORDER BY number LIMIT ?`
)

// parked returns what the column of this name holds of a row.
func parked(c *call.Call) any {
	if c.Parked() {
		return int64(1)
	}
	return nil
}

// ParkedCalls implements [call.ParkedCalls]. A place is the number of the row before it.
func (l *Ledger) ParkedCalls(ctx context.Context, after string, limit int) (ids []string, next string, err error) {
	before := int64(0)
	if after != "" {
		if before, err = position(after); err != nil {
			return nil, "", err
		}
	}
	err = l.read(ctx, "read the parked rows", func(p prepare) error {
		return p.each(func(row []driver.Value) error {
			ids = append(ids, textOf(row[1]))
			before = numberOf(row[0])
			return nil
		}, selectParkedCalls, before, int64(max(limit, 0)))
	})
	if err == nil && len(ids) > 0 && len(ids) == limit {
		next = strconv.FormatInt(before, 10)
	}
	return ids, next, err
}

// ParkedFrom implements [call.ParkedCalls].
func (l *Ledger) ParkedFrom(ctx context.Context, share float64) (place string, err error) {
	err = l.read(ctx, "read how many rows it has", func(p prepare) error {
		last, err := p.one(selectLast)
		if err == nil {
			place = strconv.FormatInt(int64(share*float64(numberOf(last[0]))), 10)
		}
		return err
	})
	return place, err
}

var _ call.ParkedCalls = (*Ledger)(nil)
