package app_test

import (
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/spool"
)

func TestAStartMergesTheSpoolWhereNoSweeperRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		w := newWorld(plan{}, 1, dir)
		w.calm, w.resend = true, "never"
		w.profile.Resend = "never"
		if err := w.emu.SetPlan(connectemu.Plan{Rules: []connectemu.Rule{{Fault: connectemu.PlaceThenReset}}}); err != nil {
			t.Fatal(err)
		}
		k := w.workers[0]
		w.restart(k)
		s := &subject{name: "notification-0", number: number(1)}
		w.subjects = append(w.subjects, s)
		w.publish()
		w.handle(ctx, k, w.pending)
		if c, _ := w.row(ctx, s.row()); c.State != call.Dialing || w.emu.RingCount() != 1 {
			t.Fatalf("the answer was not lost: %s, %d rings", c.State, w.emu.RingCount())
		}
		contact := w.emu.Rings()[0].ContactID
		err := spool.Open(filepath.Join(dir, "spool")).Keep(call.Fact{RowID: s.row(), Op: "fact-1", Event: call.Event{
			Kind: call.EventContact, At: time.Now().UTC(), ContactID: contact, From: "answer",
		}})
		if err != nil {
			t.Fatal(err)
		}
		w.restart(k)
		if c, _ := w.row(ctx, s.row()); c.State != call.Placed || c.ContactID != contact {
			t.Errorf("the row is %s although the spool knew its contact", c.State)
		}
		for _, k := range w.workers {
			w.end(k)
		}
		w.emu.Close()
	})
}
