package deliver_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/connectemu/deliver"
)

var event = connectemu.Event{
	ID: "id", Type: connectemu.EventInitiated, At: time.Date(2026, 11, 29, 3, 0, 0, 0, time.UTC),
	Document: json.RawMessage(`{"source":"aws.connect","detail-type":"Amazon Connect Contact Event","resources":["a"],"detail":{"eventType":"INITIATED"}}`),
}

// received is one request of a target.
type received struct {
	path   string
	header http.Header
	body   map[string]any
}

// target answers every request with status and answer, and keeps the last.
func target(t *testing.T, status int, answer string) (url string, last func() received) {
	t.Helper()
	requests := make(chan received, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content, err := io.ReadAll(r.Body)
		got := received{path: r.URL.Path, header: r.Header}
		if err != nil || json.Unmarshal(content, &got.body) != nil {
			t.Errorf("%v in %s", err, content)
		}
		requests <- got
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(server.Close)
	return server.URL, func() received { return <-requests }
}

func send(t *testing.T, targets ...string) error {
	t.Helper()
	sink, err := deliver.To(targets, deliver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return sink.Deliver(t.Context(), event)
}

func TestAnEndpointGetsTheEventAsItIs(t *testing.T) {
	t.Parallel()
	url, last := target(t, http.StatusAccepted, "")
	if err := send(t, url+"/events"); err != nil {
		t.Fatal(err)
	}
	if got := last(); got.path != "/events" || got.body["source"] != "aws.connect" || got.header.Get("Authorization") != "" {
		t.Errorf("got %+v", got)
	}
}

func TestAQueueGetsTheEventAsASignedMessage(t *testing.T) {
	t.Parallel()
	url, last := target(t, http.StatusOK, `{"MessageId":"m"}`)
	if err := send(t, "sqs+"+url+"/111122223333/events"); err != nil {
		t.Fatal(err)
	}
	got := last()
	if got.header.Get("X-Amz-Target") != "AmazonSQS.SendMessage" || got.body["MessageBody"] != string(event.Document) || got.body["QueueUrl"] != url+"/111122223333/events" {
		t.Errorf("got %+v", got)
	}
	if scope := got.header.Get("Authorization"); !strings.HasPrefix(scope, "AWS4-HMAC-SHA256 Credential=test/") || !strings.Contains(scope, "/us-east-1/sqs/aws4_request") {
		t.Errorf("signed %q", scope)
	}
}

func TestABusGetsTheDetailAsAnEntry(t *testing.T) {
	t.Parallel()
	for path, name := range map[string]string{"": "default", "/alarms": "alarms"} {
		url, last := target(t, http.StatusOK, `{"FailedEntryCount":0,"Entries":[{"EventId":"1"}]}`)
		if err := send(t, "events+"+url+path); err != nil {
			t.Fatal(err)
		}
		got := last()
		entries, ok := got.body["Entries"].([]any)
		if !ok || len(entries) != 1 || got.header.Get("X-Amz-Target") != "AWSEvents.PutEvents" {
			t.Fatalf("got %+v", got)
		}
		entry, _ := entries[0].(map[string]any)
		if entry["EventBusName"] != name || entry["Source"] != "aws.connect" || entry["Detail"] != `{"eventType":"INITIATED"}` || entry["Time"] != 1795921200.0 {
			t.Errorf("got %+v", entry)
		}
	}
}

func TestWhatATargetRefusesIsAnError(t *testing.T) {
	t.Parallel()
	full, _ := target(t, http.StatusServiceUnavailable, "")
	moved, _ := target(t, http.StatusFound, "")
	entry, _ := target(t, http.StatusOK, `{"FailedEntryCount":1,"Entries":[{"ErrorCode":"NotAuthorizedForSourceException"}]}`)
	html, _ := target(t, http.StatusOK, "<html>")
	good, last := target(t, http.StatusOK, "{}")
	for name, to := range map[string]string{
		"an endpoint that is full": full, "a redirect": moved, "an entry": "events+" + entry, "a page": "events+" + html, "a queue": "sqs+" + full + "/1/q",
	} {
		if err := send(t, to, good); err == nil {
			t.Errorf("%s: no error", name)
		}
		last() // the others get the event all the same
	}
	sink, err := deliver.To([]string{good}, deliver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := sink.Deliver(ctx, event); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func TestTargetsThatCannotBe(t *testing.T) {
	t.Parallel()
	for _, to := range []string{
		"", "127.0.0.1:80", "ftp://127.0.0.1/", "http://", "http://example.com/", "sqs+http://192.0.2.1/1/q", "sqs+http://127.0.0.1/q", "sns+http://127.0.0.1/t", "http://%zz",
	} {
		if _, err := deliver.To([]string{to}, deliver.Options{}); !errors.Is(err, connectemu.ErrConfig) {
			t.Errorf("%q: %v", to, err)
		}
	}
	if _, err := deliver.To(nil, deliver.Options{}); !errors.Is(err, connectemu.ErrConfig) {
		t.Errorf("no target: %v", err)
	}
	if _, err := deliver.To([]string{"http://example.com/"}, deliver.Options{AllowNonLoopback: true}); err != nil {
		t.Errorf("permitted: %v", err)
	}
}

// TestTheEmulatorAloneImportsNoSDK holds what this package is apart for.
func TestTheEmulatorAloneImportsNoSDK(t *testing.T) {
	t.Parallel()
	for pkg, pulls := range map[string]bool{"connectemu": false, "connectemu/deliver": true} {
		output, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "github.com/ringonce/ringonce/"+pkg).Output()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(output), "github.com/aws/"); got != pulls {
			t.Errorf("%s pulls in the SDK: %t, want %t", pkg, got, pulls)
		}
	}
}
