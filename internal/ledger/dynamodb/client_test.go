package dynamodb

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsdynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ringonce/ringonce/internal/call"
)

// hostOnly keeps where the request went, and answers nothing.
type hostOnly struct{ host string }

func (h *hostOnly) Do(r *http.Request) (*http.Response, error) {
	h.host = r.URL.Scheme + "://" + r.URL.Host
	return nil, errors.New("no answer")
}

// The environment and shared configuration files move no ledger.
func TestNoSharedConfigurationMovesTheLedger(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(file, []byte("[default]\nregion = us-west-2\nendpoint_url = http://127.0.0.1:1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"} {
		t.Setenv(name, file)
	}
	for _, name := range []string{"AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_DYNAMODB"} {
		t.Setenv(name, "http://127.0.0.1:1")
	}
	wire := &hostOnly{}
	client := newClient(Options{Region: "eu-west-1", HTTPClient: wire, Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: "secret"}, nil
	})})
	_, err := client.DescribeTable(t.Context(), &awsdynamodb.DescribeTableInput{TableName: aws.String("calls")})
	if err == nil || wire.host != "https://dynamodb.eu-west-1.amazonaws.com" {
		t.Errorf("the ledger went to %s: %v", wire.host, err)
	}
}

// headers keeps the trace of each request on its way to a table.
type headers struct {
	awsdynamodb.HTTPClient

	traces []string
}

func (h *headers) Do(r *http.Request) (*http.Response, error) {
	h.traces = append(h.traces, r.Header.Get("X-Amzn-Trace-Id"))
	return h.HTTPClient.Do(r)
}

func TestRequestsToTheLedgerCarryTheTraceOfTheirDelivery(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	wire := &headers{HTTPClient: f.Table}
	e := engineOn(t, f.open(func(o *Options) { o.HTTPClient = wire }), nil)
	wire.traces = nil
	d := delivery(t, 0)
	d.Trace = call.Trace{ID: "5759e988bd862e3fe1be46a994272793", Root: true}
	if out := e.Place(t.Context(), d); out.Met != call.MetPlaced {
		t.Fatal(out.Message)
	}
	if len(wire.traces) < 2 {
		t.Fatalf("%d requests", len(wire.traces))
	}
	for _, got := range wire.traces {
		if got != "Root=1-5759e988-bd862e3fe1be46a994272793" {
			t.Errorf("a request carries %q", got)
		}
	}
}
