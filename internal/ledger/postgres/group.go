package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ringonce/ringonce/internal/ledger/postgres/queries"
)

// errSuperseded says that the ledger has another incarnation than the one this process may write.
var errSuperseded = errors.New("the ledger was recovered or replaced")

func superseded() error { return wentBack("It was recovered or replaced while this process ran.") }

// transact writes a group as one transaction: in one round trip, or with what is written beside it in several.
func transact(ctx context.Context, conn *pgx.Conn, beside Beside, incarnation string, group []*job, notes *bundle) ([]answer, int64, error) {
	if beside == nil {
		return send(ctx, conn, incarnation, group, notes)
	}
	return together(ctx, conn, beside, incarnation, group, notes)
}

// pipelines is a connection, or a transaction that was begun on it.
type pipelines interface {
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// send sends a group as one pipeline. Outside of a transaction PostgreSQL runs it as one of its own: it is committed behind the last statement, and
// only the end of the pipeline tells that it was.
func send(ctx context.Context, conn pipelines, incarnation string, group []*job, notes *bundle) (answers []answer, highWater int64, err error) {
	pipeline := &pgx.Batch{}
	q := queries.New(queue{pipeline})
	_, _ = q.LockLedger(ctx, incarnation) // queued: its answer comes with the others
	for _, j := range group {
		j.enqueue(ctx, q, incarnation)
	}
	before := pipeline.Len()
	notes.enqueue(ctx, q)
	landing := pipeline.Len() - before
	_, _ = q.HighWater(ctx)

	results := conn.SendBatch(ctx, pipeline)
	answers, highWater, err = read(results, group, landing)
	if end := results.Close(); err == nil || errors.Is(err, errSuperseded) && end != nil {
		err = end
	}
	return answers, highWater, err
}

func read(results pgx.BatchResults, group []*job, landing int) ([]answer, int64, error) {
	var epoch, highWater int64
	if err := results.QueryRow().Scan(&epoch); err != nil {
		return nil, 0, fenced(err)
	}
	answers := make([]answer, len(group))
	for i, j := range group {
		if !j.kind.calls() {
			continue
		}
		var v verdict
		if err := v.scan(results.QueryRow()); err != nil {
			return nil, 0, fenced(err)
		}
		answers[i] = j.judge(v)
	}
	for range landing {
		if _, err := results.Exec(); err != nil {
			return nil, 0, err
		}
	}
	err := results.QueryRow().Scan(&highWater)
	return answers, highWater, err
}

// fenced tells the missing row of another incarnation from every other error.
func fenced(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return errSuperseded
	}
	return err
}

// queue makes the functions of package queries put their statements into a pipeline. Their own answers mean nothing.
type queue struct{ batch *pgx.Batch }

// Exec implements queries.DBTX.
func (q queue) Exec(_ context.Context, text string, args ...any) (pgconn.CommandTag, error) {
	q.batch.Queue(text, args...)
	return pgconn.CommandTag{}, nil
}

// Query implements queries.DBTX. No statement of a group returns more than one row.
func (queue) Query(context.Context, string, ...any) (pgx.Rows, error) {
	return nil, errors.ErrUnsupported
}

// QueryRow implements queries.DBTX.
func (q queue) QueryRow(_ context.Context, text string, args ...any) pgx.Row {
	q.batch.Queue(text, args...)
	return later{}
}

// later is the row of a statement that was queued.
type later struct{}

// Scan implements pgx.Row and reads nothing.
func (later) Scan(...any) error { return nil }
