package rolecreds_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/rolecreds"
)

const (
	secretPath = "/v2/credentials/3f1c9a70"
	account    = "arn:aws:iam::111122223333:role/ringonce"
)

// fake is everything that hands out credentials, on loopback.
type fake struct {
	*httptest.Server

	fetches atomic.Int32
	lasts   atomic.Int64 // nanoseconds
	mu      sync.Mutex
	tokens  []string // that were shown
	broken  int      // status of every answer; 0 answers well
}

func newFake(t *testing.T) *fake {
	t.Helper()
	f := &fake{}
	f.lasts.Store(int64(time.Hour))
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v2/credentials/3f1c9a70", f.agent)
	mux.HandleFunc("PUT /latest/api/token", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Aws-Ec2-Metadata-Token-Ttl-Seconds", "21600")
		_, _ = w.Write([]byte("session"))
	})
	mux.HandleFunc("GET /latest/meta-data/iam/security-credentials/", f.instance)
	mux.HandleFunc("POST /{$}", f.sts)
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		broken := f.broken
		f.mu.Unlock()
		if broken != 0 {
			http.Error(w, "planted", broken)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(f.Close)
	return f
}

func (f *fake) shown(token string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tokens = append(f.tokens, token)
}

func (f *fake) breaks(status int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.broken = status
}

func (f *fake) key() (string, string) {
	return fmt.Sprint("KEY", f.fetches.Add(1)), time.Now().Add(time.Duration(f.lasts.Load())).UTC().Format(time.RFC3339Nano)
}

func (f *fake) agent(w http.ResponseWriter, r *http.Request) {
	f.shown(r.Header.Get("Authorization"))
	id, until := f.key()
	_, _ = fmt.Fprintf(w, `{"AccessKeyId":%q,"SecretAccessKey":"hidden","Token":"session","Expiration":%q,"RoleArn":%q}`, id, until, account)
}

func (f *fake) instance(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("X-Aws-Ec2-Metadata-Token") != "session" {
		http.Error(w, "", http.StatusUnauthorized)
		return
	}
	if strings.HasSuffix(r.URL.Path, "/") {
		_, _ = w.Write([]byte("ringonce"))
		return
	}
	id, until := f.key()
	_, _ = fmt.Fprintf(w, `{"Code":"Success","Type":"AWS-HMAC","AccessKeyId":%q,"SecretAccessKey":"hidden","Token":"session","Expiration":%q}`, id, until)
}

func (f *fake) sts(w http.ResponseWriter, r *http.Request) {
	f.shown(r.FormValue("WebIdentityToken") + " " + r.FormValue("RoleArn") + " " + r.FormValue("RoleSessionName"))
	id, until := f.key()
	w.Header().Set("Content-Type", "text/xml")
	_, _ = fmt.Fprintf(w, `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult><Credentials>`+
		`<AccessKeyId>%s</AccessKeyId><SecretAccessKey>hidden</SecretAccessKey><SessionToken>session</SessionToken><Expiration>%s</Expiration></Credentials>`+
		`</AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`, id, until)
}

