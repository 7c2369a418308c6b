//go:build integration

package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/postgres"
	"github.com/ringonce/ringonce/internal/pgtest"
)

const (
	tableOfJobs = "CREATE TABLE jobs (call text NOT NULL, due bigint NOT NULL, UNIQUE (call, due))"
	insertJob   = "INSERT INTO jobs VALUES ($1, $2) ON CONFLICT DO NOTHING"
)

// jobs are written beside waiting rows.
func jobs(ctx context.Context, tx pgx.Tx, rows []postgres.Waiting) (bool, error) {
	for _, r := range rows {
		if _, err := tx.Exec(ctx, insertJob, r.RowID, r.Due.UnixNano()); err != nil {
			return false, err
		}
	}
	return true, nil
}

// apart is the planted defect: the same jobs, in transactions of their own.
func apart(pool *pgxpool.Pool) postgres.Beside {
	return func(ctx context.Context, _ pgx.Tx, rows []postgres.Waiting) (bool, error) {
		for _, r := range rows {
			if _, err := pool.Exec(ctx, insertJob, r.RowID, r.Due.UnixNano()); err != nil {
				return false, err
			}
		}
		return true, nil
	}
}

// waiting makes the write that creates a row which waits for an hour.
func waiting(t testing.TB, id string) call.Write {
	t.Helper()
	w := accepted(t, id)
	e, err := w.Entry.Event()
	if err != nil {
		t.Fatal(err)
	}
	e.Due, e.Reason = noon.Add(time.Hour), "pacing"
	return write(t, call.Begin(id), e, w.Entry.Op)
}

// disagree says in what a row and its job are not there together; empty when both are, or neither.
func disagree(t *testing.T, direct *postgres.Ledger, id string) (there bool, complaint string) {
	t.Helper()
	var row, job, one bool
	err := direct.Pool().QueryRow(t.Context(), `SELECT EXISTS (SELECT 1 FROM calls WHERE id = $1), EXISTS (SELECT 1 FROM jobs WHERE call = $1),
		EXISTS (SELECT 1 FROM calls JOIN jobs ON call = id AND jobs.xmin = calls.xmin WHERE id = $1)`, id).Scan(&row, &job, &one)
	switch {
	case err != nil:
		t.Fatal(err)
	case row != job:
		return row, fmt.Sprintf("row there: %t, job there: %t", row, job)
	case row && !one:
		return row, "the row and its job are of two transactions"
	}
	return row, ""
}

// severed breaks the connection at each request and at each answer of a write that has something beside it, and counts what it saw afterwards.
func severed(t *testing.T, server *pgtest.Server, beside func(direct *postgres.Ledger) postgres.Beside) (complaints []string, fates map[bool]int) {
	t.Helper()
	schema := server.Schema(t)
	p := newProxy(t, server.Address())
	l := open(t, at(t, server.DSN(schema, p.listener.Addr().String())+"&pool_max_conns=1"))
	direct := open(t, at(t, server.DSN(schema, "")))
	if _, err := direct.Pool().Exec(t.Context(), tableOfJobs); err != nil {
		t.Fatal(err)
	}
	l.Join(beside(direct))
	fates = map[bool]int{}
	unhinted := 0
	for _, fate := range []int32{losesRequest, losesAnswer} {
		for spared := range int32(4) { // begin, the pipeline, the job, commit
			if _, err := l.Create(t.Context(), waiting(t, fmt.Sprintf("warm-%d-%d", fate, spared))); err != nil {
				t.Fatal(err)
			}
			id := fmt.Sprintf("row-%d-%d", fate, spared)
			w := waiting(t, id)
			p.spared.Store(spared)
			p.fate.Store(fate)
			answered, err := l.Create(t.Context(), w)
			p.fate.Store(passes)
			t.Logf("fate %d after %d: hinted %t, %v", fate, spared, answered.Hinted, err)
			there, complaint := disagree(t, direct, id)
			fates[there]++
			if err == nil && !answered.Hinted { // the job could not be written, and the answer tells it: its hint is given after the write
				unhinted++
				if n := counted(t, direct, "SELECT count(*) FROM jobs WHERE call = '"+id+"'"); n != 0 || !there {
					complaints = append(complaints, fmt.Sprintf("fate %d after %d, answered without a hint: row there: %t, %d jobs", fate, spared, there, n))
				}
				continue
			}
			if complaint != "" {
				complaints = append(complaints, fmt.Sprintf("fate %d after %d: %s", fate, spared, complaint))
			}
			if written, err := l.Create(t.Context(), w); err != nil || !written.Applied {
				t.Errorf("the same write again: applied %t, error %v", written.Applied, err)
			}
			if there, complaint := disagree(t, direct, id); complaint != "" || !there {
				complaints = append(complaints, fmt.Sprintf("fate %d after %d, written again: there %t, %s", fate, spared, there, complaint))
			}
		}
	}
	if unhinted > 2 { // those whose connection broke with the job
		complaints = append(complaints, fmt.Sprintf("%d of 8 writes were answered without a hint", unhinted))
	}
	return complaints, fates
}

