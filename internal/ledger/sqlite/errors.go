package sqlite

import (
	"errors"
	"fmt"

	"github.com/ringonce/ringonce/internal/call"
)

// The primary result codes of SQLite that mean something to a caller (sqlite.org/rescode.html).
const (
	resultBusy     = 5
	resultLocked   = 6
	resultReadOnly = 8
	resultIOError  = 10
	resultCorrupt  = 11
	resultFull     = 13
	resultCantOpen = 14
	resultNotADB   = 26
)

var (
	errClosed   = errors.New("the ledger is closed")
	errKilled   = errors.New("the process was killed")
	errReadOnly = errors.New("the ledger was opened for reading only")
	errBusyLog  = errors.New("the log is being read")
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
	shown := &call.Error{Code: call.CodeLedgerUnavailable, Field: "ledger.path", Message: fmt.Sprintf(format, args...), Fix: fix}
	return &refusal{shown: shown, cause: cause}
}

// resultOf returns SQLite's primary result code of an error of any driver that exposes one; 0 when there is none.
func resultOf(err error) int {
	if coded, ok := errors.AsType[interface {
		error
		Code() int
	}](err); ok {
		return coded.Code() & 0xff
	}
	return 0
}

// explain turns an error of SQLite into a sentence with the field and the fix.
func explain(err error, during string) error {
	if errors.Is(err, errClaimedTwice) {
		return unavailable(err, "Stop every worker, and run ringonce restore with a backup, then ringonce ledger recover.",
			"The ledger's file is damaged (%v).", err)
	}
	switch resultOf(err) {
	case resultFull:
		return unavailable(err, "Free space on the disk of ledger.path; the same write may then be sent again.",
			"The disk of the ledger is full while it was to %s; nothing of it was written.", during)
	case resultIOError:
		return unavailable(err, "Check the disk, then restart this process: it reopens the ledger and reads what is there.",
			"The ledger met an I/O error while it was to %s (%v); its last writes are unknown.", during, err)
	case resultCorrupt, resultNotADB:
		return unavailable(err, "Run ringonce restore with a backup (a file that was copied here by hand met the -wal of the one before it), then ringonce ledger recover.",
			"The file at ledger.path is not a ledger or is damaged (%v).", err)
	case resultBusy, resultLocked:
		return unavailable(err, "Stop the other process that writes to the file.",
			"Another program holds a lock on the ledger's file while it was to %s.", during)
	case resultReadOnly, resultCantOpen:
		return unavailable(err, "Make the file and its directory writable for this user, or name another ledger.path.",
			"The ledger's file cannot be written while it was to %s (%v).", during, err)
	default:
		return fmt.Errorf("ledger: %s: %w", during, err)
	}
}

// poisonous reports whether an error leaves the state of the file unknown, so that the ledger must be reopened.
func poisonous(err error) bool {
	switch resultOf(err) {
	case resultIOError, resultCorrupt, resultNotADB:
		return true
	default:
		return errors.Is(err, errClaimedTwice)
	}
}
