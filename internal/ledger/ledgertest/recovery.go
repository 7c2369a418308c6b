package ledgertest

import (
	"fmt"
	"slices"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

func recovery() Suite {
	return Suite{Name: "Recovery", skip: func(l Lacks) bool { return l.Recovery }, cases: []exercise{
		{name: "a recovery raises the epoch and is remembered until closed", run: recoveryRemembered},
		{name: "no recovery can be closed that is not open", run: recoveryNotOpen},
		{name: "unfinished rows page in the order of creation", run: unfinishedPages},
	}}
}

func recoveryRemembered(x *exam) {
	x.mustCreate(x.first("a"))
	before := x.identity()
	if before.Recovery != nil {
		x.Errorf("a new ledger is in recovery: %+v", before.Recovery)
	}
	want := call.Recovery{Backup: start.Add(-time.Hour), Restored: start}
	for round := int64(1); round <= 2; round++ {
		if err := x.BeginRecovery(x.ctx, want); err != nil {
			x.Fatalf("begin: %v", err)
		}
		for range 2 {
			open := x.identity()
			if open.Epoch != before.Epoch+round || open.ID != before.ID || open.HighWater != before.HighWater {
				x.Errorf("the recovery changed the identity from %+v to %+v", before, open)
			}
			if open.Recovery == nil || !open.Recovery.Backup.Equal(want.Backup) || !open.Recovery.Restored.Equal(want.Restored) {
				x.Errorf("the recovery is %+v, want %+v", open.Recovery, want)
			}
			x.restart()
		}
	}
	x.mustUpdate(x.held(x.mustGet("a"), start, "op-2"))
	if err := x.CloseRecovery(x.ctx); err != nil {
		x.Fatalf("close: %v", err)
	}
	x.restart()
	if after := x.identity(); after.Recovery != nil || after.Epoch != before.Epoch+2 {
		x.Errorf("after the close: %+v", after)
	}
}

func recoveryNotOpen(x *exam) {
	if err := x.CloseRecovery(x.ctx); call.CodeOf(err) != call.CodeRecoveryNotOpen {
		x.Errorf("close: %v, want code %s", err, call.CodeRecoveryNotOpen)
	}
}

func unfinishedPages(x *exam) {
	var want []string
	for i := range 9 {
		id := fmt.Sprintf("row-%d", i)
		w := x.first(id)
		x.mustCreate(w)
		if i%3 == 1 {
			x.mustUpdate(x.placed(w.Row, "contact-"+id, "op-placed-"+id))
			continue
		}
		want = append(want, id)
	}
	for _, limit := range []int{1, 2, 6, 50} {
		var got []string
		cursor, pages := "", 0
		for {
			ids, next, err := x.Unfinished(x.ctx, cursor, limit)
			if err != nil || len(ids) > limit || pages > 50 {
				x.Fatalf("unfinished, at most %d: %d ids, page %d, error %v", limit, len(ids), pages, err)
			}
			got = append(got, ids...)
			pages++
			if next == "" {
				break
			}
			cursor = next
		}
		if !slices.Equal(got, want) {
			x.Errorf("unfinished by %d: %v, want %v", limit, got, want)
		}
	}
}
