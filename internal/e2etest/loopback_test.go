//go:build integration

package e2etest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb"
)

// loopbackClient is the HTTP client of the producers and of the reading side.
//
// A defect of smithy-go 1.28.9, the base of the AWS SDK: it closes the body of a request as soon as the answer begins, and the WriteTo of a
// closed body returns io.EOF as an error (transport/http/client.go, internal/io/safe.go). When the server was faster than the goroutine of
// net/http that looks for the end of the body, net/http takes that for a failed write and closes the connection under the answer: "use of
// closed network connection". ministack sends head and body of an answer apart, and on loopback this loses one answer in some 3,000. A body
// that the SDK cannot close ends it.
type loopbackClient struct{ client http.Client }

// Do implements the HTTP client of the SDK.
func (l *loopbackClient) Do(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	return l.client.Do(r)
}

// openForReading is awsstores with that client, and with more patience for a busy machine.
func openForReading(ctx context.Context, r app.StoreRequest) (*app.Store, error) {
	ledger, err := dynamodb.Open(ctx, dynamodb.Options{
		Table: r.Config.Table, Region: r.Config.Region, Endpoint: r.Config.Endpoint, CreateTable: r.Config.CreateTable, Credentials: r.Credentials,
		UniqueTokens: r.UniqueTokens, Mode: r.Naming.Mode, Check: r.Naming.Check(), Recipient: r.Naming.Recipient, Clock: r.Clock,
		RandomID: func() string { return "e2e" }, HTTPClient: &loopbackClient{}, Timeout: 30 * time.Second,
	})
	if err != nil {
		return nil, err
	}
	return &app.Store{Ledger: ledger, Index: ledger, Journal: ledger, Cells: ledger, Admin: ledger, Close: ledger.Close}, nil
}
