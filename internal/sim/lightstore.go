package sim

import (
	"context"
	"fmt"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/stores"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/memory"
)

// lightStore is the ledger of a light world, which outlives the workers on it.
type lightStore struct{ *memory.Ledger }

func newLightStore() lightStore { return lightStore{memory.New(memory.Options{})} }

// Open implements [Shared].
func (s lightStore) Open(context.Context, app.StoreRequest) (*app.Store, error) {
	l := s.Reopen()
	return &app.Store{Ledger: l, Index: l, Journal: l, Parking: l, Cells: l, Admin: l, Close: l.Close}, nil
}

// Quiet implements [Shared]: memory has no faults of its own.
func (lightStore) Quiet(bool) {}

// Backup implements [Shared].
func (lightStore) Backup(writes []*call.Write) Copy { return lightCopy(writes) }

// lightCopy is the writes of a light ledger.
type lightCopy []*call.Write

// Restore implements [Copy].
func (c lightCopy) Restore(ctx context.Context) (Shared, error) {
	s := newLightStore()
	for _, write := range c {
		apply := s.Update
		switch {
		case write.Entry.Seq == 1:
			apply = s.Create
		case write.Entry.Kind == call.EventForgotten:
			apply = s.Erase
		}
		if _, err := apply(ctx, *write); err != nil {
			return nil, fmt.Errorf("apply a write again: %w", err)
		}
	}
	return s, nil
}

// Noticed implements [Copy].
func (lightCopy) Noticed() bool { return false }

// stores are the ledgers that a worker can open, with the world's journal around them. One that outlives its workers is opened as "memory".
func (w *World) stores(g *gate) map[string]app.OpenStore {
	all := stores.All()
	if w.store != nil {
		all["memory"] = w.store.Open
	}
	for name, open := range all {
		all[name] = func(ctx context.Context, r app.StoreRequest) (*app.Store, error) {
			store, err := open(ctx, r)
			if err != nil {
				return nil, err
			}
			store.Journal = gatedJournal{store.Journal, g}
			return store, nil
		}
	}
	return all
}
