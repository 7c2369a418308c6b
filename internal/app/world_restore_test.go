package app_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
)

// backUp copies the ledger.
func (w *world) backUp() {
	b := &backup{at: time.Now().UTC(), writes: len(w.truth.writes), kept: maps.Clone(w.truth.kept), keptSeq: maps.Clone(w.truth.keptSeq)}
	if w.sqlite {
		k := w.workers[0]
		w.end(k)
		b.file = filepath.Join(w.dir, "backup.db")
		w.copyFile(w.config("").Ledger.Path, b.file)
		w.open(k)
	}
	if table, ok := w.store.(tableLedger); ok {
		b.items = table.table.Backup()
	}
	w.truth.backup = b
}

func (w *world) copyFile(from, to string) {
	content, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, content, 0o600)
	}
	if err != nil {
		w.find("copy a ledger: %v", err)
	}
}

// restore puts the copy in the ledger's place, as after the loss of a disk, and recovers as protocol.md section 11 says: all workers
// stop, the new epoch begins, unfinished calls are tainted, and everything is delivered again.
func (w *world) restore(ctx context.Context) {
	t := &w.truth
	k := w.workers[0]
	for _, other := range w.workers {
		w.end(other)
	}
	time.Sleep(pick(w, time.Second, time.Minute, time.Hour, 3*day, 8*day))
	calm := w.calm
	w.calm = true
	if w.sqlite {
		path := w.config("").Ledger.Path
		newer, _ := filepath.Glob(path + "-*")
		for _, file := range newer {
			_ = os.Remove(file) // a log of the lost ledger; what a restore leaves out
		}
		w.copyFile(t.backup.file, path)
		if err := w.tryOpen(k, false); err == nil {
			if len(t.writes) > t.backup.writes {
				w.find("a ledger that went back was opened as if nothing had happened")
			}
			w.end(k)
		} else if !errors.Is(err, call.ErrWentBack) {
			w.find("open a restored ledger: %v", err)
		}
	} else if table, ok := w.store.(tableLedger); ok {
		w.store = table.restored(t.backup)
		if err := w.tryOpen(k, false); !errors.Is(err, call.ErrWentBack) {
			w.find("open a restored table: %v", err)
		}
	} else {
		w.store = w.newShared()
		for _, write := range t.writes[:t.backup.writes] {
			apply := w.store.Update
			switch {
			case write.Entry.Seq == 1:
				apply = w.store.Create
			case write.Entry.Kind == call.EventForgotten:
				apply = w.store.Erase
			}
			if _, err := apply(ctx, write); err != nil {
				w.find("restore: %v", err)
			}
		}
	}
	w.recover(ctx, k)
	w.calm = calm
	t.restored = true
	t.writes, t.accepted, t.safe = t.writes[:t.backup.writes], map[string]bool{}, map[string]string{}
	t.kept, t.keptSeq = t.backup.kept, t.backup.keptSeq
	for _, other := range w.workers {
		w.open(other)
	}
	w.mark("restored")
	w.pending, w.dlq = nil, nil
	for _, m := range w.history {
		again := *m
		again.received = 0
		w.pending = append(w.pending, &again)
	}
}

func (w *world) recover(ctx context.Context, k *worker) {
	if err := w.tryOpen(k, true); err != nil {
		w.find("open for recovery: %v", err)
		return
	}
	defer w.end(k)
	identity, err := k.app.Store.Ledger.Identity(ctx)
	if err != nil {
		w.find("read the identity: %v", err)
		return
	}
	r := call.Recovery{Backup: identity.LastWrite, Restored: time.Now().UTC()}
	if r.Backup.IsZero() {
		r.Backup = r.Restored.Add(-call.TokenValidity)
	}
	w.truth.restoredAt = r.Restored
	if w.defect.name == "restore without its recovery" {
		return
	}
	if err := k.app.Store.Admin.BeginRecovery(ctx, r); err != nil {
		w.find("begin the recovery: %v", err)
	}
	ids, _, err := k.app.Store.Admin.Unfinished(ctx, "", 1000)
	if err != nil {
		w.find("list what is unfinished: %v", err)
	}
	for _, id := range ids {
		if w.chance(0.3) {
			continue // interrupted: the engine taints it when it meets it
		}
		if _, err := k.app.Engine.TaintRow(ctx, id, r); err != nil {
			w.find("taint: %v", err)
		}
	}
}

// scan shows the ledger every contact of Amazon Connect, as step 5 of a recovery does.
func (w *world) scan(ctx context.Context) {
	if !w.truth.restored || w.chance(0.3) {
		return
	}
	target := call.Target{Region: testRegion, InstanceID: connectemu.DefaultInstance}
	for _, contact := range w.emu.Contacts() {
		_, err := w.workers[0].app.Engine.SawContact(ctx, target, contact.ID)
		for try := 1; try < 5 && call.CodeOf(err) == call.CodeLedgerUnavailable; try++ { // the data keys of an encrypted table can be out of reach
			_, err = w.workers[0].app.Engine.SawContact(ctx, target, contact.ID)
		}
		if err != nil && !errors.Is(err, call.ErrNotFound) {
			w.find("scan: %v", err)
		}
		time.Sleep(200 * time.Millisecond) // DescribeContact: 10 requests a second
	}
}

// closeRecovery ends a recovery when every message was delivered again.
func (w *world) closeRecovery(ctx context.Context) {
	if !w.truth.restored || w.chance(0.5) || w.defect.name != "" {
		return
	}
	if err := w.workers[0].app.Store.Admin.CloseRecovery(ctx); err != nil {
		w.find("close the recovery: %v", err)
	}
	for _, k := range w.workers {
		w.restart(k)
	}
	w.truth.closed = true
	w.mark("recovery closed")
}
