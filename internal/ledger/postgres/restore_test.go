//go:build integration

package postgres_test

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/postgres"
	"github.com/ringonce/ringonce/internal/pgtest"
)

// backedUp stops the server, copies its data and starts it again.
func backedUp(t *testing.T, s *pgtest.Server) string {
	t.Helper()
	s.Stop(t)
	defer s.Run(t)
	return s.CopyData(t)
}

// restored puts a copy in the place of the server's data.
func restored(t *testing.T, s *pgtest.Server, from string, newTimeline bool) {
	t.Helper()
	s.Stop(t)
	s.PutData(t, from, newTimeline)
	s.Run(t)
}

func wentBack(t *testing.T, o postgres.Options) {
	t.Helper()
	l, err := postgres.Open(t.Context(), o)
	if err == nil {
		t.Fatalf("a ledger that went back was opened; close: %v", l.Close())
	}
	refused(t, err, call.CodeLedgerWentBack, "ledger.witness")
	if !errors.Is(err, call.ErrWentBack) {
		t.Errorf("open: %v, want ErrWentBack", err)
	}
	if reason := seenByAReader(t, o); reason == "" {
		t.Error("a reader does not see that the ledger went back")
	}
}

func seenByAReader(t *testing.T, o postgres.Options) string {
	t.Helper()
	o.ReadOnly = true
	l, err := postgres.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	reason, err := l.WentBack(t.Context())
	if err != nil {
		t.Error(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	return reason
}

// recovered begins a recovery as the command does, and returns the epoch.
func recovered(t *testing.T, o postgres.Options) int64 {
	t.Helper()
	o.AllowRecovery = true
	l, err := postgres.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Create(t.Context(), accepted(t, "too-early")); !errors.Is(err, call.ErrWentBack) {
		t.Errorf("a write before the recovery: %v, want ErrWentBack", err)
	}
	if err := l.BeginRecovery(t.Context(), call.Recovery{Backup: noon, Restored: noon.Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	identity, err := l.Identity(t.Context())
	if err != nil || identity.Recovery == nil {
		t.Fatalf("identity %+v, error %v", identity, err)
	}
	create(t, l, "after-recovery-"+identity.ID+string(rune('a'+identity.Epoch)))
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	return identity.Epoch
}

// own returns the options of another machine on the same database.
func own(t *testing.T, o postgres.Options) postgres.Options {
	t.Helper()
	o.WitnessPath = filepath.Join(t.TempDir(), "witness")
	return o
}

func TestARestoredDatabaseIsRefusedUntilItIsRecovered(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	o := settings(t, server)
	other, idle := own(t, o), own(t, o)
	used(t, o, "a")
	used(t, idle, "a-of-idle")
	old := backedUp(t, server)
	used(t, o, "b")
	used(t, other, "c")
	if reason := seenByAReader(t, o); reason != "" {
		t.Errorf("a sound ledger: %s", reason)
	}

	restored(t, server, old, false)
	wentBack(t, o)
	wentBack(t, o) // asking twice does not make it younger
	wentBack(t, other)
	if epoch := recovered(t, o); epoch != 2 {
		t.Errorf("epoch %d, want 2", epoch)
	}
	used(t, o, "d")
	used(t, other, "e") // its witness is of the ledger's own past, which the recovery was about
	used(t, idle, "f")
	used(t, own(t, o), "g") // a machine that joins

	restored(t, server, old, false)
	wentBack(t, o)
	wentBack(t, other)
	wentBack(t, idle)
	recovered(t, other)
	wentBack(t, o) // a recovery of the same backup is another past than the one that this witness saw
}

func TestAnotherTimelineIsRefusedThoughNothingIsMissing(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	o := settings(t, server)
	used(t, o, "a")
	server.Stop(t)
	server.PutData(t, server.CopyData(t), true)
	server.Run(t)
	wentBack(t, o)
	wentBack(t, own(t, o)) // also by a machine that has no witness
	recovered(t, o)
	used(t, o, "b")
	used(t, own(t, o), "c")
}

func TestAStandbyIsRefused(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	o := settings(t, server)
	used(t, o, "a")
	server.Stop(t)
	server.Standby(t)
	server.Run(t)
	for _, readOnly := range []bool{false, true} {
		o.ReadOnly = readOnly
		l, err := postgres.Open(t.Context(), o)
		if err == nil {
			t.Fatalf("a standby was opened; close: %v", l.Close())
		}
		refused(t, err, call.CodeLedgerUnavailable, "ledger.driver")
	}
}

func TestAnotherServerIsRefused(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	schema := server.Schema(t)
	o := at(t, server.DSN(schema, ""))
	used(t, o, "a")
	server.Exec(t, "UPDATE "+schema+".ledger SET cluster = '1'") // as a dump brought it from there
	wentBack(t, own(t, o))
	recovered(t, o)
	used(t, o, "b")
}

func TestARunningProcessNoticesARestore(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	o := settings(t, server)
	used(t, o, "a")
	old := backedUp(t, server)
	l := open(t, o)
	create(t, l, "b")
	restored(t, server, old, false)
	deadline := time.Now().Add(time.Minute)
	for {
		_, err := l.Create(t.Context(), accepted(t, "c"))
		if errors.Is(err, call.ErrWentBack) {
			break
		}
		if err == nil || time.Now().After(deadline) {
			t.Fatalf("a write to a restored ledger: %v, want ErrWentBack", err)
		}
		t.Log(err) // the connections of before break first
	}
	select {
	case <-l.Gone():
	default:
		t.Error("the ledger is not gone")
	}
	if _, err := l.Get(t.Context(), "a"); !errors.Is(err, call.ErrWentBack) {
		t.Errorf("get: %v, want ErrWentBack", err)
	}
	wentBack(t, o)
}

func TestARunningProcessNoticesARecoveryByAnother(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	o := settings(t, server)
	l := open(t, o)
	create(t, l, "a")
	elsewhere := open(t, own(t, o))
	if err := elsewhere.BeginRecovery(t.Context(), call.Recovery{Backup: noon, Restored: noon}); err != nil {
		t.Fatal(err)
	}
	create(t, elsewhere, "b")
	if _, err := l.Create(t.Context(), accepted(t, "c")); !errors.Is(err, call.ErrWentBack) {
		t.Errorf("a write of before the recovery: %v, want ErrWentBack", err)
	}
	if _, err := elsewhere.Get(t.Context(), "c"); !errors.Is(err, call.ErrNotFound) {
		t.Errorf("the refused write: %v, want ErrNotFound", err)
	}
	used(t, o, "c") // a reopening helps
}

func TestAServerThatCrashedKeepsWhatWasAnswered(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	o := settings(t, server)
	l := open(t, o)
	for _, id := range []string{"a", "b", "c"} {
		create(t, l, id)
	}
	server.Crash(t)
	server.Run(t)
	again := open(t, o)
	for _, id := range []string{"a", "b", "c"} {
		if _, err := again.Get(t.Context(), id); err != nil {
			t.Errorf("get %s: %v", id, err)
		}
	}
}
