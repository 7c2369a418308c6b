//go:build integration

package postgres_test

import (
	"errors"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/postgres"
	"github.com/ringonce/ringonce/internal/pgtest"
)

// TestAPromotedStandbyThatLacksWritesIsRefusedUntilItIsRecovered lives a failover: the standby has not received the last write, and takes the place of the
// primary under a ledger that is open.
func TestAPromotedStandbyThatLacksWritesIsRefusedUntilItIsRecovered(t *testing.T) {
	t.Parallel()
	primary := pgtest.Start(t)
	o := settings(t, primary)
	used(t, o, "before")
	standby := primary.Follow(t)
	running, joining := open(t, o), own(t, o)
	create(t, running, "received")
	received(t, primary)
	standby.Stop(t)
	create(t, running, "lost")

	primary.Crash(t)
	standby.Move(primary) // the address of the connection strings
	standby.Run(t)
	standbyIsRefused(t, o)
	standby.Promote(t)

	for deadline := time.Now().Add(time.Minute); ; {
		_, err := running.Create(t.Context(), accepted(t, "next"))
		if errors.Is(err, call.ErrWentBack) {
			break
		}
		if err == nil || time.Now().After(deadline) {
			t.Fatalf("a write to a promoted standby: %v, want ErrWentBack", err)
		}
	}
	select {
	case <-running.Gone():
	default:
		t.Error("the ledger is not gone")
	}
	wentBack(t, o)
	wentBack(t, joining) // without a witness the timeline tells
	recovered(t, o)
	again := open(t, o)
	there(t, again, "received", true)
	there(t, again, "lost", false)
	there(t, again, "next", false)
	create(t, again, "next")
	used(t, joining, "of another machine")
}

func standbyIsRefused(t *testing.T, o postgres.Options) {
	t.Helper()
	for _, readOnly := range []bool{false, true} {
		o.ReadOnly = readOnly
		l, err := postgres.Open(t.Context(), o)
		if err == nil {
			t.Fatalf("a standby was opened; close: %v", l.Close())
		}
		refused(t, err, call.CodeLedgerUnavailable, "ledger.driver")
	}
}

// received waits until the standby has applied what the primary wrote.
func received(t *testing.T, primary *pgtest.Server) {
	t.Helper()
	primary.Exec(t, `DO $$ BEGIN
		FOR i IN 1..300 LOOP
			PERFORM pg_stat_clear_snapshot();
			IF EXISTS (SELECT 1 FROM pg_stat_replication WHERE application_name = 'standby' AND replay_lsn >= pg_current_wal_flush_lsn()) THEN RETURN; END IF;
			PERFORM pg_sleep(0.1);
		END LOOP;
		RAISE 'the standby does not follow';
	END $$`)
}
