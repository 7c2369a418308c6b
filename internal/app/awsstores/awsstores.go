// Package awsstores lists the ledgers on AWS. It is apart from package stores so that the Lambda links these and no others.
package awsstores

import (
	"context"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb/kmskey"
)

// All returns the openers by the name in ledger.driver.
func All() map[string]app.OpenStore {
	return map[string]app.OpenStore{"dynamodb": openDynamoDB}
}

func openDynamoDB(ctx context.Context, r app.StoreRequest) (*app.Store, error) {
	id, err := r.NewID()
	if err != nil {
		return nil, err
	}
	ledger, err := dynamodb.Open(ctx, dynamodb.Options{
		Table: r.Config.Table, Region: r.Config.Region, Endpoint: r.Config.Endpoint, CreateTable: r.Config.CreateTable, Credentials: r.Credentials,
		UniqueTokens: r.UniqueTokens, Mode: r.Naming.Mode, Check: r.Naming.Check(), Recipient: r.Naming.Recipient,
		Suppressions: r.Config.Suppressions, RandomID: func() string { return id }, Clock: r.Clock, Observer: r.Observer,
		AllowRecovery: r.AllowRecovery, ReadOnly: r.ReadOnly, KMSKey: r.Config.KMSKey,
		// Also without a key in the configuration: calls that were encrypted before stay readable. It connects to nothing until one is met.
		Keys: kmskey.New(kmskey.Options{Credentials: r.Credentials, Endpoint: r.Config.Endpoint, Clock: r.Clock}),
	})
	if err != nil {
		return nil, err
	}
	return &app.Store{Ledger: ledger, Index: ledger, Journal: ledger, Parking: ledger, Cells: ledger, Admin: ledger, Close: ledger.Close, Peek: ledger.Peek, WentBack: ledger.WentBack}, nil
}
