package call_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// asked is one hint.
type asked struct {
	id  string
	due time.Time
}

// wakes is where hints go. It sees that none comes before the write that it is about.
type wakes struct {
	w      *world
	ledger call.Ledger // that of the engine; nil means the store of the world
	asked  []asked
	err    error // of every hint
	tries  int   // hints, also those that failed
}

// Wake implements call.Waker.
func (k *wakes) Wake(ctx context.Context, id string, due time.Time) error {
	k.tries++
	if c, err := k.rows().Get(ctx, id); err != nil || !c.DueAt().Equal(due) {
		k.w.t.Errorf("a hint for %s at %s, and the ledger says %s (%v)", id, due, c.DueAt(), err)
	}
	err := k.err
	k.w.faults.effect("wake", func() {
		if err == nil {
			k.asked = append(k.asked, asked{id, due})
		}
	}, func() { err = errors.New("wake: connection reset") })
	return err
}

// counts returns how many hints were given since the last call, and complains about a second one for the same due.
func (k *wakes) counts() int {
	seen := map[string]bool{}
	for _, a := range k.asked {
		name := fmt.Sprint(a.id, a.due.UnixNano())
		if seen[name] {
			k.w.t.Errorf("two hints for %s at %s", a.id, a.due.Sub(start))
		}
		seen[name] = true
	}
	n := len(k.asked)
	k.asked = nil
	return n
}

// woken hands a hint to the engine.
func (w *world) woken(id string, due time.Time) (met call.Woke) {
	w.t.Helper()
	w.survive(func() {
		var err error
		if met, err = w.engine.Woken(context.Background(), id, due); err != nil {
			w.t.Errorf("a hint: %v", err)
		}
	})
	return met
}

// rows returns the ledger that the engine writes to, also after a restore.
func (k *wakes) rows() call.Ledger {
	if k.ledger != nil {
		return k.ledger
	}
	return k.w.store
}
