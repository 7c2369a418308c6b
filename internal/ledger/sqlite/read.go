package sqlite

import (
	"context"
	"database/sql/driver"
	"fmt"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/stored"
)

const (
	selectDue = `SELECT id FROM calls WHERE due <= ? ORDER BY due, number LIMIT ?`
)

// read runs fn on a connection that sees every write answered before now: each statement begins a new snapshot of the WAL.
func (l *Ledger) read(ctx context.Context, during string, fn func(prepare) error) error {
	if err := l.usable(ctx); err != nil {
		return err
	}
	var c *connection
	select {
	case c = <-l.pool:
	case <-l.gone: // and the pool may be closed already
		return l.ended()
	case <-ctx.Done():
		return ctx.Err()
	}
	err := l.borrow(c, fn)
	if err == nil || resultOf(err) == 0 {
		return err
	}
	if poisonous(err) {
		l.poison(explain(err, during))
	}
	return explain(err, during)
}

// borrow uses a connection and gives it back, also when what it is used for panics: a caller may go on after that, and the pool has few.
func (l *Ledger) borrow(c *connection, fn func(prepare) error) error {
	defer func() { l.pool <- c }()
	return c.use(fn)
}

// Get implements [call.Ledger].
func (l *Ledger) Get(ctx context.Context, id string) (call.Call, error) {
	if err := l.usable(ctx); err != nil {
		return call.Call{}, err
	}
	if _, _, absent := l.tail.number(id); absent { // the first question about most calls; it takes no connection
		return call.Call{}, fmt.Errorf("row %s: %w", id, call.ErrNotFound)
	}
	row, turns := l.newest.find(id)
	if row != nil && !l.options.ReadOnly {
		return l.newest.call(id, row)
	}
	var doc []byte
	err := l.read(ctx, "read a row", func(p prepare) error {
		row, err := l.find(p, id)
		if err == nil && row == nil {
			err = fmt.Errorf("row %s: %w", id, call.ErrNotFound)
		}
		if err == nil {
			doc = bytesOf(row[1])
		}
		return err
	})
	if err != nil {
		return call.Call{}, err
	}
	c, err := decode(doc)
	if err == nil && !l.options.ReadOnly {
		l.newest.offer(id, &newestRow{doc: doc}, turns)
	}
	return c, err
}

func decode(doc []byte) (call.Call, error) {
	c, err := stored.Call(doc)
	if err != nil {
		return call.Call{}, undecodable(err)
	}
	return c, nil
}

// Due implements [call.Ledger].
func (l *Ledger) Due(ctx context.Context, now time.Time, limit int) ([]string, error) {
	var ids []string
	err := l.read(ctx, "read the due rows", func(p prepare) error {
		return p.each(func(row []driver.Value) error {
			ids = append(ids, textOf(row[0]))
			return nil
		}, selectDue, nanos(now), int64(max(limit, 0)))
	})
	return ids, err
}

// required runs a query for one row, and returns call.ErrNotFound when there is none. An error of SQLite is never taken for it: "not
// found" is an answer that decisions rest on.
func (p prepare) required(what, id, text string, args ...any) ([]driver.Value, error) {
	row, err := p.one(text, args...)
	if err == nil && row == nil {
		return nil, fmt.Errorf("%s %s: %w", what, id, call.ErrNotFound)
	}
	return row, err
}
