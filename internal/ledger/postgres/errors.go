package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/stored"
)

var (
	errClosed   = errors.New("the ledger is closed")
	errReadOnly = errors.New("the ledger was opened for reading only")
)

// The codes and classes of SQLSTATE that mean something to a caller (PostgreSQL documentation, appendix A).
const (
	stateProtocol    = "08P01"
	stateReadOnly    = "25006"
	stateNoDatabase  = "3D000"
	stateNoSchema    = "3F000"
	stateNoTable     = "42P01"
	stateForbidden   = "42501"
	stateDiskFull    = "53100"
	stateTooMany     = "53300"
	stateLockTimeout = "55P03"
	stateStarting    = "57P03"
	classNoLogin     = "28"
	classNoResources = "53"
	classData        = "22" // a value that the type cannot hold
	classConstraint  = "23"
	classLimits      = "54"
)

// refusal is a call.Error with the error behind it. Only the first is printed, both are found by errors.Is and errors.As.
type refusal struct {
	shown *call.Error
	cause error
}

// Error returns the sentence and the next step.
func (r *refusal) Error() string { return r.shown.Error() }

// Unwrap returns what is shown and what is behind it.
func (r *refusal) Unwrap() []error { return []error{r.shown, r.cause} }

func misconfigured(field, fix, format string, args ...any) *call.Error {
	return &call.Error{Code: call.CodeConfiguration, Field: field, Message: fmt.Sprintf(format, args...), Fix: fix}
}

func unavailable(cause error, fix, format string, args ...any) error {
	shown := &call.Error{Code: call.CodeLedgerUnavailable, Field: "ledger.driver", Message: fmt.Sprintf(format, args...), Fix: fix}
	return &refusal{shown: shown, cause: cause}
}

// rolledBack reports whether an error says that nothing of its transaction was applied: PostgreSQL refused a statement or the commit, or nothing was
// sent. A FATAL is none: it ends a session whose commit may be done.
func rolledBack(err error) bool {
	if said, ok := errors.AsType[*pgconn.PgError](err); ok {
		return said.SeverityUnlocalized == "ERROR"
	}
	_, unconnected := errors.AsType[*pgconn.ConnectError](err)
	return unconnected || pgconn.SafeToRetry(err)
}

// unstorable reports whether PostgreSQL refused a value, as it would again.
func unstorable(err error) bool {
	said, ok := errors.AsType[*pgconn.PgError](err)
	if !ok || said.SeverityUnlocalized != "ERROR" {
		return false
	}
	class := said.Code[:min(2, len(said.Code))]
	return class == classData || class == classConstraint || class == classLimits
}

// explain turns an error of PostgreSQL into a sentence with the field and the fix. What it does not know stays a plain error, which is ambiguous.
func explain(err error, during string) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) && !rolledBack(err) {
		return err
	}
	if _, done := errors.AsType[*call.Error](err); done {
		return err
	}
	said, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		if errors.Is(err, errStandby) || errors.Is(err, errShared) || errors.Is(err, errOptions) {
			return wrongServer(err)
		}
		if _, unconnected := errors.AsType[*pgconn.ConnectError](err); unconnected {
			return unavailable(err, "Check that the server of the connection string runs and can be reached.", "PostgreSQL cannot be reached while it was to %s.", during)
		}
		return fmt.Errorf("ledger: %s: %w", during, err)
	}
	class := said.Code[:min(2, len(said.Code))]
	switch {
	case said.Code == stateProtocol && strings.Contains(said.Message, "startup parameter"):
		return unavailable(err, "Take it out of the connection string; settings that are no options are set in the session.", "A pooler refuses the connection: %s.", said.Message)
	case said.Code == stateReadOnly:
		return unavailable(err, "Name the primary in the connection string, or add target_session_attrs=read-write.", "The server is a standby or read-only while it was to %s.", during)
	case said.Code == stateNoDatabase || said.Code == stateNoSchema || said.Code == stateNoTable:
		return unavailable(err, "Create the database and its schema, and run ringonce serve once: it makes the tables.", "PostgreSQL has no ledger there (%s).", said.Code)
	case said.Code == stateForbidden:
		return unavailable(err, "Grant the role what docs/postgres.md lists.", "The role may not %s: %s.", during, said.Message)
	case class == classNoLogin:
		return unavailable(err, "Check the user and password of the connection string.", "PostgreSQL refuses the login (%s).", said.Code)
	case said.Code == stateDiskFull:
		return unavailable(err, "Free space on the server's disk; the same write may then be sent again.", "The disk of PostgreSQL is full while it was to %s; nothing of it was written.", during)
	case said.Code == stateTooMany:
		return unavailable(err, "Raise max_connections, or lower pool_max_conns of the connection strings.", "PostgreSQL takes no more connections.")
	case class == classNoResources:
		return unavailable(err, "Check the resources of the server; the same write may then be sent again.", "PostgreSQL has no resources to %s (%s); nothing of it was written.", during, said.Code)
	case said.Code == stateLockTimeout:
		return unavailable(err, "Find who holds the lock in pg_stat_activity; the same write may be sent again.", "Another session holds a lock for too long while it was to %s; nothing of it was written.", during)
	case said.Code == stateStarting:
		return unavailable(err, "Wait until it has started.", "PostgreSQL is starting or stopping.")
	}
	return fmt.Errorf("ledger: %s: %w", during, err)
}

// undecodable adds the fix to the error of a row that this program cannot read.
func undecodable(err error) error {
	if errors.Is(err, call.ErrNewerRow) {
		return newer("%v.", err)
	}
	return unavailable(err, "Run ringonce ledger verify.", "A row of the ledger cannot be read (%v).", err)
}

func newer(format string, args ...any) error {
	return &refusal{cause: call.ErrNewerRow, shown: misconfigured("ledger.driver", "Run the newer version of ringonce that wrote it.", format, args...)}
}

func decode(doc []byte) (call.Call, error) {
	c, err := stored.Call(doc)
	if err != nil {
		return call.Call{}, undecodable(err)
	}
	return c, nil
}
