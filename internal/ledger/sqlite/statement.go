package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"slices"
)

// connection is one SQLite connection with its prepared statements. It uses the driver's interfaces below database/sql: a group
// commit makes tens of thousands of small statements a second, and the pool's bookkeeping costs as much as they do. Any driver
// of database/sql fits. It is not safe for concurrent use.
type connection struct {
	conn       *sql.Conn
	statements map[string]*statement
}

// statement is a prepared statement.
type statement struct {
	stmt  driver.Stmt
	exec  driver.StmtExecContext
	query driver.StmtQueryContext
	args  []driver.NamedValue
}

func connect(ctx context.Context, db *sql.DB) (*connection, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &connection{conn: conn, statements: map[string]*statement{}}, nil
}

// use runs fn while the connection is ours. A panic in fn goes on to the caller, and the connection stays of use.
func (c *connection) use(fn func(prepare) error) error {
	var panicked any
	err := c.conn.Raw(func(raw any) error {
		defer func() { panicked = recover() }() // Raw would close the connection
		preparer, ok := raw.(driver.ConnPrepareContext)
		if !ok {
			return fmt.Errorf("the SQL driver %T cannot prepare statements with a context", raw)
		}
		return fn(prepare{connection: c, driver: preparer})
	})
	if panicked != nil {
		panic(panicked)
	}
	return err
}

// close ends the statements and the connection.
func (c *connection) close() error {
	var errs []error
	err := c.conn.Raw(func(any) error {
		for _, s := range c.statements {
			errs = append(errs, s.stmt.Close())
		}
		return nil
	})
	return errors.Join(append(errs, err, c.conn.Close())...)
}

// prepare is a connection in use.
type prepare struct {
	connection *connection
	driver     driver.ConnPrepareContext
}

// statement returns the prepared statement of a text. The contexts below it never end: a driver watches a context that can end
// with a goroutine for each statement, and an interrupted write would leave a group half done.
func (p prepare) statement(text string) (*statement, error) {
	if s, ok := p.connection.statements[text]; ok {
		return s, nil
	}
	stmt, err := p.driver.PrepareContext(context.Background(), text)
	if err != nil {
		return nil, err
	}
	exec, canExec := stmt.(driver.StmtExecContext)
	query, canQuery := stmt.(driver.StmtQueryContext)
	if !canExec || !canQuery {
		return nil, errors.Join(fmt.Errorf("the SQL driver's statement %T lacks ExecContext or QueryContext", stmt), stmt.Close())
	}
	s := &statement{stmt: stmt, exec: exec, query: query}
	p.connection.statements[text] = s
	return s, nil
}

// exec runs a statement and returns how many rows it changed.
func (p prepare) exec(text string, args ...any) (int64, error) {
	result, err := p.result(text, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func (p prepare) result(text string, args ...any) (driver.Result, error) {
	s, err := p.statement(text)
	if err != nil {
		return nil, err
	}
	return s.exec.ExecContext(context.Background(), s.named(args))
}

// each runs a query and calls fn for each row; the row's values are valid inside fn only.
func (p prepare) each(fn func(row []driver.Value) error, text string, args ...any) (err error) {
	s, err := p.statement(text)
	if err != nil {
		return err
	}
	rows, err := s.query.QueryContext(context.Background(), s.named(args))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	row := make([]driver.Value, len(rows.Columns()))
	for {
		switch err := rows.Next(row); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if err := fn(row); err != nil {
			return err
		}
	}
}

// one runs a query for at most one row and returns a copy of it; nil when there is none.
func (p prepare) one(text string, args ...any) (found []driver.Value, err error) {
	err = p.each(func(row []driver.Value) error {
		found = slices.Clone(row)
		for i, value := range found {
			if blob, ok := value.([]byte); ok {
				found[i] = slices.Clone(blob)
			}
		}
		return nil
	}, text, args...)
	return found, err
}

// named fills the statement's own argument list: an argument is bound before the next use of the statement.
func (s *statement) named(args []any) []driver.NamedValue {
	s.args = s.args[:0]
	for i, arg := range args {
		s.args = append(s.args, driver.NamedValue{Ordinal: i + 1, Value: arg})
	}
	return s.args
}

// textOf and bytesOf read a column whatever of the two a driver makes of it.
func textOf(v driver.Value) string {
	switch x := v.(type) {
	case string:
		return x
	case []byte:
		return string(x)
	default:
		return ""
	}
}

func bytesOf(v driver.Value) []byte {
	switch x := v.(type) {
	case []byte:
		return x
	case string:
		return []byte(x)
	default:
		return nil
	}
}

func numberOf(v driver.Value) int64 {
	n, ok := v.(int64)
	if !ok {
		return 0
	}
	return n
}
