package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ringonce/ringonce/internal/ledger/postgres/queries"
)

// bounded gives each statement a deadline, also where its caller set none: a host that dies without a word answers nothing, and whoever asks it must
// get an error and ask another one. The wait for a connection is within it.
type bounded struct {
	db   queries.DBTX
	most time.Duration
}

// Exec implements queries.DBTX.
func (b bounded) Exec(ctx context.Context, text string, args ...any) (pgconn.CommandTag, error) {
	ctx, cancel := context.WithTimeout(ctx, b.most)
	defer cancel()
	return b.db.Exec(ctx, text, args...)
}

// Query implements queries.DBTX. The deadline holds until the rows are closed.
func (b bounded) Query(ctx context.Context, text string, args ...any) (pgx.Rows, error) {
	ctx, cancel := context.WithTimeout(ctx, b.most)
	rows, err := b.db.Query(ctx, text, args...)
	if err != nil {
		cancel()
		return rows, err
	}
	return boundedRows{rows, cancel}, nil
}

// QueryRow implements queries.DBTX. The deadline holds until the row is scanned.
func (b bounded) QueryRow(ctx context.Context, text string, args ...any) pgx.Row {
	ctx, cancel := context.WithTimeout(ctx, b.most)
	return boundedRow{b.db.QueryRow(ctx, text, args...), cancel}
}

// boundedRows ends the deadline of rows when they are closed.
type boundedRows struct {
	pgx.Rows

	cancel context.CancelFunc
}

// Close implements pgx.Rows.
func (r boundedRows) Close() {
	r.Rows.Close()
	r.cancel()
}

// boundedRow ends the deadline of a row when it is scanned.
type boundedRow struct {
	row    pgx.Row
	cancel context.CancelFunc
}

// Scan implements pgx.Row.
func (r boundedRow) Scan(dest ...any) error {
	defer r.cancel()
	return r.row.Scan(dest...)
}
