package scenariotest

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/stores"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb/tabletest"
	"github.com/ringonce/ringonce/internal/ledger/memory"
)

// drivers are the ledgers that a story about every store is told on.
func drivers() []string { return []string{"sqlite", "memory", "dynamodb"} }

// everywhere tells a story on each of them.
func everywhere(t *testing.T, s setting, story func(w *world)) {
	t.Helper()
	for _, driver := range drivers() {
		t.Run(driver, func(t *testing.T) {
			t.Parallel()
			on := s
			on.driver = driver
			play(t, on, story)
		})
	}
}

func (w *world) stores() map[string]app.OpenStore {
	all := stores.All()
	all["shared"] = w.store
	return all
}

// sharedStore makes what outlives the process in memory: the store itself, or a table of DynamoDB.
func (w *world) sharedStore() app.OpenStore {
	switch w.setting.driver {
	case "memory":
		first := memory.New(memory.Options{})
		return func(context.Context, app.StoreRequest) (*app.Store, error) {
			l := first.Reopen()
			return &app.Store{Ledger: l, Index: l, Journal: l, Cells: l, Admin: l, Close: l.Close}, nil
		}
	case "dynamodb":
		return onTable(tabletest.New(w.T))
	}
	return nil
}

// onTable opens the driver of DynamoDB on a table in memory.
func onTable(table *tabletest.Table) app.OpenStore {
	return func(ctx context.Context, r app.StoreRequest) (*app.Store, error) {
		l, err := dynamodb.Open(ctx, dynamodb.Options{
			Table: "calls", Region: region, HTTPClient: table, CreateTable: true, Clock: app.SystemClock{}, RandomID: func() string { return "scenario" },
			UniqueTokens: r.UniqueTokens, Suppressions: "first-20",
			Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
				return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
			}),
		})
		if err != nil {
			return nil, err
		}
		return &app.Store{Ledger: l, Index: l, Journal: l, Cells: l, Admin: l, Close: l.Close, Peek: l.Peek}, nil
	}
}
