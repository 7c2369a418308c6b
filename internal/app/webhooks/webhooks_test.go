package webhooks_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/stores"
	"github.com/ringonce/ringonce/internal/app/webhooks"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/webhook"
)

const told = `
production: false
connect: {endpoint: %q}
ledger: {driver: sqlite, path: %q, witness: %q}
wake: {engine: river}
webhooks: [{url: %q, secret_file: %q}]
profiles:
  alert:
    region: us-east-1
    instance_id: 11111111-2222-4333-8444-555555555555
    contact_flow_id: aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee
    source_phone: "+12025550100"
`

// set is a configuration whose ledger outlives the programs that are opened with it.
type set struct {
	config string
	taken  chan string
}

func newSet(t *testing.T, change ...string) set {
	t.Helper()
	return newSetAnswering(t, func(w http.ResponseWriter) { w.WriteHeader(http.StatusNoContent) }, change...)
}

// newSetAnswering has a producer that answers in a way of its own.
func newSetAnswering(t *testing.T, answer func(http.ResponseWriter), change ...string) set {
	t.Helper()
	phones, err := connectemu.New(connectemu.Config{})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(phones)
	t.Cleanup(server.Close)
	s := set{taken: make(chan string, 100)}
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var event webhook.Event
		if err := json.NewDecoder(r.Body).Decode(&event); err != nil || r.Header.Get(webhook.HeaderSignature) == "" {
			t.Errorf("%v, signature %q", err, r.Header.Get(webhook.HeaderSignature))
		}
		s.taken <- string(event.Type)
		answer(w)
	}))
	t.Cleanup(hook.Close)
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("0123456789abcdef0123456789abcdef"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.config = fmt.Sprintf(told, server.URL, filepath.Join(t.TempDir(), "calls.db"), filepath.Join(t.TempDir(), "witness"), hook.URL, secret)
	s.config = strings.NewReplacer(change...).Replace(s.config)
	return s
}

func (s set) open(t *testing.T) (*app.App, error) {
	t.Helper()
	c, err := app.Parse("test.yaml", []byte(s.config))
	if err != nil {
		return nil, err
	}
	return app.New(t.Context(), c, app.Options{Stores: stores.All(), Webhooks: webhooks.Open, Random: rand.Reader, LookupEnv: app.LookupNothing})
}

func place(t *testing.T, a *app.App) (row string) {
	t.Helper()
	number, err := call.ParsePhone("+12025550101")
	if err != nil {
		t.Fatal(err)
	}
	out := a.Engine.Place(t.Context(), call.Delivery{
		Source: call.SourceSQS, ID: "m-1", Request: call.Request{NotificationID: "n-1", RecipientID: "r-1", Destination: number, Profile: "alert"},
	})
	if out.Call.State != call.Placed {
		t.Fatalf("the call met %s: %s", out.Met, out.Message)
	}
	return out.Call.ID
}

func (s set) hears(t *testing.T, want ...string) {
	t.Helper()
	for _, kind := range want {
		select {
		case got := <-s.taken:
			if got != kind {
				t.Errorf("heard %s, want %s", got, kind)
			}
		case <-t.Context().Done():
			t.Fatalf("%s never came", kind)
		}
	}
}

