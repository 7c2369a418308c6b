package sim

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
)

// backup is a copy of the ledger and of what was true when it was made.
type backup struct {
	at      time.Time
	writes  int
	kept    map[string]time.Time
	keptSeq map[string]int
	acked   map[string]known1

	accepted  map[string]int
	promised  map[string]string
	confirmed map[string]bool
	saw       map[string]bool
	given     map[hintName]int
	file      string // of SQLite
	copy      Copy   // of a ledger that outlives its workers
}

// backUp copies the ledger.
func backUp(_ context.Context, w *World, _ Act) error {
	t := &w.truth
	b := &backup{
		at: time.Now().UTC(), writes: len(t.writes), kept: maps.Clone(t.kept), keptSeq: maps.Clone(t.keptSeq), acked: maps.Clone(t.life.acked),
		accepted: maps.Clone(t.accepted), promised: maps.Clone(t.promised), confirmed: maps.Clone(t.life.confirmed), saw: maps.Clone(t.saw),
		given: maps.Clone(w.hints.given),
	}
	if w.store == nil {
		k := w.workers[0]
		if k.dead.Load() {
			return nil
		}
		w.end(k)
		b.file = w.path("backup.db")
		w.copyFile(w.path("ledger", "ringonce.db"), b.file)
		w.open(k)
	} else {
		b.copy = w.store.Backup(w.truth.writes[:b.writes:b.writes])
	}
	w.truth.backup = b
	return nil
}

func (w *World) copyFile(from, to string) {
	content, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, content, 0o600) //nolint:gosec // both are files of the world
	}
	if err != nil {
		w.find("copy a ledger: %v", err)
	}
}

// restore puts the copy in the ledger's place, as after the loss of a disk, and recovers as protocol.md section 11 says: all workers
// stop, the new epoch begins, unfinished calls are tainted, and everything is delivered again. "later=3d" is how long that takes, "taint=part"
// interrupts the tainting; the process can also die in it.
func restore(ctx context.Context, w *World, a Act) error {
	t := &w.truth
	if t.backup == nil || t.restored || len(w.busy) > 0 {
		return nil
	}
	w.fault("restore", "")
	k := w.workers[0]
	for _, other := range w.workers {
		w.end(other)
	}
	if v := a.value("later"); v != "" {
		d, err := parseSpan(v)
		if err != nil {
			return fmt.Errorf("later: %w", err)
		}
		time.Sleep(d)
	}
	before, spooled := w.asTheyWere(w.rows()), maps.Clone(w.inSpool)
	outage, full := w.outage, w.diskFull
	w.outage, w.diskFull = time.Time{}, time.Time{}
	if w.store == nil {
		w.restoreFile(k)
	} else {
		w.restoreShared(ctx, k)
	}
	w.recover(ctx, k, a.value("taint") == "part")
	w.outage, w.diskFull = outage, full
	if w.store != nil {
		w.store.Quiet(w.calm)
	}
	w.goBack(before, spooled)
	for _, other := range w.workers {
		w.open(other)
	}
	w.syncMirror(ctx)
	w.mark("restored")
	names := make([]string, len(w.messages))
	for i, m := range w.messages {
		names[i] = m.name
	}
	w.net.again(names)
	return nil
}

// syncMirror takes over what the recovery itself has written.
func (w *World) syncMirror(ctx context.Context) {
	w.each(ctx, func(c call.Call, _ []call.Entry) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.truth.set(&c)
		return nil
	})
}

func (w *World) restoreFile(k *worker) {
	path := w.path("ledger", "ringonce.db")
	newer, _ := filepath.Glob(path + "-*")
	for _, file := range newer {
		_ = os.Remove(file) // a log of the lost ledger; what a restore leaves out
	}
	w.copyFile(w.truth.backup.file, path)
	lost := len(w.truth.writes) > w.truth.backup.writes // before the start, which merges what the spool has
	if err := w.tryOpen(k, false); err == nil {
		if lost {
			w.find("a ledger that went back was opened as if nothing had happened")
		}
		w.end(k)
	} else if !errors.Is(err, call.ErrWentBack) {
		w.find("open a restored ledger: %v", err)
	}
}

func (w *World) restoreShared(ctx context.Context, k *worker) {
	restored, err := w.truth.backup.copy.Restore(ctx)
	if err != nil {
		w.find("restore: %v", err)
		return
	}
	w.store = restored
	if !w.truth.backup.copy.Noticed() {
		return
	}
	if err := w.tryOpen(k, false); !errors.Is(err, call.ErrWentBack) {
		w.find("open a restored ledger: %v", err)
	}
}

// trustedClock is how far clocks may be off for the date of the newest write to be believed: the day by which the send rule ends before a token does.
const trustedClock = call.TokenValidity - call.TokenUse

func (w *World) recover(ctx context.Context, k *worker, part bool) {
	if err := w.tryOpen(k, true); err != nil {
		w.find("open for recovery: %v", err)
		return
	}
	defer func() { // of a process that dies in the middle of it, the engine taints the rest when it meets it
		switch p := recover().(type) {
		case nil:
			w.end(k)
		case crashed:
			w.kill(k)
		default:
			panic(p)
		}
	}()
	identity, err := k.app.Store.Ledger.Identity(ctx)
	if err != nil {
		w.find("read the identity: %v", err)
		return
	}
	r := call.RecoveryOf(identity.LastWrite, time.Now().UTC())
	if w.worst > trustedClock && r.Backup.After(w.truth.backup.at) { // whoever knows that clocks were wrong gives --backup-time
		r.Backup = w.truth.backup.at
	}
	w.truth.restoredAt, w.truth.decided = r.Restored, len(w.truth.life.attempts)
	if w.options.Plant.NoRecovery {
		return
	}
	if err := k.app.Store.Admin.BeginRecovery(ctx, r); err != nil {
		w.find("begin the recovery: %v", err)
	}
	ids, _, err := k.app.Store.Admin.Unfinished(ctx, "", 1000)
	if err != nil {
		w.find("list what is unfinished: %v", err)
	}
	for i, id := range ids {
		if part && i%2 == 0 {
			continue // interrupted: the engine taints it when it meets it
		}
		if _, err := k.app.Engine.TaintRow(ctx, id, r); err != nil {
			w.find("taint: %v", err)
		}
	}
}

// scan shows the ledger every contact of Amazon Connect, as step 5 of a recovery does.
func (w *World) scan(ctx context.Context) {
	target := call.Target{Region: region, InstanceID: connectemu.DefaultInstance}
	for _, r := range w.phone.rings() {
		if _, err := w.workers[0].app.Engine.SawContact(ctx, target, r.contact); err != nil && !errors.Is(err, call.ErrNotFound) {
			w.find("scan: %v", err)
		}
		time.Sleep(200 * time.Millisecond) // DescribeContact: 10 requests a second
	}
}

// closeRecovery ends a recovery when every message was delivered again.
func (w *World) closeRecovery(ctx context.Context) {
	if err := w.workers[0].app.Store.Admin.CloseRecovery(ctx); err != nil {
		w.find("close the recovery: %v", err)
	}
	for _, k := range slices.Clone(w.workers) {
		w.restart(k)
	}
	w.truth.closed = true
	w.mark("recovery closed")
}
