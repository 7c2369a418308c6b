package main

import (
	"context"
	"net/http"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb"
	"github.com/ringonce/ringonce/internal/ledger/postgres"
	"github.com/ringonce/ringonce/internal/ledger/sqlite"
	"github.com/ringonce/ringonce/internal/secret"
)

func ledgerID() string { return "peers" }

func (r ringonce) onSQLite(ctx context.Context, where *place) (subject, error) {
	path := filepath.Join(where.tb.TempDir(), "calls.db")
	l, err := sqlite.Open(ctx, sqlite.Options{
		Path: path, WitnessPath: filepath.Join(where.tb.TempDir(), "witness"), Check: call.Naming{}.Check(), RandomID: ledgerID, Clock: app.SystemClock{},
	})
	if err != nil {
		return nil, err
	}
	return r.start(ctx, l, true, func(ctx context.Context) (int, error) { return countFile(ctx, path, "SELECT count(*) FROM calls") })
}

func (r ringonce) onPostgres(ctx context.Context, where *place) (subject, error) {
	pool, single, _ := where.schema()
	l, err := postgres.Open(ctx, postgres.Options{
		DSN: secret.New([]byte(pool)), WitnessPath: filepath.Join(where.tb.TempDir(), "witness"), Check: call.Naming{}.Check(), RandomID: ledgerID,
		Clock: app.SystemClock{},
	})
	if err != nil {
		return nil, err
	}
	return r.start(ctx, l, true, func(ctx context.Context) (int, error) { return countSchema(ctx, single, "SELECT count(*) FROM calls") })
}

func (r ringonce) onDynamoDB(ctx context.Context, where *place) (subject, error) {
	endpoint, table := where.table(), tableName()
	wire := &counting{wire: &http.Transport{MaxIdleConnsPerHost: mostLanes}}
	l, err := dynamodb.Open(ctx, dynamodb.Options{
		Table: table, Region: region, Endpoint: endpoint, CreateTable: true, Timeout: time.Minute, RandomID: ledgerID, Clock: app.SystemClock{},
		Credentials: aws.CredentialsProviderFunc(anybody), HTTPClient: &http.Client{Transport: wire},
	})
	if err != nil {
		return nil, err
	}
	// Without a look-up before, as ringonce has it on DynamoDB. Keys that begin with # are the ledger's own.
	e, err := r.start(ctx, l, false, func(ctx context.Context) (int, error) {
		return countTable(ctx, endpoint, table, "NOT begins_with(#n, :v)", "pk", "#")
	})
	if err != nil {
		return nil, err
	}
	e.requests = wire.sent.Load
	return e, nil
}

// counting counts requests.
type counting struct {
	wire http.RoundTripper
	sent atomic.Int64
}

// RoundTrip implements http.RoundTripper.
func (c *counting) RoundTrip(r *http.Request) (*http.Response, error) {
	c.sent.Add(1)
	return c.wire.RoundTrip(r)
}
