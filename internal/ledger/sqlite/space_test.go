package sqlite

import (
	"errors"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
)

// coded is an error of a driver with SQLite's extended result code.
type coded int

func (c coded) Error() string { return "disk I/O error" }
func (c coded) Code() int     { return int(c) }

func TestAnIOErrorOnAFullDiskSaysThatTheDiskIsFull(t *testing.T) {
	t.Parallel()
	const shmSize = 4874 // SQLITE_IOERR_SHMSIZE, as a full tmpfs gives it
	err := explain(coded(shmSize), "connect")
	full := explainFree(err, 4096)
	if call.CodeOf(full) != call.CodeLedgerUnavailable || !strings.Contains(full.Error(), "The disk of ledger.path is full (4096 bytes are free)") || !errors.Is(full, coded(shmSize)) {
		t.Errorf("got %v", full)
	}
	if roomy := explainFree(err, 1<<30); roomy.Error() != err.Error() {
		t.Errorf("with space left: %v", roomy)
	}
	if other := explainSpace(errReadOnly, t.TempDir()); !errors.Is(other, errReadOnly) || call.CodeOf(other) != "" {
		t.Errorf("another error became %v", other)
	}
}
