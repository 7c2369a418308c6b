package crashtest

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
)

// trappedDriver names the shipped SQLite driver with a trap around COMMIT: after it the group is durable, its witness has not moved, and
// nobody was answered.
const trappedDriver = "sqlite-trapped"

// registerDriver registers trappedDriver. It is called once in a process.
func registerDriver(t *trap) {
	shipped, err := sql.Open("sqlite", ":memory:") // opens nothing; it is how a driver is asked for
	if err != nil {
		panic(err)
	}
	sql.Register(trappedDriver, trapDriver{shipped.Driver(), t})
}

type trapDriver struct {
	driver.Driver
	trap *trap
}

// Open implements driver.Driver.
func (d trapDriver) Open(name string) (driver.Conn, error) {
	conn, err := d.Driver.Open(name)
	if err != nil {
		return nil, err
	}
	return trapConn{conn, d.trap}, nil
}

type trapConn struct {
	driver.Conn
	trap *trap
}

// PrepareContext implements driver.ConnPrepareContext.
func (c trapConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
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
	return trapCommit{Stmt: stmt, StmtQueryContext: ask, exec: exec, trap: c.trap}, nil
}

type trapCommit struct {
	driver.Stmt
	driver.StmtQueryContext

	exec driver.StmtExecContext
	trap *trap
}

// ExecContext implements driver.StmtExecContext.
func (s trapCommit) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	defer s.trap.around("commit")()
	return s.exec.ExecContext(ctx, args)
}
