package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/postgres/queries"
)

// Get implements [call.Ledger]. It is read from the primary, which shows every write that was answered before.
func (l *Ledger) Get(ctx context.Context, id string) (call.Call, error) {
	if err := l.usable(ctx); err != nil {
		return call.Call{}, err
	}
	doc, err := l.ask(ctx, id)
	if err != nil {
		return call.Call{}, err
	}
	return decode(doc)
}

// absent returns call.ErrNotFound for an answer without a row, and explains every other error: "not found" is an answer that decisions rest on.
func (l *Ledger) absent(err error, what, id, during string) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("%s %s: %w", what, id, call.ErrNotFound)
	}
	return l.failed(explain(err, during))
}

// Due implements [call.Ledger].
func (l *Ledger) Due(ctx context.Context, now time.Time, limit int) ([]string, error) {
	if err := l.usable(ctx); err != nil {
		return nil, err
	}
	ids, err := l.queries.DueCalls(ctx, queries.DueCallsParams{Now: nanos(now), Most: most(limit)})
	return ids, l.failed(explain(err, "read the due rows"))
}