func TestARowAndItsJobAreBothThereOrNeitherWhereverTheConnectionBreaks(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	complaints, fates := severed(t, server, func(*postgres.Ledger) postgres.Beside { return jobs })
	for _, c := range complaints {
		t.Error(c)
	}
	if fates[true] == 0 || fates[false] == 0 {
		t.Errorf("rows that were there and not: %v, want both", fates)
	}
	if complaints, _ = severed(t, server, func(direct *postgres.Ledger) postgres.Beside { return apart(direct.Pool()) }); len(complaints) == 0 {
		t.Error("jobs in transactions of their own were not noticed")
	}
}

// A hint is worth less than a call: whatever fails beside the rows, they are written.
func TestWhatFailsBesideARowKeepsNoRowOut(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	for name, fails := range map[string]postgres.Beside{
		"an error of its own": func(context.Context, pgx.Tx, []postgres.Waiting) (bool, error) { return true, errors.New("planted") },
		"a table that is gone": func(ctx context.Context, tx pgx.Tx, _ []postgres.Waiting) (bool, error) {
			_, err := tx.Exec(ctx, "INSERT INTO gone VALUES (1)")
			return false, err
		},
		"an error that it hides": func(ctx context.Context, tx pgx.Tx, _ []postgres.Waiting) (bool, error) {
			_, _ = tx.Exec(ctx, "INSERT INTO gone VALUES (1)")
			return true, nil
		},
		"the connection": func(ctx context.Context, tx pgx.Tx, _ []postgres.Waiting) (bool, error) {
			return false, errors.Join(errors.New("planted"), tx.Conn().Close(ctx))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := open(t, settings(t, server))
			if _, err := l.Pool().Exec(t.Context(), tableOfJobs); err != nil {
				t.Fatal(err)
			}
			l.Join(func(ctx context.Context, tx pgx.Tx, rows []postgres.Waiting) (bool, error) {
				if _, err := jobs(ctx, tx, rows); err != nil {
					return false, err
				}
				return fails(ctx, tx, rows)
			})
			written, err := l.Create(t.Context(), waiting(t, "a"))
			if err != nil || !written.Applied || written.Hinted {
				t.Errorf("applied %t, hinted %t, error %v", written.Applied, written.Hinted, err)
			}
			there(t, l, "a", true)
			if n := counted(t, l, "SELECT count(*) FROM jobs"); n != 0 {
				t.Errorf("%d jobs of a transaction that was rolled back", n)
			}
			if breaches, err := l.Inspect(t.Context()); err != nil || len(breaches) != 0 {
				t.Errorf("inspect: %v, %v", breaches, err)
			}
		})
	}
}

