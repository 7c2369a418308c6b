//go:build integration

package dynamodb_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ringonce/ringonce/internal/awstest"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb"
	"github.com/ringonce/ringonce/internal/ledger/ledgertest"
)

// systemClock is the clock of this machine: a server on it is no part of a test's time.
type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

var tables atomic.Int64

// options are those of a fresh table on a server.
func options(endpoint string) dynamodb.Options {
	return dynamodb.Options{
		Table: fmt.Sprintf("calls-%d", tables.Add(1)), Region: "eu-west-1", Endpoint: endpoint, CreateTable: true, Timeout: 30 * time.Second,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
		}),
		RandomID: func() string { return "exam" }, Clock: systemClock{}, UniqueTokens: true,
	}
}

// store opens ledgers on one table.
type store struct{ options dynamodb.Options }

func (s *store) Open(ctx context.Context) (ledgertest.Ledger, error) {
	return dynamodb.Open(ctx, s.options)
}

// Kill has nothing to spare the ledger: what was not answered is on the wire or was never sent.
func (s *store) Kill(l ledgertest.Ledger) { _ = l.Close() }

// oneAtATime sends requests one after the other.
//
// A defect of moto: it handles requests in threads and has no lock around condition and write (moto/dynamodb/models/table.py), so two
// conditional writes at once may both succeed, and list_append at once loses entries. DynamoDB's writes are atomic; so are moto's, one at
// a time. The ledger's goroutines still interleave between their requests.
type oneAtATime struct {
	mu     sync.Mutex
	client http.Client
}

func (o *oneAtATime) Do(r *http.Request) (*http.Response, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	response, err := o.client.Do(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(response.Body)
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response, err
}

// lacks is what the driver does not do; doc.go says why.
var lacks = ledgertest.Lacks{Counts: true, ForeignOps: true}

func TestLedgerSitsTheExamOnDynalite(t *testing.T) {
	t.Parallel()
	endpoint := awstest.StartDynalite(t)
	ledgertest.Run(t, func() ledgertest.Store {
		o := options(endpoint)
		o.Suppressions = "first-20"
		return &store{o}
	}, lacks)
}

func TestLedgerSitsTheExamOnMoto(t *testing.T) {
	t.Parallel()
	o := options(awstest.StartMoto(t))
	o.HTTPClient = &oneAtATime{}
	ledgertest.Run(t, func() ledgertest.Store {
		o.Table = fmt.Sprintf("calls-%d", tables.Add(1))
		o.Suppressions = "first-20"
		return &store{o}
	}, lacks)
}
