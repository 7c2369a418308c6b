package app_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

func TestProductionRefusesWhoCouldAnswerForAWSOrSignAgain(t *testing.T) {
	t.Parallel()
	const here = "http://127.0.0.1:4566"
	production, test := true, false
	real, emulated := &app.Config{Production: &production}, &app.Config{Production: &test, Connect: app.Connect{Endpoint: "http://127.0.0.1:7465"}}
	for name, c := range map[string]struct {
		config *app.Config
		env    string // lines NAME=value
		field  string // empty: accepted
	}{
		"nothing":                               {real, "", ""},
		"an endpoint for all":                   {real, "AWS_ENDPOINT_URL=" + here, "AWS_ENDPOINT_URL"},
		"an endpoint of Connect":                {real, "AWS_ENDPOINT_URL_CONNECT=" + here, "AWS_ENDPOINT_URL_CONNECT"},
		"an endpoint of the ledger":             {real, "AWS_ENDPOINT_URL_DYNAMODB=" + here, "AWS_ENDPOINT_URL_DYNAMODB"},
		"an endpoint of the keys":               {real, "AWS_ENDPOINT_URL_SECRETS_MANAGER=" + here, "AWS_ENDPOINT_URL_SECRETS_MANAGER"},
		"an endpoint of a service not in use":   {real, "AWS_ENDPOINT_URL_S3=" + here, "AWS_ENDPOINT_URL_S3"},
		"an empty one":                          {real, "AWS_ENDPOINT_URL=", ""},
		"another variable":                      {real, "AWS_ENDPOINT_URLS=" + here, ""},
		"one that is switched off":              {real, "AWS_ENDPOINT_URL=" + here + "\nAWS_IGNORE_CONFIGURED_ENDPOINT_URLS=TRUE", ""},
		"one that is switched on":               {real, "AWS_ENDPOINT_URL=" + here + "\nAWS_IGNORE_CONFIGURED_ENDPOINT_URLS=false", "AWS_ENDPOINT_URL"},
		"one with a switch that is no switch":   {real, "AWS_ENDPOINT_URL=" + here + "\nAWS_IGNORE_CONFIGURED_ENDPOINT_URLS=1", "AWS_ENDPOINT_URL"},
		"a proxy":                               {real, "HTTPS_PROXY=http://proxy:3128", ""},
		"authorities of one's own":              {real, "SSL_CERT_FILE=/etc/ssl/corporate.pem", ""},
		"both":                                  {real, "HTTPS_PROXY=http://proxy:3128\nSSL_CERT_FILE=/etc/ssl/corporate.pem", "HTTPS_PROXY"},
		"both, in small letters":                {real, "https_proxy=http://proxy:3128\nSSL_CERT_DIR=/etc/ssl/corporate", "https_proxy"},
		"both, for every protocol":              {real, "ALL_PROXY=socks5://proxy:1080\nAWS_CA_BUNDLE=/etc/ssl/corporate.pem", "ALL_PROXY"},
		"a bundle that only SDKs read":          {real, "AWS_CA_BUNDLE=/etc/ssl/corporate.pem", ""},
		"an emulator":                           {emulated, "AWS_ENDPOINT_URL=" + here + "\nHTTPS_PROXY=http://proxy:3128\nSSL_CERT_FILE=/etc/ssl/corporate.pem", ""},
		"no production, and no emulator either": {&app.Config{Production: &test}, "AWS_ENDPOINT_URL=" + here, "AWS_ENDPOINT_URL"},
	} {
		lines := strings.Split(c.env, "\n")
		o := app.Options{
			Environ: func() []string { return lines },
			LookupEnv: func(name string) (string, bool) {
				for _, line := range lines {
					if value, ok := strings.CutPrefix(line, name+"="); ok {
						return value, true
					}
				}
				return "", false
			},
		}
		err := c.config.CheckEnvironment(o)
		refusal, ok := errors.AsType[*call.Error](err)
		if (c.field == "") != (err == nil) || (ok && (refusal.Field != c.field || refusal.Fix == "" || refusal.Code != call.CodeConfiguration)) {
			t.Errorf("%s: %v", name, err)
		}
		// New asks the same, before anything is opened.
		if _, newErr := app.New(t.Context(), c.config, o); c.field != "" && (newErr == nil || newErr.Error() != err.Error()) {
			t.Errorf("%s: New says %v", name, newErr)
		}
		o.Environ = nil // an environment that can be asked and not listed: what this program talks to is found still
		if err := c.config.CheckEnvironment(o); (err == nil) != (c.field == "" || c.field == "AWS_ENDPOINT_URL_S3") {
			t.Errorf("%s, not listed: %v", name, err)
		}
	}
}

// wire keeps to which hosts requests went, and answers none.
type wire struct {
	mu    sync.Mutex
	hosts []string
}

// RoundTrip implements http.RoundTripper.
func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hosts = append(w.hosts, r.URL.Scheme+"://"+r.URL.Host)
	body := io.NopCloser(bytes.NewReader([]byte(`{"message":"no"}`)))
	return &http.Response{StatusCode: http.StatusForbidden, Header: http.Header{"X-Amzn-Errortype": {"AccessDeniedException"}}, Body: body, Request: r}, nil
}

// A shared configuration file, and variables that are switched off, move nothing: no client of this program reads them.
func TestNoSharedConfigurationMovesTheDialer(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config")
	text := "[default]\nregion = us-west-2\nendpoint_url = http://127.0.0.1:1\nservices = moved\nca_bundle = none\n[services moved]\nconnect =\n  endpoint_url = http://127.0.0.1:1\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_CONFIG_FILE", file)
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", file)
	t.Setenv("AWS_SDK_LOAD_CONFIG", "1")
	t.Setenv("AWS_PROFILE", "default")
	t.Setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
	t.Setenv("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "true")
	w := &wire{}
	c := &app.Config{Destinations: app.Destinations{Allow: app.List{"GB", "JP", "US"}}, Profiles: map[string]app.Profile{"alert": {Region: "us-east-1", InstanceID: goodFlow, ContactFlowID: goodFlow, QueueID: goodFlow}}}
	a, err := app.New(t.Context(), c, app.Options{
		Random: newSource(1), HTTPClient: &http.Client{Transport: w},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: "secret"}, nil
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Handler.Process(t.Context(), []byte(batch(request(1, nil)))); err != nil {
		t.Fatal(err)
	}
	if len(w.hosts) != 1 || w.hosts[0] != "https://connect.us-east-1.amazonaws.com" {
		t.Errorf("the dialer went to %v", w.hosts)
	}
}
