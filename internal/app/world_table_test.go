package app_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb/tabletest"
	"github.com/ringonce/ringonce/internal/ledger/memory"
)

// shared is a ledger that outlives the workers on it: the world's own handle, and a way to open it as a worker does.
type shared interface {
	call.Ledger
	call.Eraser
	Each(ctx context.Context, visit func(call.Call, []call.Entry) error) error
	reopen(ctx context.Context, r app.StoreRequest) (*app.Store, error)
}

// newShared makes an empty one.
func (w *world) newShared() shared {
	if !w.table {
		return memoryLedger{memory.New(memory.Options{})}
	}
	return openTable(tabletest.New(panicking{}), w.seed)
}

func openTable(table *tabletest.Table, seed uint64) tableLedger {
	t := tableLedger{table: table, seed: seed}
	l, err := t.open(context.Background(), app.StoreRequest{AllowRecovery: true})
	if err != nil {
		panic(err)
	}
	t.Ledger = l
	return t
}

type memoryLedger struct{ *memory.Ledger }

func (m memoryLedger) reopen(context.Context, app.StoreRequest) (*app.Store, error) {
	l := m.Reopen()
	return &app.Store{Ledger: l, Index: l, Journal: l, Admin: l, Close: l.Close}, nil
}

// tableLedger is a ledger of the DynamoDB driver on a table in memory. The world's own handle meets no faults.
type tableLedger struct {
	*dynamodb.Ledger

	table *tabletest.Table
	seed  uint64
}

func (t tableLedger) open(ctx context.Context, r app.StoreRequest) (*dynamodb.Ledger, error) {
	return dynamodb.Open(ctx, dynamodb.Options{
		Table: "calls", Region: "us-east-1", HTTPClient: t.table, CreateTable: true, Clock: app.SystemClock{}, RandomID: func() string { return "world" },
		UniqueTokens: r.UniqueTokens, AllowRecovery: r.AllowRecovery,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
		}),
	})
}

// reopen opens the ledger for a worker. On half of the seeds one write in 20 suffers from then on: it is lost before or after it was
// applied, throttled, or answered by a 500; on a third the table leaves the old item out of failed conditions.
func (t tableLedger) reopen(ctx context.Context, r app.StoreRequest) (*app.Store, error) {
	l, err := t.open(ctx, r)
	if err != nil {
		return nil, err
	}
	random := rand.New(rand.NewPCG(t.seed, 3))
	t.table.Shake(t.seed%3 == 0, func(op, pk string) tabletest.Fate {
		if t.seed%2 == 0 && op == "PutItem" && pk[0] != '#' && random.IntN(20) == 0 {
			return tabletest.Fate(1 + random.IntN(6))
		}
		return tabletest.Answered
	})
	return &app.Store{Ledger: l, Index: l, Journal: l, Admin: l, Close: l.Close, Peek: l.Peek}, nil
}

// restored returns the ledger of the table that DynamoDB makes of a backup.
func (t tableLedger) restored(b *backup) tableLedger {
	return openTable(t.table.Restore(b.items, b.at), t.seed)
}

// panicking stops a world whose table was asked for something that it does not understand.
type panicking struct{ testing.TB }

// Errorf implements testing.TB.
func (panicking) Errorf(format string, _ ...any) { panic(format) }

func TestNoSeedDoesSoOnDynamoDB(t *testing.T) {
	t.Parallel()
	first, count := seeds(t, defaultTableSeeds)
	reached := explore(t, plan{table: true}, first, count, complain(t, t.Name()))
	if count >= defaultTableSeeds && reached["restored"] == 0 {
		t.Error("no seed restored a ledger")
	}
	t.Log(reached)
}
