package connectemu_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/connect"
	"github.com/aws/smithy-go"

	"github.com/ringonce/ringonce/connectemu"
)

const (
	flowID  = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"
	queueID = "99999999-8888-4777-8666-555555555555"
	answers = "+819000000001"
	busy    = "+819000000090"
)

// epoch is when tests begin.
var epoch = time.Date(2026, 11, 29, 3, 0, 0, 0, time.UTC)

// world is an emulator on a manual clock behind a real socket, and a client that signs with that clock.
type world struct {
	t      *testing.T
	clock  *connectemu.ManualClock
	server *connectemu.Server
	url    string
	client *connect.Client
}

// unpaced switches the rates and the quota off, for tests about something else.
func unpaced(c *connectemu.Config) {
	c.StartRate, c.DescribeRate = connectemu.Unlimited, connectemu.Unlimited
	c.StopRate, c.SearchRate = connectemu.Unlimited, connectemu.Unlimited
	c.MaxConcurrentCalls = connectemu.Off
}

func newWorld(t *testing.T, changes ...func(*connectemu.Config)) *world {
	t.Helper()
	w := &world{t: t, clock: connectemu.NewManualClock(epoch)}
	config := connectemu.Config{Clock: w.clock, Seed: 1}
	for _, change := range changes {
		change(&config)
	}
	server, err := connectemu.New(config)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	w.server = server
	listener := httptest.NewServer(server)
	t.Cleanup(listener.Close)
	t.Cleanup(server.Close)
	w.url = listener.URL
	w.client = w.newClient()
	return w
}

// clockSigner signs with the emulator's clock.
type clockSigner struct {
	signer *v4.Signer
	now    func() time.Time
}

func (s clockSigner) SignHTTP(ctx context.Context, c aws.Credentials, r *http.Request, hash, service, region string, _ time.Time,
	optFns ...func(*v4.SignerOptions),
) error {
	return s.signer.SignHTTP(ctx, c, r, hash, service, region, s.now(), optFns...)
}

func (w *world) newClient(changes ...func(*connect.Options)) *connect.Client {
	options := connect.Options{
		Region:       connectemu.DefaultRegion,
		BaseEndpoint: aws.String(w.url),
		Credentials:  staticCredentials(connectemu.DefaultAccessKey, connectemu.DefaultSecretKey),
		Retryer:      aws.NopRetryer{},
		HTTPClient:   &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
		HTTPSignerV4: clockSigner{v4.NewSigner(), w.clock.Now},
	}
	return connect.New(options, changes...)
}

func staticCredentials(key, secret string) aws.CredentialsProvider {
	return aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: key, SecretAccessKey: secret}, nil
	})
}

// input is a valid start without a token; the SDK fills one in.
func input(number string) *connect.StartOutboundVoiceContactInput {
	return &connect.StartOutboundVoiceContactInput{
		DestinationPhoneNumber: aws.String(number),
		ContactFlowId:          aws.String(flowID),
		InstanceId:             aws.String(connectemu.DefaultInstance),
		QueueId:                aws.String(queueID),
	}
}

// start places one call with a token and returns the contact id or the error.
func (w *world) start(number, token string) (string, error) {
	w.t.Helper()
	in := input(number)
	in.ClientToken = aws.String(token)
	out, err := w.client.StartOutboundVoiceContact(w.t.Context(), in)
	if err != nil {
		return "", err
	}
	return aws.ToString(out.ContactId), nil
}

func (w *world) mustStart(number, token string) string {
	w.t.Helper()
	id, err := w.start(number, token)
	if err != nil {
		w.t.Fatalf("start: %v", err)
	}
	if id == "" {
		w.t.Fatal("start: no contact id")
	}
	return id
}

func (w *world) wantRings(n int) {
	w.t.Helper()
	if got := w.server.RingCount(); got != n {
		w.t.Fatalf("rings: got %d, want %d", got, n)
	}
}

// wantCode checks the error name and the HTTP status of an API error.
func wantCode(t *testing.T, err error, code string, status int) {
	t.Helper()
	var apiErr smithy.APIError
	if !errors.As(err, &apiErr) {
		t.Fatalf("error: got %v, want an API error %s", err, code)
	}
	var http interface{ HTTPStatusCode() int }
	if !errors.As(err, &http) {
		t.Fatalf("error %v has no HTTP status", err)
	}
	if apiErr.ErrorCode() != code || http.HTTPStatusCode() != status {
		t.Fatalf("error: got %s %d (%s), want %s %d", apiErr.ErrorCode(), http.HTTPStatusCode(), apiErr.ErrorMessage(), code, status)
	}
}

func containsAll(text string, parts ...string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}
