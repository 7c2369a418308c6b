package dynamodb

import (
	"context"
	"errors"

	"github.com/ringonce/ringonce/internal/call"
)

// Each calls fn with every row and its history, in the order of creation, until fn fails; it returns that error. A row and its history are
// of one instant: they are one item, and what was spilled from it never changes. Rows created meanwhile, or so lately that the list index
// does not show them yet, may be missed. Rows of different processes are in the order of those processes' clocks.
func (l *Ledger) Each(ctx context.Context, fn func(call.Call, []call.Entry) error) error {
	cursor := ""
	for {
		if err := l.usable(ctx); err != nil {
			return err
		}
		found, err := l.listed(ctx, nil, cursor, mostBatch, false)
		if err != nil || len(found) == 0 {
			return err
		}
		cursor = cursorAt(found[len(found)-1])
		records, err := l.loadAll(ctx, keysOf(found, mostBatch))
		if err != nil {
			return err
		}
		for _, r := range records {
			r, entries, err := l.withHistory(ctx, r)
			if err != nil {
				return err
			}
			if err := errors.Join(ctx.Err(), fn(r.row, entries)); err != nil {
				return err
			}
		}
	}
}

// Unfinished returns at most limit ids of rows that are not final, in the order of creation, and a cursor for the next page, empty at the
// end.
func (l *Ledger) Unfinished(ctx context.Context, cursor string, limit int) ([]string, string, error) {
	if err := l.usable(ctx); err != nil {
		return nil, "", err
	}
	found, err := l.listed(ctx, []call.State{call.Received, call.Dialing}, cursor, limit+1, false)
	if err != nil {
		return nil, "", err
	}
	if len(found) > limit {
		return keysOf(found, limit), cursorAt(found[limit-1]), nil
	}
	return keysOf(found, limit), "", nil
}