func TestAProducerHearsWhatBecameOfItsCall(t *testing.T) {
	t.Parallel()
	s := newSet(t)
	a, err := s.open(t)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.StartHints(t.Context()); err != nil {
		t.Fatal(err)
	}
	place(t, a)
	s.hears(t, "call.accepted", "call.placed")
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestAnAnswerOf200TakesAnEventWhateverItsBodyIs: nothing of a body is used, so nothing in it can hold the later events back.
func TestAnAnswerOf200TakesAnEventWhateverItsBodyIs(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(http.ResponseWriter){
		"a long page":            func(w http.ResponseWriter) { _, _ = w.Write(bytes.Repeat([]byte("x"), 1<<20)) },
		"one byte too many":      func(w http.ResponseWriter) { _, _ = w.Write(bytes.Repeat([]byte("x"), 4<<10+1)) },
		"a body that breaks off": func(w http.ResponseWriter) { w.Header().Set("Content-Length", "100"); _, _ = w.Write([]byte("x")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSetAnswering(t, answer)
			a, err := s.open(t)
			if err != nil {
				t.Fatal(err)
			}
			if err := a.StartHints(t.Context()); err != nil {
				t.Fatal(err)
			}
			place(t, a)
			s.hears(t, "call.accepted", "call.placed")
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestWhatADeadProcessDidNotTellTheNextOneTells loses every notice: the process ends before it passed one on.
func TestWhatADeadProcessDidNotTellTheNextOneTells(t *testing.T) {
	t.Parallel()
	s := newSet(t)
	first, err := s.open(t)
	if err != nil {
		t.Fatal(err)
	}
	place(t, first)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := s.open(t)
	if err != nil {
		t.Fatal(err)
	}
	if err := second.StartHints(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.hears(t, "call.accepted", "call.placed")
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestAWebhookThatCannotBeSafeIsRefusedWithItsKey(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ old, replacement, field string }{
		"no secret":         {"secret_file:", "previous_secret_file:", "webhooks[0].secret_file"},
		"a short secret":    {"secret_file: \"", "secret_file: \"/dev/null\"}] #", "webhooks[0].secret_file"},
		"a private address": {"[{url: \"http://127.0.0.1", "[{url: \"https://10.0.0.1", "webhooks[0].url"},
		"no jobs":           {"wake: {engine: river}\n", "", "webhooks"},
		"metadata":          {"[{url: \"http://127.0.0.1", "[{url: \"http://169.254.169.254", "webhooks[0].url"},
		"no range":          {"[{url: ", "[{allow: [10.0.0.0], url: ", "webhooks[0].allow"},
		"allowed metadata":  {"[{url: ", "[{allow: [169.254.169.254/32], url: ", "webhooks[0].allow"},
		"metadata in range": {"[{url: \"http://127.0.0.1", "[{allow: [0.0.0.0/0], url: \"http://169.254.169.254", "webhooks[0].url"},
		"outside its range": {"[{url: \"http://127.0.0.1", "[{allow: [10.1.0.0/16], url: \"https://10.2.0.1", "webhooks[0].url"},
		"no authorities":    {"[{url: ", "[{ca_file: /dev/null, url: ", "webhooks[0].ca_file"},
		"no such file":      {"[{url: ", "[{ca_file: /nowhere/ca.pem, url: ", "webhooks[0].ca_file"},
	} {
		_, err := newSet(t, c.old, c.replacement).open(t)
		var refused *call.Error
		if !errors.As(err, &refused) || !strings.HasPrefix(refused.Message, c.field) && refused.Field != c.field || refused.Fix == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTheLogSaysWhatAReceiverAnsweredThatTookNothing reads it without the address, whose path may be a secret.
func TestTheLogSaysWhatAReceiverAnsweredThatTookNothing(t *testing.T) {
	t.Parallel()
	said := make(chan string, 100)
	s := newSetAnswering(t, func(w http.ResponseWriter) { w.WriteHeader(http.StatusTeapot) })
	c, err := app.Parse("test.yaml", []byte(s.config))
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(lines(said), nil))
	a, err := app.New(t.Context(), c, app.Options{Stores: stores.All(), Webhooks: webhooks.Open, Random: rand.Reader, LookupEnv: app.LookupNothing, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.StartHints(t.Context()); err != nil {
		t.Fatal(err)
	}
	place(t, a)
	s.hears(t, "call.accepted")
	for line := range said {
		if strings.Contains(line, "webhook-failed") {
			if !strings.Contains(line, "it answered 418") || strings.Contains(line, "http://") {
				t.Error(line)
			}
			break
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}

// lines passes on what a log writes.
type lines chan<- string

func (l lines) Write(p []byte) (int, error) {
	select {
	case l <- string(p):
	default:
	}
	return len(p), nil
}
