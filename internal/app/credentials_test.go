package app_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/rolecreds"
)

// signed keeps by which access keys requests were signed.
type signed struct {
	http.RoundTripper

	by []string
}

var accessKey = regexp.MustCompile(`Credential=([^/]+)/`)

// RoundTrip implements http.RoundTripper.
func (s *signed) RoundTrip(r *http.Request) (*http.Response, error) {
	if found := accessKey.FindStringSubmatch(r.Header.Get("Authorization")); found != nil {
		s.by = append(s.by, found[1])
	}
	return s.RoundTripper.RoundTrip(r)
}

// TestAProcessThatLivesOutlastsTheCredentialsOfItsRole rings twice, with the agent of a container in between handing out new credentials. The
// emulator checks both signatures.
func TestAProcessThatLivesOutlastsTheCredentialsOfItsRole(t *testing.T) {
	t.Parallel()
	var fetches atomic.Int32
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		until := time.Now().Add(5*time.Minute + 500*time.Millisecond).UTC().Format(time.RFC3339Nano)
		_, _ = fmt.Fprintf(w, `{"AccessKeyId":"KEY%d","SecretAccessKey":"hidden","Token":"session","Expiration":%q}`, fetches.Add(1), until)
	}))
	defer agent.Close()
	emu, err := connectemu.New(connectemu.Config{Flows: []string{goodFlow}, Credentials: map[string]string{"KEY1": "hidden", "KEY2": "hidden"}, StartRate: connectemu.Unlimited})
	if err != nil {
		t.Fatal(err)
	}
	defer emu.Close()
	lookup := func(name string) (string, bool) {
		value, ok := map[string]string{"AWS_CONTAINER_CREDENTIALS_FULL_URI": agent.URL}[name]
		return value, ok
	}
	wire := &signed{RoundTripper: emu.RoundTripper()}
	rate := 100.0
	c := &app.Config{
		Destinations: app.Destinations{Allow: app.List{"JP"}}, Pacing: app.Pacing{PerSecond: &rate, Burst: 100},
		Profiles: map[string]app.Profile{"alert": {Region: testRegion, InstanceID: connectemu.DefaultInstance, ContactFlowID: goodFlow, QueueID: "33333333-3333-4333-8333-333333333333"}},
	}
	a, err := app.New(t.Context(), c, app.Options{Random: newSource(1), HTTPClient: &http.Client{Transport: wire}, LookupEnv: lookup, Roles: rolecreds.New(lookup)})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 2 {
		if err := a.CheckCredentials(t.Context()); err != nil {
			t.Error(err)
		}
		report, err := a.Handler.Process(t.Context(), []byte(batch(request(n+1, nil))))
		if err != nil || len(report.Results) != 1 || report.Results[0].Outcome.Ack != call.AckDone {
			t.Fatalf("request %d: %+v, %v", n, report.Results, err)
		}
		time.Sleep(600 * time.Millisecond)
	}
	if want := []string{"KEY1", "KEY2"}; !slices.Equal(wire.by, want) || emu.RingCount() != 2 {
		t.Errorf("%d rings, signed by %q, want %q", emu.RingCount(), wire.by, want)
	}
}

// TestOneSourceOfCredentialsIsChosen has every mixture of variables, an emulator and a role.
func TestOneSourceOfCredentialsIsChosen(t *testing.T) {
	t.Parallel()
	role := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) { return aws.Credentials{AccessKeyID: "role"}, nil })
	broken := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) { return aws.Credentials{}, errors.New("planted") })
	id, key := map[string]string{"AWS_ACCESS_KEY_ID": "variable"}, map[string]string{"AWS_SECRET_ACCESS_KEY": "hidden"}
	both := map[string]string{"AWS_ACCESS_KEY_ID": "variable", "AWS_SECRET_ACCESS_KEY": "hidden"}
	for i, c := range []struct {
		variables map[string]string
		emulator  bool
		roles     aws.CredentialsProvider
		want      string // an access key, or what the error says
	}{
		{both, false, role, "variable"},
		{both, true, role, "variable"},
		{nil, false, role, "role"},
		{nil, true, role, "test"}, // an emulator is never sent what AWS takes
		{id, true, role, "test"},
		{id, false, role, "without the other"},
		{key, false, role, "without the other"},
		{nil, false, nil, "are not set"},
		{nil, false, broken, "are not set, and planted"},
	} {
		o := app.Options{Roles: c.roles, LookupEnv: func(name string) (string, bool) { value, ok := c.variables[name]; return value, ok }}
		got, err := o.AWSCredentials(c.emulator).Retrieve(t.Context())
		if err != nil && !strings.Contains(err.Error(), c.want) || err == nil && got.AccessKeyID != c.want {
			t.Errorf("case %d: %s, %v, want %s", i, got.AccessKeyID, err, c.want)
		}
	}
}
