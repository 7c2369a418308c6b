//go:build integration

package postgres_test

import (
	"context"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/ledgertest"
	"github.com/ringonce/ringonce/internal/ledger/postgres"
	"github.com/ringonce/ringonce/internal/pgtest"
	"github.com/ringonce/ringonce/internal/secret"
)

// fixed is a clock that stands still; the ledger only stamps its making with it.
type fixed struct{ at time.Time }

func (c fixed) Now() time.Time { return c.at }

func (fixed) Sleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// settings returns the options of a ledger in a schema of its own.
func settings(t testing.TB, s *pgtest.Server) postgres.Options {
	t.Helper()
	return at(t, s.DSN(s.Schema(t), ""))
}

// at returns the options of a process of its own on the database of a connection string.
func at(t testing.TB, dsn string) postgres.Options {
	t.Helper()
	var ids atomic.Int64
	return postgres.Options{
		DSN: secret.New([]byte(dsn)), WitnessPath: filepath.Join(t.TempDir(), "witness"), Clock: fixed{noon},
		RandomID: func() string { return "ledger-" + filepath.Base(t.Name()) + "-" + strconv.FormatInt(ids.Add(1), 10) },
	}
}

// open opens a ledger that must open, and closes it with the test.
func open(t testing.TB, o postgres.Options) *postgres.Ledger {
	t.Helper()
	l, err := postgres.Open(t.Context(), o)
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

// store is a schema on which one ledger after the other is opened.
type store struct{ options postgres.Options }

func (s *store) Open(ctx context.Context) (ledgertest.Ledger, error) {
	return postgres.Open(ctx, s.options)
}

func (s *store) Kill(l ledgertest.Ledger) {
	if dying, ok := l.(*postgres.Ledger); ok {
		dying.Kill()
	}
}

func TestLedgerSitsTheExamOnPostgreSQL(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	ledgertest.Run(t, func() ledgertest.Store { return &store{settings(t, server)} }, ledgertest.Lacks{})
}

var (
	_ ledgertest.Ledger = (*postgres.Ledger)(nil)
	_ call.Clock        = fixed{}
)
