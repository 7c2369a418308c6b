//go:build integration

package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ringonce/ringonce/internal/ledger/postgres"
	"github.com/ringonce/ringonce/internal/pgtest"
)

// older is a ledger of the version before, beside a transaction that is open: a backup, or a report.
type older struct {
	dsn    string
	report *pgx.Conn
}

func newOlder(t *testing.T, server *pgtest.Server) older {
	t.Helper()
	schema := server.Schema(t)
	dsn := server.DSN(schema, "")
	used(t, at(t, dsn), "a")
	server.Exec(t, "DELETE FROM "+schema+".goose_db_version WHERE version_id >= 2")
	for _, index := range []string{"calls_key_space", "calls_parked", "calls_state"} {
		server.Exec(t, "DROP INDEX "+schema+"."+index)
	}
	report, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = report.Close(context.Background()) })
	o := older{dsn: dsn, report: report}
	o.do(t, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
	o.do(t, "SELECT count(*) FROM calls")
	return o
}

func (o older) do(t *testing.T, text string) {
	t.Helper()
	if _, err := o.report.Exec(t.Context(), text); err != nil {
		t.Fatal(err)
	}
}

// waits returns when the migration has waited for the transaction for a second, and reports whether it did.
func (o older) waits(t *testing.T, ended <-chan error) bool {
	t.Helper()
	look, err := pgx.Connect(t.Context(), o.dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = look.Close(context.Background()) }()
	for {
		select {
		case err := <-ended:
			t.Errorf("the start ended before the older transaction did: %v", err)
			return false
		default:
		}
		var waiting bool
		err := look.QueryRow(t.Context(), `SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE wait_event = 'virtualxid' AND application_name = current_setting('application_name')
			AND query LIKE '%CONCURRENTLY%' AND clock_timestamp() - query_start > interval '1 second')`).Scan(&waiting)
		if err != nil {
			t.Fatal(err)
		}
		if waiting {
			return true
		}
	}
}

// invalid returns how many indexes were not finished.
func (o older) invalid(t *testing.T) (n int) {
	t.Helper()
	look, err := pgx.Connect(t.Context(), o.dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = look.Close(context.Background()) }()
	if err := look.QueryRow(t.Context(), "SELECT count(*) FROM pg_index WHERE NOT indisvalid").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// A process gives up a lock and a statement after a fraction of a second here; the start of a new version waits for older transactions however long
// they take, and the start of another process beside it does too.
func TestTheStartOfANewVersionWaitsForOlderTransactions(t *testing.T) {
	t.Parallel()
	o := newOlder(t, pgtest.Start(t))
	impatient := at(t, o.dsn+"&lock_timeout=100ms&statement_timeout=200ms&application_name=ringonce")
	o.dsn += "&application_name=ringonce"
	ended := make(chan error, 2)
	told := make(chan struct{}, 2)
	for range 2 {
		mine := own(t, impatient)
		mine.Waits = func() { told <- struct{}{} }
		go func() {
			l, err := postgres.Open(t.Context(), mine)
			if err == nil {
				err = l.Close()
			}
			ended <- err
		}()
	}
	if !o.waits(t, ended) {
		return
	}
	for range 2 {
		select {
		case <-told:
		case <-time.After(time.Minute):
			t.Error("a start that waits does not say so")
		}
	}
	o.do(t, "COMMIT")
	for range 2 {
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("open: %v", err)
			}
		case <-time.After(time.Minute):
			t.Fatal("the start does not end with the older transaction")
		}
	}
	if n := o.invalid(t); n != 0 {
		t.Errorf("%d indexes are not finished", n)
	}
	l := open(t, impatient)
	for name, want := range map[string]string{"lock_timeout": "100ms", "statement_timeout": "200ms"} {
		var set string
		if err := l.Pool().QueryRow(t.Context(), "SELECT current_setting($1)", name).Scan(&set); err != nil || set != want {
			t.Errorf("%s is %s after the migration, %v", name, set, err)
		}
	}
}

func TestAnIndexOfAMigrationThatWasStoppedIsMadeAnew(t *testing.T) {
	t.Parallel()
	o := newOlder(t, pgtest.Start(t))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { _, err := postgres.Open(ctx, at(t, o.dsn+"&application_name=ringonce")); ended <- err }()
	o.dsn += "&application_name=ringonce"
	if !o.waits(t, ended) {
		return
	}
	stop()
	if err := <-ended; err == nil {
		t.Error("a start that was stopped reports none")
	}
	if n := o.invalid(t); n == 0 {
		t.Error("the stopped migration left no unfinished index: this test proves nothing")
	}
	o.do(t, "COMMIT")
	open(t, at(t, o.dsn))
	if n := o.invalid(t); n != 0 {
		t.Errorf("%d indexes are not finished", n)
	}
}
