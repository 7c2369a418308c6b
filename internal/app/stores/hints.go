package stores

import (
	"context"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/wake/river"
)

// hintsBeside opens hints in a file beside a SQLite ledger.
func hintsBeside(ledger string) func(ctx context.Context, r app.HintRequest) (app.Hints, error) {
	return func(ctx context.Context, r app.HintRequest) (app.Hints, error) {
		if r.Path == "" {
			r.Path = ledger + ".hints"
		}
		// The sweeper of a process on SQLite is its own: no job of another process could stand in for it.
		return river.OpenSQLite(ctx, r.Path, river.Options{Woken: r.Woken, Tell: r.Tell, Log: r.Log})
	}
}
