package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"

	"github.com/ringonce/ringonce/internal/call"
)

const (
	// eachPage is how many rows Each reads in one snapshot: a snapshot that lives long keeps the WAL from being emptied.
	eachPage   = 64
	selectPage = `SELECT number, doc FROM calls WHERE number > ? ORDER BY number LIMIT ?`
	snapshot   = `BEGIN`
)

type numbered struct {
	number  int64
	call    call.Call
	entries []call.Entry
}

// Each calls fn with every row and its history, in the order of creation, until fn fails; it returns that error. A row and its
// history are of one instant. fn may use the ledger.
func (l *Ledger) Each(ctx context.Context, fn func(call.Call, []call.Entry) error) error {
	after := int64(0)
	for {
		page, err := l.page(ctx, after)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, row := range page {
			if err := errors.Join(ctx.Err(), fn(row.call, row.entries)); err != nil {
				return err
			}
			after = row.number
		}
	}
}

func (l *Ledger) page(ctx context.Context, after int64) ([]numbered, error) {
	var page []numbered
	err := l.read(ctx, "read every row", func(p prepare) (err error) {
		if _, err := p.exec(snapshot); err != nil {
			return err
		}
		defer func() {
			_, end := p.exec(commit)
			err = errors.Join(err, end)
		}()
		err = p.each(func(row []driver.Value) error {
			c, err := decode(bytesOf(row[1]))
			page = append(page, numbered{number: numberOf(row[0]), call: c})
			return err
		}, selectPage, after, int64(eachPage))
		if err != nil {
			return err
		}
		for i := range page {
			if page[i].entries, err = history(p, page[i].number, page[i].call.ID); err != nil {
				return err
			}
		}
		return nil
	})
	return page, err
}