// provider is that of a process with these variables.
func (f *fake) provider(variables map[string]string) *rolecreds.Provider {
	return rolecreds.NewAt(func(name string) (string, bool) {
		value, ok := variables[name]
		return value, ok
	}, f.URL, f.URL, f.URL)
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// ways are the environments of a process under each of the contracts, with what their server must have been shown.
func ways(t *testing.T, f *fake) map[string]struct {
	variables map[string]string
	file      string // of a token that is renewed
	shown     string // with TOKEN for its content
} {
	t.Helper()
	pod, web := write(t, "first"), write(t, "first")
	return map[string]struct {
		variables map[string]string
		file      string
		shown     string
	}{
		"a task of ECS": {variables: map[string]string{"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": secretPath}},
		"a pod of EKS": {
			variables: map[string]string{"AWS_CONTAINER_CREDENTIALS_FULL_URI": f.URL + secretPath, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": pod}, file: pod, shown: "TOKEN",
		},
		"an agent with a token": {
			variables: map[string]string{"AWS_CONTAINER_CREDENTIALS_FULL_URI": f.URL + secretPath, "AWS_CONTAINER_AUTHORIZATION_TOKEN": "fixed"}, shown: "fixed",
		},
		"a service account": {
			variables: map[string]string{"AWS_WEB_IDENTITY_TOKEN_FILE": web, "AWS_ROLE_ARN": account, "AWS_REGION": "us-east-1"},
			file:      web, shown: "TOKEN " + account + " ringonce",
		},
		"an instance":          {},
		"a helper on loopback": {variables: map[string]string{"AWS_EC2_METADATA_SERVICE_ENDPOINT": f.URL}},
	}
}

// TestEverySourceIsAskedOnceAndAgainBeforeTheEnd asks each source three times while its credentials last, and once after they are about to end.
func TestEverySourceIsAskedOnceAndAgainBeforeTheEnd(t *testing.T) {
	t.Parallel()
	for name := range ways(t, newFake(t)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			way := ways(t, f)[name]
			p := f.provider(way.variables)
			for range 3 {
				c, err := p.Retrieve(t.Context())
				if err != nil || c.AccessKeyID != "KEY1" || c.SecretAccessKey != "hidden" || c.SessionToken != "session" || !c.CanExpire {
					t.Fatalf("%+v, %v", c, err)
				}
			}
			f.lasts.Store(int64(rolecreds.Early / 2))
			p = f.provider(way.variables)
			for i, want := range []string{"KEY2", "KEY3"} {
				if way.file != "" && i == 1 {
					if err := os.WriteFile(way.file, []byte("second"), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				if name == "an instance" || name == "a helper on loopback" { // the SDK keeps those that end within a quarter of an hour to their end
					want = "KEY2"
				}
				if c, err := p.Retrieve(t.Context()); err != nil || c.AccessKeyID != want {
					t.Errorf("near the end: %s, %v, want %s", c.AccessKeyID, err, want)
				}
			}
			if way.shown == "" {
				return
			}
			want := []string{"first", "first", "second"}
			for i, shown := range f.tokens {
				if expected := strings.ReplaceAll(way.shown, "TOKEN", want[i]); shown != expected {
					t.Errorf("fetch %d showed %q, want %q", i, shown, expected)
				}
			}
		})
	}
}

// TestWhatFailsSaysWhichSourceAndNoSecret breaks every source in four ways.
func TestWhatFailsSaysWhichSourceAndNoSecret(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	said := map[string]string{
		"a task of ECS": "container", "a pod of EKS": "container", "an agent with a token": "container", "a service account": "service account",
		"an instance": "instance", "a helper on loopback": "instance",
	}
	f.breaks(http.StatusForbidden)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for name, way := range ways(t, f) {
		_, err := f.provider(way.variables).Retrieve(t.Context())
		judge(t, name+", refused", err, said[name], f)
		if way.file != "" {
			if err := os.Remove(way.file); err != nil {
				t.Fatal(err)
			}
			_, err := f.provider(way.variables).Retrieve(t.Context())
			judge(t, name+", without its file", err, "no such file", f)
		}
	}
	for name, variables := range map[string]map[string]string{
		"container": {"AWS_CONTAINER_CREDENTIALS_FULL_URI": gone.URL + secretPath}, "instance": {"AWS_EC2_METADATA_SERVICE_ENDPOINT": gone.URL},
	} {
		_, err := f.provider(variables).Retrieve(t.Context())
		judge(t, name+", gone", err, name, f)
	}
}

func judge(t *testing.T, when string, err error, says string, f *fake) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("%s: %v, want %q", when, err, says)
		return
	}
	for _, secret := range []string{"3f1c9a70", "first", "fixed", "hidden", f.URL} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("%s: the error holds %q: %v", when, secret, err)
		}
	}
	if strings.Contains(err.Error(), "cannot be read") {
		t.Errorf("%s: the error gives no reason: %v", when, err)
	}
}

// TestAnOutageOfTheMetadataServiceIsOutlived lets the service break while credentials are about to end.
func TestAnOutageOfTheMetadataServiceIsOutlived(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.lasts.Store(int64(200 * time.Millisecond))
	p := f.provider(nil)
	if _, err := p.Retrieve(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.breaks(http.StatusServiceUnavailable)
	time.Sleep(300 * time.Millisecond)
	if c, err := p.Retrieve(t.Context()); err != nil || c.AccessKeyID != "KEY1" {
		t.Errorf("%s, %v", c.AccessKeyID, err)
	}
}
