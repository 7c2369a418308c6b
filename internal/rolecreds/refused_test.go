package rolecreds_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ringonce/ringonce/internal/rolecreds"
)

// TestNoVariableLeadsAway gives the variables that the contracts have, with what nobody should follow.
func TestNoVariableLeadsAway(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	token := write(t, "first")
	for name, variables := range map[string]map[string]string{
		"another machine":              {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://203.0.113.7/credentials"},
		"another machine with TLS":     {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "https://203.0.113.7/credentials"},
		"a name":                       {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://agent.example.com/credentials"},
		"a name like an address":       {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1.example.com/credentials"},
		"no address":                   {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "agent"},
		"a path that is a host":        {"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "@203.0.113.7/credentials"},
		"the metadata service as one":  {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://169.254.169.254/latest"},
		"another metadata service":     {"AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://203.0.113.7"},
		"an agent as metadata service": {"AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://169.254.170.2"},
		"no instance":                  {"AWS_EC2_METADATA_DISABLED": "TRUE"},
		"no role":                      {"AWS_WEB_IDENTITY_TOKEN_FILE": token, "AWS_REGION": "us-east-1"},
		"no Region":                    {"AWS_WEB_IDENTITY_TOKEN_FILE": token, "AWS_ROLE_ARN": account},
		"a Region that is a host":      {"AWS_WEB_IDENTITY_TOKEN_FILE": token, "AWS_ROLE_ARN": account, "AWS_REGION": "x.example.com/"},
	} {
		if c, err := f.provider(variables).Retrieve(t.Context()); err == nil || !strings.Contains(err.Error(), "AWS_") {
			t.Errorf("%s: %s, %v", name, c.AccessKeyID, err)
		}
	}
	if n := f.fetches.Load(); n != 0 {
		t.Errorf("%d fetches", n)
	}
}

// TestNoProxyAndNoEndpointVariableIsFollowed sets what an SDK of AWS would follow. It changes the environment of the process, so it is not parallel.
func TestNoProxyAndNoEndpointVariableIsFollowed(t *testing.T) {
	f := newFake(t)
	var asked atomic.Int32
	thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer thief.Close()
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_STS", "AWS_EC2_METADATA_SERVICE_ENDPOINT"} {
		t.Setenv(name, thief.URL)
	}
	for name, way := range ways(t, f) {
		if _, err := f.provider(way.variables).Retrieve(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	moved := httptest.NewServer(http.RedirectHandler(thief.URL, http.StatusTemporaryRedirect))
	defer moved.Close()
	for _, name := range []string{"AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_EC2_METADATA_SERVICE_ENDPOINT"} {
		if _, err := f.provider(map[string]string{name: moved.URL}).Retrieve(t.Context()); err == nil {
			t.Errorf("%s: a redirection was followed", name)
		}
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("somebody else was asked %d times", n)
	}
}

// TestTheSourcesAreAskedInTheOrderOfTheSDKs has every variable set.
func TestTheSourcesAreAskedInTheOrderOfTheSDKs(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	variables := map[string]string{
		"AWS_WEB_IDENTITY_TOKEN_FILE": write(t, "web"), "AWS_ROLE_ARN": account, "AWS_REGION": "us-east-1",
		"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": secretPath, "AWS_CONTAINER_AUTHORIZATION_TOKEN": "agent", "AWS_EC2_METADATA_DISABLED": "true",
	}
	for i, want := range []string{"web " + account + " ringonce", "agent"} {
		if _, err := f.provider(variables).Retrieve(t.Context()); err != nil {
			t.Fatal(err)
		}
		if f.tokens[i] != want {
			t.Errorf("%q was shown, want %q", f.tokens[i], want)
		}
		delete(variables, "AWS_WEB_IDENTITY_TOKEN_FILE")
	}
	if _, err := rolecreds.New(func(string) (string, bool) { return "true", true }).Retrieve(t.Context()); err == nil {
		t.Error("a file named true was read")
	}
}
