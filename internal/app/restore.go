package app

import (
	"context"

	"github.com/ringonce/ringonce/internal/call"
)

// RestoreRequest is a backup that is put in the place of a ledger.
type RestoreRequest struct {
	StoreRequest

	From   string // the file of the backup
	Suffix string // of the name under which the file before is kept
	Look   bool   // only say whether it could be done
}

// RestoreStore restores one kind of ledger. It returns who the ledger in the backup is, and where the file before is kept; empty for none.
type RestoreStore func(ctx context.Context, r RestoreRequest) (ledger call.LedgerIdentity, kept string, err error)

// Restore puts a backup in the place of the ledger of a configuration.
func (c *Config) Restore(ctx context.Context, o Options, restore RestoreStore, r RestoreRequest) (call.LedgerIdentity, string, error) {
	if c.Ledger.Driver != driverSQLite {
		return call.LedgerIdentity{}, "", c.refuse("ledger.driver", "Restore it as docs/postgres.md or docs/dynamodb.md says, with the means of its own service.",
			"%q has no file that could be restored.", c.DriverName())
	}
	o = o.withDefaults()
	naming, err := c.Naming(ctx, o)
	if err != nil {
		return call.LedgerIdentity{}, "", err
	}
	config := c.Ledger
	if config.Witness == "" {
		config.Witness = o.defaultWitness(config.Path, naming)
	}
	r.StoreRequest = StoreRequest{Config: config, Naming: naming, Clock: o.Clock, Random: o.Random}
	return restore(ctx, r)
}
