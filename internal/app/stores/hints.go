package stores

import (
	"context"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/postgres"
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

// hintsWithin opens hints in the database of a PostgreSQL ledger. They have connections of their own: one of them waits for jobs all the time, and
// the ledger's are few. Of the processes that share the database, one does each job, the sweep among them; the sweeper of each process goes on.
//
// Hints for what the ledger writes lie in the transaction of the write, on its connection.
func hintsWithin(o postgres.Options, ledger *postgres.Ledger, observer call.Observer) func(ctx context.Context, r app.HintRequest) (app.Hints, error) {
	return func(ctx context.Context, r app.HintRequest) (app.Hints, error) {
		pool, err := postgres.NewPool(ctx, o)
		if err != nil {
			return nil, err
		}
		hints, err := river.OpenPostgres(ctx, pool, river.Options{Woken: r.Woken, Tell: r.Tell, Log: r.Log, Sweep: r.Sweep, SweepEvery: r.SweepEvery})
		if err != nil {
			return nil, err
		}
		j := &joined{Hints: hints, part: func() { ledger.Join(nil) }, give: hints.WakeManyTx, clock: o.Clock, observer: observer}
		ledger.Join(j.write)
		return j, nil
	}
}
