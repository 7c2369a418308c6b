package river

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
)

// OpenPostgres opens hints in a PostgreSQL database, for all processes that share it: each job is done by one of them. The pool is closed with
// the hints, also when opening them fails. Beside what the workers need, one of its connections listens for new jobs.
func OpenPostgres(ctx context.Context, pool *pgxpool.Pool, o Options) (*Hints[pgx.Tx], error) {
	free, err := alone(ctx, pool)
	if err != nil {
		pool.Close()
		return nil, err
	}
	hints, err := newHints(ctx, riverpgxv5.New(pool), o, func() error {
		pool.Close()
		return nil
	})
	err = errors.Join(err, free())
	if err != nil {
		pool.Close()
		return nil, err
	}
	return hints, nil
}

// alone waits until no other process brings the tables of this schema to their newest form: River's migrations are not made for two at a time. The
// lock lies on a connection of its own, since the pool may have one only, and ends with it.
func alone(ctx context.Context, pool *pgxpool.Pool) (free func() error, err error) {
	conn, err := pgx.ConnectConfig(ctx, pool.Config().ConnConfig)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	free = func() error { return conn.Close(context.WithoutCancel(ctx)) }
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock(hashtextextended('ringonce hints ' || coalesce(current_schema(), ''), 0))"); err != nil {
		return nil, errors.Join(fmt.Errorf("wait for other processes: %w", err), free())
	}
	return free, nil
}
