// Package stores lists the ledgers that the binary for people is built with. It is apart from package awsstores so that
// the Lambda links none but those on AWS.
package stores

import (
	"context"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/awsstores"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/postgres"
	"github.com/ringonce/ringonce/internal/ledger/sqlite"
)

// All returns the openers by the name in ledger.driver.
func All() map[string]app.OpenStore {
	all := awsstores.All()
	all["sqlite"] = func(ctx context.Context, r app.StoreRequest) (*app.Store, error) { return OpenSQLite(ctx, r, "") }
	all["postgres"] = openPostgres
	return all
}

func openPostgres(ctx context.Context, r app.StoreRequest) (*app.Store, error) {
	id, err := r.NewID()
	if err != nil {
		return nil, err
	}
	o := postgres.Options{
		DSN: r.DSN, DSNField: r.DSNField, Relaxed: r.Relaxed, WitnessPath: r.Config.Witness, Mode: r.Naming.Mode, Check: r.Naming.Check(),
		Recipient: r.Naming.Recipient, Suppressions: r.Config.Suppressions, RandomID: func() string { return id }, Clock: r.Clock,
		AllowRecovery: r.AllowRecovery, ReadOnly: r.ReadOnly, Cells: r.Cells,
		Waits: func() { tell(ctx, r.Observer, schemaWaits) },
	}
	ledger, err := postgres.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	return &app.Store{
		Ledger: ledger, Index: ledger, Journal: ledger, Parking: ledger, Cells: ledger, Admin: ledger, Close: ledger.Close, WentBack: ledger.WentBack, Inspect: ledger.Inspect,
		Gone: ledger.Gone(), OpenHints: hintsWithin(o, ledger, r.Observer),
	}, nil
}

var schemaWaits = call.Decided{
	What: "schema-waits", Reason: "The start brings the schema up to date. It may wait for transactions that are older, or for a process that does: see pg_stat_progress_create_index.",
}

func tell(ctx context.Context, observer call.Observer, what call.Decided) {
	if observer != nil {
		observer.Decided(ctx, what)
	}
}

// OpenSQLite opens a SQLite ledger with a driver of database/sql by its name; the empty name is the driver that is shipped.
func OpenSQLite(ctx context.Context, r app.StoreRequest, driver string) (*app.Store, error) {
	id, err := r.NewID()
	if err != nil {
		return nil, err
	}
	ledger, err := sqlite.Open(ctx, sqlite.Options{
		Path: r.Config.Path, WitnessPath: r.Config.Witness, Mode: r.Naming.Mode, Check: r.Naming.Check(), Recipient: r.Naming.Recipient,
		Suppressions: r.Config.Suppressions, RandomID: func() string { return id }, Clock: r.Clock,
		AllowRecovery: r.AllowRecovery, ReadOnly: r.ReadOnly, Cells: r.Cells, Driver: driver,
	})
	if err != nil {
		return nil, err
	}
	return &app.Store{
		Ledger: ledger, Index: ledger, Journal: ledger, Parking: ledger, Cells: ledger, Admin: ledger, Close: ledger.Close, WentBack: ledger.WentBack, Inspect: ledger.Inspect,
		Gone: ledger.Gone(), Backup: ledger.Backup, OpenHints: hintsBeside(r.Config.Path),
	}, nil
}
