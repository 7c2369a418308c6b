package postgres

import (
	"context"
	"strconv"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/postgres/queries"
)

// ParkedCalls implements [call.ParkedCalls]. A place is the number of the row before it. Some of the rows may not be parked: the index knows the
// beginning of a reason only.
func (l *Ledger) ParkedCalls(ctx context.Context, after string, limit int) (ids []string, next string, err error) {
	if err := l.usable(ctx); err != nil {
		return nil, "", err
	}
	before := int64(0)
	if after != "" {
		if before, err = position(after); err != nil {
			return nil, "", err
		}
	}
	rows, err := l.queries.ParkedCalls(ctx, queries.ParkedCallsParams{After: before, Most: most(limit)})
	if err != nil {
		return nil, "", l.failed(explain(err, "read the parked rows"))
	}
	for _, row := range rows {
		ids = append(ids, row.ID)
		next = strconv.FormatInt(row.Number, 10)
	}
	if len(rows) < limit {
		next = ""
	}
	return ids, next, nil
}

// ParkedFrom implements [call.ParkedCalls].
func (l *Ledger) ParkedFrom(ctx context.Context, share float64) (place string, err error) {
	if err := l.usable(ctx); err != nil {
		return "", err
	}
	last, err := l.queries.LastCall(ctx)
	if err != nil {
		return "", l.failed(explain(err, "read how many rows it has"))
	}
	return strconv.FormatInt(int64(share*float64(last)), 10), nil
}

var _ call.ParkedCalls = (*Ledger)(nil)
