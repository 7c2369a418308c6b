// Package stores lists the ledgers that the binary for people is built with. It is apart from package app so that the Lambda
// links none of them.
package stores

import (
	"context"
	"encoding/hex"
	"io"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/sqlite"
)

// All returns the openers by the name in ledger.driver.
func All() map[string]app.OpenStore {
	return map[string]app.OpenStore{"sqlite": openSQLite}
}

func openSQLite(ctx context.Context, r app.StoreRequest) (*app.Store, error) {
	id, err := ledgerID(r.Random)
	if err != nil {
		return nil, err
	}
	ledger, err := sqlite.Open(ctx, sqlite.Options{
		Path: r.Config.Path, WitnessPath: r.Config.Witness, Mode: r.Naming.Mode, Check: r.Naming.Check(), Recipient: r.Naming.Recipient,
		Suppressions: r.Config.Suppressions, RandomID: func() string { return id }, Clock: r.Clock,
		AllowRecovery: r.AllowRecovery, ReadOnly: r.ReadOnly,
	})
	if err != nil {
		return nil, err
	}
	return &app.Store{Ledger: ledger, Index: ledger, Journal: ledger, Admin: ledger, Close: ledger.Close}, nil
}

func ledgerID(random io.Reader) (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", &call.Error{Code: call.CodeConfiguration, Message: "No randomness can be read for the ledger's id.", Fix: "Check the system's random source."}
	}
	return hex.EncodeToString(b[:]), nil
}
