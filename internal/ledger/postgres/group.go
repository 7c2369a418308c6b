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
		return send(ctx, conn, markOf(conn.PgConn()), incarnation, group, notes)
	}
	return together(ctx, conn, beside, incarnation, group, notes)
}

// pipelines is a connection, or a transaction that was begun on it.
type pipelines interface {
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// statements are what one transaction writes, in the order of the pipeline: the lock, the runs of a group, its notes, the newest number.
type statements struct {
	pipeline *pgx.Batch
	cut      [][]*job
	landing  int // of notes
}

func statementsOf(ctx context.Context, session, incarnation string, group []*job, notes *bundle) statements {
	s := statements{pipeline: &pgx.Batch{}, cut: runs(group)}
	q := queries.New(queue{s.pipeline})
	_, _ = q.LockLedger(ctx, queries.LockLedgerParams{Session: session, Incarnation: incarnation}) // queued: its answer comes with the others
	for _, run := range s.cut {
		enqueueRun(ctx, q, incarnation, run)
	}
	before := s.pipeline.Len()
	notes.enqueue(ctx, q)
	s.landing = s.pipeline.Len() - before
	_, _ = q.HighWater(ctx)
	return s
}

// send sends a group as one pipeline. Outside of a transaction PostgreSQL runs it as one of its own: it is committed behind the last statement, and
// only the end of the pipeline tells that it was.
func send(ctx context.Context, conn pipelines, session, incarnation string, group []*job, notes *bundle) (answers []answer, highWater int64, err error) {
	s := statementsOf(ctx, session, incarnation, group, notes)
	results := conn.SendBatch(ctx, s.pipeline)
	answers, highWater, err = s.read(results, len(group))
	if end := results.Close(); err == nil || errors.Is(err, errSuperseded) && end != nil {
		err = end
	}
	return answers, highWater, err
}

func (s statements) read(results pgx.BatchResults, jobs int) ([]answer, int64, error) {
	var own bool
	var highWater int64
	if err := results.QueryRow().Scan(&own); err != nil {
		return nil, 0, fenced(err)
	}
	if !own { // whether the others are committed is not known, nor where
		return nil, 0, errShared
	}
	answers := make([]answer, jobs)
	at := 0
	for _, run := range s.cut {
		if err := readRun(results, run, answers[at:at+len(run)]); err != nil {
			return nil, 0, err
		}
		at += len(run)
	}
	for range s.landing {
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

// Query implements queries.DBTX. The rows come with the others' answers: there are none to be read now, which ends the function that asked.
func (q queue) Query(_ context.Context, text string, args ...any) (pgx.Rows, error) {
	q.batch.Queue(text, args...)
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
