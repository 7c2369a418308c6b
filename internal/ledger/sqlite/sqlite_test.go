package sqlite_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/ledgertest"
	"github.com/ringonce/ringonce/internal/ledger/sqlite"
)

// fixed is a clock that stands still; the ledger only stamps its making with it.
type fixed struct{ at time.Time }

func (c fixed) Now() time.Time { return c.at }

func (fixed) Sleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// settings returns the options of a ledger in a directory of its own, with the witness in another.
func settings(t testing.TB) sqlite.Options {
	t.Helper()
	return sqlite.Options{
		Path: filepath.Join(t.TempDir(), "ledger.db"), WitnessPath: filepath.Join(t.TempDir(), "witness"),
		RandomID: func() string { return "ledger-" + filepath.Base(t.Name()) }, Clock: fixed{noon},
	}
}

// open opens a ledger that must open, and closes it with the test.
func open(t testing.TB, o sqlite.Options) *sqlite.Ledger {
	t.Helper()
	l, err := sqlite.Open(t.Context(), o)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return l
}

// store is a directory on which one ledger after the other is opened.
type store struct{ options sqlite.Options }

func (s *store) Open(ctx context.Context) (ledgertest.Ledger, error) {
	return sqlite.Open(ctx, s.options)
}

func (s *store) Kill(l ledgertest.Ledger) {
	if dying, ok := l.(*sqlite.Ledger); ok {
		dying.Kill()
		_ = dying.Close() // releases the lock, as the kernel does for the dead
	}
}

func TestLedgerSitsTheExam(t *testing.T) {
	t.Parallel()
	ledgertest.Run(t, func() ledgertest.Store { return &store{settings(t)} }, ledgertest.Lacks{})
}

var _ ledgertest.Ledger = (*sqlite.Ledger)(nil)

var _ call.Clock = fixed{}
