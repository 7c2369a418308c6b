package sqlite_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/sqlite"
)

// ioError is what a driver reports when a sync fails: SQLITE_IOERR_FSYNC.
type ioError struct{}

func (ioError) Error() string { return "disk I/O error (1034)" }

func (ioError) Code() int { return 1034 }

// fullDisk is what a driver reports when there is no room: SQLITE_FULL.
type fullDisk struct{}

func (fullDisk) Error() string { return "database or disk is full (13)" }

func (fullDisk) Code() int { return 13 }

// faulty is the real driver, whose commits fail when they are told to: before they are carried out, or after.
type faulty struct {
	dsn    string
	driver driver.Driver
	before *atomic.Bool
	after  *atomic.Bool
	err    error // of a commit that fails
}

func (f faulty) Connect(context.Context) (driver.Conn, error) {
	conn, err := f.driver.Open(f.dsn)
	if err != nil {
		return nil, err
	}
	return faultyConn{Conn: conn, faulty: f}, nil
}

func (f faulty) Driver() driver.Driver { return f.driver }

type faultyConn struct {
	driver.Conn

	faulty faulty
}

func (c faultyConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	preparer, ok := c.Conn.(driver.ConnPrepareContext)
	if !ok {
		return nil, errors.New("the driver cannot prepare")
	}
	stmt, err := preparer.PrepareContext(ctx, query)
	if err != nil || query != "COMMIT" {
		return stmt, err
	}
	exec, canExec := stmt.(driver.StmtExecContext)
	ask, canAsk := stmt.(driver.StmtQueryContext)
	if !canExec || !canAsk {
		return nil, errors.New("the driver's statements take no context")
	}
	return faultyCommit{Stmt: stmt, StmtQueryContext: ask, exec: exec, faulty: c.faulty}, nil
}

type faultyCommit struct {
	driver.Stmt
	driver.StmtQueryContext

	exec   driver.StmtExecContext
	faulty faulty
}

func (s faultyCommit) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	if s.faulty.before.Load() {
		return nil, s.faulty.err
	}
	result, err := s.exec.ExecContext(ctx, args)
	if err == nil && s.faulty.after.Load() {
		return nil, s.faulty.err
	}
	return result, err
}

func TestAnIOErrorPoisonsTheLedgerUntilItIsReopened(t *testing.T) {
	t.Parallel()
	for _, applied := range []bool{false, true} {
		var before, after atomic.Bool
		o := settings(t)
		durable := []string{"journal_mode(WAL)", "synchronous(FULL)"}
		sound := opened(t, o, durable...)
		writer := sql.OpenDB(faulty{dsn: o.Path + "?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)", driver: sound.Driver(), before: &before, after: &after, err: ioError{}})
		l, err := sqlite.OpenDB(t.Context(), writer, sound, o)
		if err != nil {
			t.Fatal(err)
		}
		first := create(t, l, "a")
		lost := accepted(t, "b")
		before.Store(!applied)
		after.Store(applied)
		if _, err := l.Create(t.Context(), lost); call.CodeOf(err) != call.CodeLedgerUnavailable {
			t.Errorf("create during the I/O error: %v", err)
		}
		<-l.Gone() // whoever waits for it is told
		before.Store(false)
		after.Store(false)
		_, getErr := l.Get(t.Context(), "a")
		_, createErr := l.Create(t.Context(), lost)
		_, updateErr := l.Update(t.Context(), held(t, first))
		noteErr := l.Note(t.Context(), call.Note{RowID: "a", Kind: call.NoteSuppressed})
		for what, err := range map[string]error{"get": getErr, "create": createErr, "update": updateErr, "note": noteErr} {
			if err == nil {
				t.Errorf("%s after an I/O error was answered", what)
				continue
			}
			refused(t, err, call.CodeLedgerUnavailable, "ledger.path")
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		again := open(t, o)
		if want := map[bool]int{false: 1, true: 2}[applied]; whole(t, again) != want {
			t.Errorf("rows after reopening differ from %d", want)
		}
		if written, err := again.Create(t.Context(), lost); err != nil || !written.Applied {
			t.Errorf("the same write after reopening: applied %t, error %v", written.Applied, err)
		}
	}
}

// A commit that fails for want of room does not end the ledger, so what was learned for it must be forgotten.
func TestAFailedGroupLeavesNoKeyBehind(t *testing.T) {
	t.Parallel()
	var full, after atomic.Bool
	o := settings(t)
	sound := opened(t, o, "journal_mode(WAL)", "synchronous(FULL)")
	writer := sql.OpenDB(faulty{dsn: o.Path + "?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)", driver: sound.Driver(), before: &full, after: &after, err: fullDisk{}})
	l, err := sqlite.OpenDB(t.Context(), writer, sound, o)
	if err != nil {
		t.Fatal(err)
	}
	first := create(t, l, "a")
	full.Store(true)
	_, createErr := l.Create(t.Context(), accepted(t, "b"))
	_, moveErr := l.Update(t.Context(), moved(t, first, "token-moved"))
	for _, err := range []error{createErr, moveErr} {
		refused(t, err, call.CodeLedgerUnavailable, "ledger.path")
	}
	full.Store(false)
	select {
	case <-l.Gone():
		t.Error("a full disk ended the ledger")
	default:
	}
	if _, err := l.Get(t.Context(), "b"); !errors.Is(err, call.ErrNotFound) {
		t.Errorf("get of the row that failed: %v, want ErrNotFound", err)
	}
	for id, token := range map[string]string{"c": "token-b", "b": "token-moved"} {
		free := accepted(t, id)
		free.Row.Token = token
		if written, err := l.Create(t.Context(), free); err != nil || !written.Applied {
			t.Errorf("create %s with %s, which is free: applied %t, %v", id, token, written.Applied, err)
		}
	}
	thief := accepted(t, "d")
	thief.Row.Token = "token-a"
	if _, err := l.Create(t.Context(), thief); !errors.Is(err, call.ErrTokenTaken) {
		t.Errorf("the token that did not move was taken: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}
