package app_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awskms "github.com/aws/aws-sdk-go-v2/service/kms"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb/kmskey"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb/kmskey/kmstest"
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
	return openTable(tabletest.New(panicking{}), kmstest.New(), w.seed)
}

func openTable(table *tabletest.Table, kms *kmstest.Service, seed uint64) tableLedger {
	t := tableLedger{table: table, kms: kms, seed: seed}
	l, err := t.open(context.Background(), app.StoreRequest{AllowRecovery: true}, kms)
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
	kms   *kmstest.Service
	seed  uint64
}

// kmsKey encrypts the calls of every third world.
func (t tableLedger) kmsKey() string {
	if t.seed%3 == 1 {
		return kmstest.KeyARN
	}
	return ""
}

func (t tableLedger) open(ctx context.Context, r app.StoreRequest, kms awskms.HTTPClient) (*dynamodb.Ledger, error) {
	credentials := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
	})
	return dynamodb.Open(ctx, dynamodb.Options{
		Table: "calls", Region: "us-east-1", HTTPClient: t.table, CreateTable: true, Clock: app.SystemClock{}, RandomID: func() string { return "world" },
		UniqueTokens: r.UniqueTokens, AllowRecovery: r.AllowRecovery, Credentials: credentials, KMSKey: t.kmsKey(),
		Keys: kmskey.New(kmskey.Options{HTTPClient: kms, Credentials: credentials, Clock: app.SystemClock{}}),
	})
}

// lossyKMS loses one request in three, on the way to KMS or on the way back.
type lossyKMS struct {
	*kmstest.Service

	random *lockedSource
	breaks bool // else none
}

// Do implements the SDK's HTTP client.
func (l *lossyKMS) Do(r *http.Request) (*http.Response, error) {
	fate := l.random.Uint64() % 6
	if l.breaks && fate == 0 {
		return nil, errors.New("connection reset by peer")
	}
	response, err := l.Service.Do(r)
	if l.breaks && fate == 1 {
		return nil, errors.New("connection reset by peer")
	}
	return response, err
}

// reopen opens the ledger for a worker. On half of the seeds one write in 20 suffers from then on: it is lost before or after it was
// applied, throttled, or answered by a 500; on a third the table leaves the old item out of failed conditions. The calls of a third are encrypted;
// on half of these the writes of data keys suffer too, and one request of KMS in three is lost.
func (t tableLedger) reopen(ctx context.Context, r app.StoreRequest) (*app.Store, error) {
	l, err := t.open(ctx, r, &lossyKMS{Service: t.kms, random: newSource(t.seed, 4), breaks: t.seed%2 == 0})
	if err != nil {
		return nil, err
	}
	random := rand.New(rand.NewPCG(t.seed, 3))
	t.table.Shake(t.seed%3 == 0, func(op, pk string) tabletest.Fate {
		if t.seed%2 == 0 && op == "PutItem" && pk[0] != '#' && random.IntN(20) == 0 {
			return tabletest.Fate(1 + random.IntN(6))
		}
		if t.seed%2 == 0 && op == "PutItem" && strings.HasPrefix(pk, "#k#") && random.IntN(4) == 0 {
			return tabletest.Fate(1 + random.IntN(6))
		}
		return tabletest.Answered
	})
	return &app.Store{Ledger: l, Index: l, Journal: l, Admin: l, Close: l.Close, Peek: l.Peek}, nil
}

// restored returns the ledger of the table that DynamoDB makes of a backup.
func (t tableLedger) restored(b *backup) tableLedger {
	return openTable(t.table.Restore(b.items, b.at), t.kms, t.seed)
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