func counted(t *testing.T, l *postgres.Ledger, query string) (n int) {
	t.Helper()
	if err := l.Pool().QueryRow(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// A group that is rolled back leaves no job, and those of its writes that can be stored are written alone, each with its own.
func TestAGroupThatIsRolledBackLeavesNoJob(t *testing.T) {
	t.Parallel()
	l := open(t, settings(t, pgtest.Start(t)))
	if _, err := l.Pool().Exec(t.Context(), tableOfJobs); err != nil {
		t.Fatal(err)
	}
	l.Join(jobs)
	answers := make(chan error, 40)
	for i := range 40 {
		go func() {
			w := waiting(t, fmt.Sprintf("row-%d", i))
			if i == 20 {
				w.Entry.Op = "op-\x00" // PostgreSQL has no texts with this byte
			}
			written, err := l.Create(t.Context(), w)
			if err == nil && !written.Hinted {
				t.Errorf("row %d was not hinted", i)
			}
			answers <- err
		}()
	}
	failed := 0
	for range 40 {
		if err := <-answers; err != nil {
			failed++
		}
	}
	same := counted(t, l, "SELECT count(*) FROM calls JOIN jobs ON call = id AND jobs.xmin = calls.xmin")
	if n := counted(t, l, "SELECT count(*) FROM jobs"); failed != 1 || n != 39 || same != 39 {
		t.Errorf("%d writes failed, %d jobs, %d of them of the transaction of their row", failed, n, same)
	}
}

func TestOnlyWhatANewWaitIsWorthIsWrittenBeside(t *testing.T) {
	t.Parallel()
	l := open(t, settings(t, pgtest.Start(t)))
	var seen []string
	l.Join(func(_ context.Context, _ pgx.Tx, rows []postgres.Waiting) (bool, error) {
		for _, r := range rows {
			seen = append(seen, r.RowID)
		}
		return true, nil
	})
	first := waiting(t, "a")
	for _, hinted := range []bool{true, false} { // the second is recognized, and tells of nothing
		if written, err := l.Create(t.Context(), first); err != nil || !written.Applied || written.Hinted != hinted {
			t.Errorf("create: %+v, %v", written, err)
		}
	}
	lost := waiting(t, "a")
	lost.Entry.Op = "op-of-another"
	if written, err := l.Create(t.Context(), lost); err != nil || written.Applied || written.Hinted {
		t.Errorf("a lost create: %+v, %v", written, err)
	}
	noted := write(t, first.Row, call.Event{Kind: call.EventNoted, At: noon, Reason: "looking", Actor: "ann"}, "op-a-2")
	if written, err := l.Update(t.Context(), noted); err != nil || !written.Applied || written.Hinted {
		t.Errorf("a note: %+v, %v", written, err)
	}
	l.Join(nil)
	if written, err := l.Create(t.Context(), waiting(t, "b")); err != nil || !written.Applied || written.Hinted {
		t.Errorf("without anything beside: %+v, %v", written, err)
	}
	if len(seen) != 1 || seen[0] != "a" {
		t.Errorf("told of %v, want of a once", seen)
	}
}

// TestTheRoundTripsOfAWrite counts what docs/postgres.md says of the time that the ledger's lock is held.
func TestTheRoundTripsOfAWrite(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	schema := server.Schema(t)
	p := newProxy(t, server.Address())
	l := open(t, at(t, server.DSN(schema, p.listener.Addr().String())+"&pool_max_conns=1"))
	if _, err := l.Pool().Exec(t.Context(), tableOfJobs); err != nil {
		t.Fatal(err)
	}
	trips := func(w call.Write) int32 {
		before := p.answers.Load()
		if _, err := l.Create(t.Context(), w); err != nil {
			t.Fatal(err)
		}
		return p.answers.Load() - before
	}
	l.Join(jobs)
	trips(waiting(t, "warm")) // the connection learns the statements
	first := waiting(t, "a")
	for _, c := range []struct {
		what      string
		got, want int32
	}{
		{"a row that waits", trips(first), 4},
		{"one that is there already", trips(first), 3},
		{"one that waits for nothing", trips(dialed(t, "b")), 1},
	} {
		if c.got != c.want {
			t.Errorf("%s took %d round trips, want %d", c.what, c.got, c.want)
		}
	}
	l.Join(nil)
	if got := trips(waiting(t, "c")); got != 1 {
		t.Errorf("without anything beside a row that waits took %d round trips, want 1", got)
	}
}

// dialed makes the write that creates a row with its first attempt.
func dialed(t testing.TB, id string) call.Write {
	t.Helper()
	w := accepted(t, id)
	e, err := w.Entry.Event()
	if err != nil {
		t.Fatal(err)
	}
	e.Attempt = &call.Attempt{ID: "attempt-" + id, Opened: noon, LeaseEnd: noon.Add(time.Minute)}
	return write(t, call.Begin(id), e, w.Entry.Op)
}
