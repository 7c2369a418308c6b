package stores

import (
	"context"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/sqlite"
)

// Restore is the app.RestoreStore of SQLite.
func Restore(ctx context.Context, r app.RestoreRequest) (call.LedgerIdentity, string, error) {
	id, err := r.NewID()
	if err != nil {
		return call.LedgerIdentity{}, "", err
	}
	restored, err := sqlite.Restore(ctx, sqlite.Options{
		Path: r.Config.Path, WitnessPath: r.Config.Witness, Mode: r.Naming.Mode, Check: r.Naming.Check(), Recipient: r.Naming.Recipient,
		Suppressions: r.Config.Suppressions, RandomID: func() string { return id }, Clock: r.Clock,
	}, r.From, r.Suffix, r.Look)
	return restored.Ledger, restored.Kept, err
}
