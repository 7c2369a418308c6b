package river

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
)

// OpenPostgres opens hints in a PostgreSQL database, for all processes that share it. The pool stays its owner's.
func OpenPostgres(ctx context.Context, pool *pgxpool.Pool, o Options) (*Hints[pgx.Tx], error) {
	return newHints(ctx, riverpgxv5.New(pool), o, func() error { return nil })
}
