package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

const (
	deliveryTrace   = "1-5759e988-bd862e3fe1be46a994272793"
	invocationTrace = "1-67891233-abcdef012345678912345678"
	invocationID    = "8476a536-e9f4-11e8-9739-2dfe598c3fcd"
)

// overheard keeps the traces of the requests that go to the telephone network.
type overheard struct {
	http.RoundTripper

	traces []string
}

func (o *overheard) RoundTrip(r *http.Request) (*http.Response, error) {
	o.traces = append(o.traces, r.Header.Get("X-Amzn-Trace-Id"))
	return o.RoundTripper.RoundTrip(r)
}

// invocation is the context that aws-lambda-go makes.
func invocation(ctx context.Context) context.Context {
	ctx = lambdacontext.NewContext(ctx, &lambdacontext.LambdaContext{AwsRequestID: invocationID})
	return context.WithValue(ctx, "x-amzn-trace-id", "Root="+invocationTrace+";Parent=53995c3f42cd8ad8;Sampled=0;Lineage=1:a87bd80c:0") //nolint:staticcheck // the key of aws-lambda-go
}

func withTrace(t *testing.T, document, header string) string {
	t.Helper()
	var parsed struct{ Records []object }
	if err := json.Unmarshal([]byte(document), &parsed); err != nil {
		t.Fatal(err)
	}
	attributes, ok := parsed.Records[0]["attributes"].(map[string]any)
	if !ok {
		t.Fatal("no attributes")
	}
	attributes["AWSTraceHeader"] = header
	return object{"Records": parsed.Records}.text()
}

// tapped is a meter whose log, wire and ledger are listened to.
type tapped struct {
	*meter

	log    bytes.Buffer
	wire   overheard
	ledger tracedLedger
}

func newTapped(t *testing.T) *tapped {
	t.Helper()
	m := &tapped{}
	m.meter = newMeter(t, func(_ *app.Config, o *app.Options) {
		client, ok := o.HTTPClient.(*http.Client)
		if !ok {
			t.Fatal("the meter has another client")
		}
		m.wire.RoundTripper = client.Transport
		o.HTTPClient, o.Log = &http.Client{Transport: &m.wire}, app.NewLogger(&m.log, app.Log{})
		o.WrapLedger = func(l call.Ledger) call.Ledger { m.ledger.Ledger = l; return &m.ledger }
	})
	return m
}

// invoke returns the log lines of one invocation, each of which has its id.
func (m *tapped) invoke(document string) (lines []map[string]any) {
	m.t.Helper()
	m.log.Reset()
	m.wire.traces, m.ledger.traces = nil, nil
	if _, err := m.app.Invoke(invocation(m.t.Context()), []byte(document)); err != nil {
		m.t.Fatal(err)
	}
	for line := range bytes.Lines(m.log.Bytes()) {
		var parsed map[string]any
		if err := json.Unmarshal(line, &parsed); err != nil {
			m.t.Fatal(err)
		}
		if parsed["requestId"] != invocationID {
			m.t.Errorf("a line of an invocation lacks its id: %s", line)
		}
		lines = append(lines, parsed)
	}
	if len(lines) == 0 {
		m.t.Error("nothing was logged")
	}
	return lines
}

// all demands that something was heard, and always with this trace.
func (m *tapped) all(what string, got []string, want string) {
	m.t.Helper()
	for _, trace := range got {
		if trace != want {
			m.t.Errorf("%s has the trace %q, want %q", what, trace, want)
		}
	}
	if len(got) == 0 {
		m.t.Errorf("%s was never asked", what)
	}
}

func TestATraceGoesFromTheQueueIntoLogHistoryDialAndLedger(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newTapped(t)
		for key, c := range []struct{ header, want, sampled string }{
			{"Root=" + deliveryTrace + ";Parent=53995c3f42cd8ad8;Sampled=1", deliveryTrace, "1"},
			{"", invocationTrace, "0"},
			{"Root=+819000000001", invocationTrace, "0"},
		} {
			var logged []string
			for _, line := range m.invoke(withTrace(t, batch(request(key, nil)), c.header)) {
				trace, _ := line["trace"].(string)
				logged = append(logged, trace)
			}
			m.all("the log", logged, c.want)
			m.all("the telephone network", m.wire.traces, "Root="+c.want+";Parent=53995c3f42cd8ad8;Sampled="+c.sampled)
			m.all("the ledger", m.ledger.traces, c.want)
			m.all("the history", []string{m.arrival(key)}, c.want)
			// Another trace is the same request.
			again := m.invoke(withTrace(t, batch(request(key, nil)), "Root=1-aaaaaaaa-bbbbbbbbbbbbbbbbbbbbbbbb"))
			if again[0]["msg"] != "suppressed" || m.emu.RingCount() != key+1 {
				t.Errorf("a duplicate with another trace is %v; %d rings", again[0]["msg"], m.emu.RingCount())
			}
		}
	})
}

// tracedLedger keeps the trace of each operation.
type tracedLedger struct {
	call.Ledger

	traces []string
}

func (l *tracedLedger) Create(ctx context.Context, w call.Write) (call.Written, error) {
	l.traces = append(l.traces, call.TraceOf(ctx).String())
	return l.Ledger.Create(ctx, w)
}

func (l *tracedLedger) Update(ctx context.Context, w call.Write) (call.Written, error) {
	l.traces = append(l.traces, call.TraceOf(ctx).String())
	return l.Ledger.Update(ctx, w)
}

// arrival returns the trace in the first line of a key's history.
func (m *meter) arrival(key int) string {
	m.t.Helper()
	id := call.Naming{}.Row(call.Key{Kind: call.KindVoice, NotificationID: fmt.Sprintf("notification-%d", key), RecipientID: "user-67890"}, 0)
	entries, err := m.app.Store.Index.History(m.t.Context(), id)
	if err != nil || len(entries) == 0 {
		m.t.Fatalf("no history: %v", err)
	}
	event, err := entries[0].Event()
	if err != nil || event.Delivery == nil {
		m.t.Fatalf("no delivery: %v", err)
	}
	return event.Delivery.Trace
}

func TestALineOutsideOfAnInvocationHasNeitherIdNorTrace(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"json", "text"} {
		var log bytes.Buffer
		logger := app.NewLogger(&log, app.Log{Format: format})
		logger.With(slog.String("a", "b")).WithGroup("g").Info("one")
		if text := log.String(); strings.Contains(text, "requestId") || strings.Contains(text, "trace") || !strings.Contains(text, "one") {
			t.Errorf("%s", text)
		}
		logger.With(slog.String("a", "b")).InfoContext(call.WithTrace(t.Context(), call.Trace{ID: "5759e988bd862e3fe1be46a994272793"}), "two")
		if text := log.String(); !strings.Contains(text, "5759e988bd862e3fe1be46a994272793") {
			t.Errorf("%s", text)
		}
	}
}
