package sim

import (
	"context"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/stores"
	"github.com/ringonce/ringonce/internal/ledger/memory"
)

// lightStore is the ledger of a light world, which outlives the workers on it.
type lightStore struct{ *memory.Ledger }

func newLightStore() *lightStore { return &lightStore{memory.New(memory.Options{})} }

// stores are the ledgers that a worker can open, with the world's journal around them.
func (w *World) stores(g *gate) map[string]app.OpenStore {
	all := stores.All()
	if w.store != nil {
		all["memory"] = func(context.Context, app.StoreRequest) (*app.Store, error) {
			l := w.store.Reopen()
			return &app.Store{Ledger: l, Index: l, Journal: l, Parking: l, Admin: l, Close: l.Close}, nil
		}
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
