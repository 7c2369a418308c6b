package connectemu_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/connect"

	"github.com/ringonce/ringonce/connectemu"
)

// startBody is the smallest body that rings.
const startBody = `{"DestinationPhoneNumber":"` + answers + `","ContactFlowId":"` + flowID + `","InstanceId":"` + connectemu.DefaultInstance +
	`","QueueId":"` + queueID + `"}`

// signed returns a start request signed at a time, as curl or any other client would send it.
func (w *world) signed(method, path, body string, at time.Time) *http.Request {
	w.t.Helper()
	return signRequest(w.t, method, w.url+path, body, at)
}

func signRequest(t testing.TB, method, url, body string, at time.Time) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(body))
	credentials := aws.Credentials{AccessKeyID: connectemu.DefaultAccessKey, SecretAccessKey: connectemu.DefaultSecretKey}
	err = v4.NewSigner().SignHTTP(context.Background(), credentials, r, hex.EncodeToString(sum[:]), "connect", connectemu.DefaultRegion, at)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// do sends a raw request and returns status, error name and body.
func (w *world) do(r *http.Request) (status int, code, body string) {
	w.t.Helper()
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		w.t.Fatalf("request: %v", err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		w.t.Fatalf("body: %v", err)
	}
	return response.StatusCode, response.Header.Get("X-Amzn-ErrorType"), string(content)
}

func TestTamperedRequestsAreRefused(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		tamper func(*http.Request)
		code   string
	}{
		"untouched": {func(*http.Request) {}, ""},
		"other body": {func(r *http.Request) {
			r.Body = io.NopCloser(bytes.NewReader([]byte(strings.Replace(startBody, "0001", "0002", 1))))
		}, connectemu.CodeInvalidSignature},
		"other date":             {func(r *http.Request) { r.Header.Set("X-Amz-Date", "20261129T030001Z") }, connectemu.CodeInvalidSignature},
		"unreadable date":        {func(r *http.Request) { r.Header.Set("X-Amz-Date", "yesterday") }, connectemu.CodeIncompleteSignature},
		"other day in the scope": {replaceAuth("/20261129/", "/20261128/"), connectemu.CodeInvalidSignature},
		"other host":             {func(r *http.Request) { r.Host = "connect.us-east-1.amazonaws.com" }, connectemu.CodeInvalidSignature},
		"other query":            {func(r *http.Request) { r.URL.RawQuery = "a=b" }, connectemu.CodeInvalidSignature},
		"other region":           {replaceAuth("/us-east-1/", "/eu-west-1/"), connectemu.CodeInvalidSignature},
		"other service":          {replaceAuth("/connect/", "/sqs/"), connectemu.CodeInvalidSignature},
		"other key":              {replaceAuth("Credential=test/", "Credential=someone/"), connectemu.CodeUnrecognizedClient},
		"signature cut short":    {replaceAuth("Signature=", "Signature=0"), connectemu.CodeInvalidSignature},
		"no signature":           {replaceAuth("Signature=", "Nothing="), connectemu.CodeIncompleteSignature},
		"host not signed":        {replaceAuth("host;", ""), connectemu.CodeInvalidSignature},
		"no header":              {func(r *http.Request) { r.Header.Del("Authorization") }, connectemu.CodeMissingToken},
		"basic authentication":   {func(r *http.Request) { r.SetBasicAuth("a", "b") }, connectemu.CodeIncompleteSignature},
		"wrong payload hash": {
			func(r *http.Request) { r.Header.Set("X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD") }, connectemu.CodeInvalidSignature,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			r := w.signed(http.MethodPut, "/contact/outbound-voice", startBody, epoch)
			tc.tamper(r)
			status, code, body := w.do(r)
			if code != tc.code {
				t.Fatalf("got %d %q %s, want %q", status, code, body, tc.code)
			}
			if tc.code == "" {
				w.wantRings(1)
				return
			}
			if status != http.StatusForbidden {
				t.Errorf("status: got %d, want 403", status)
			}
			w.wantRings(0)
		})
	}
}

func TestScopeOfAnotherDayIsNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.signed(http.MethodPut, "/contact/outbound-voice", startBody, epoch)
	replaceAuth("/20261129/", "/20261128/")(r)
	if _, _, body := w.do(r); !strings.Contains(body, "Date in Credential scope") {
		t.Errorf("got %s", body)
	}
}

func replaceAuth(old, replacement string) func(*http.Request) {
	return func(r *http.Request) {
		r.Header.Set("Authorization", strings.Replace(r.Header.Get("Authorization"), old, replacement, 1))
	}
}

func TestStaleSignatures(t *testing.T) {
	t.Parallel()
	for name, window := range map[string]time.Duration{"5 min": 0, "15 min": 15 * time.Minute, "off": connectemu.Off} {
		for _, age := range []time.Duration{
			5 * time.Minute, 5*time.Minute + time.Second, 15 * time.Minute, 15*time.Minute + time.Second, 6 * day,
			-5 * time.Minute, -5*time.Minute - time.Second, -15*time.Minute - time.Second,
		} {
			t.Run(name+" "+age.String(), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, func(c *connectemu.Config) { c.SignatureWindow = window })
				w.clock.Advance(age)
				_, code, body := w.do(w.signed(http.MethodPut, "/contact/outbound-voice", startBody, epoch))
				limit := window
				if limit == 0 {
					limit = 5 * time.Minute
				}
				if limit < 0 || age.Abs() <= limit {
					if code != "" {
						t.Fatalf("refused: %s %s", code, body)
					}
					return
				}
				want := "Signature expired: 20261129T030000Z is now earlier than "
				if age < 0 {
					want = "Signature not yet current: 20261129T030000Z is still later than "
				}
				if code != connectemu.CodeInvalidSignature || !strings.Contains(body, want) {
					t.Fatalf("got %q %s, want %q", code, body, want)
				}
				w.wantRings(0)
			})
		}
	}
}

func TestWrongSecretIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.client = w.newClient(func(o *connect.Options) { o.Credentials = staticCredentials(connectemu.DefaultAccessKey, "wrong") })
	_, err := w.start(answers, "token")
	wantCode(t, err, connectemu.CodeInvalidSignature, http.StatusForbidden)
}

func TestSeveralCredentials(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *connectemu.Config) { c.Credentials = map[string]string{"a": "1", "b": "2"} })
	w.client = w.newClient(func(o *connect.Options) { o.Credentials = staticCredentials("b", "2") })
	w.mustStart(answers, "token")
	w.client = w.newClient(func(o *connect.Options) { o.Credentials = staticCredentials("b", "1") })
	_, err := w.start(answers, "token")
	wantCode(t, err, connectemu.CodeInvalidSignature, http.StatusForbidden)
}

func TestSignaturesOverOddPathsAndQueriesAreUnderstood(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, path := range []string{"/contacts/a%20b/c%2Fd", "/nowhere?b=2&a=1&flag=", "/contacts/日本/語", "/"} {
		_, code, body := w.do(w.signed(http.MethodGet, path, "", epoch))
		if code == connectemu.CodeInvalidSignature {
			t.Errorf("%s: %s", path, body)
		}
	}
}
