package alerttest

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/ringonce/ringonce/internal/service"
)

const (
	here      = "here:7464"
	there     = "there:7464" // another process on the same ledger
	rulesFile = "../alerts.yaml"
	step      = 30 * time.Second // between two scrapes, and between two looks at the rules
)

// system is the time of this machine, for what the service itself measures.
type system struct{}

func (system) Now() time.Time { return time.Now() }
func (system) Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// world is a service that Prometheus looks at, in virtual time.
type world struct {
	t       *testing.T
	metrics *service.Metrics
	server  *service.Server
	engine  *promql.Engine
	rules   []rulefmt.Rule
	store   *store
	now     time.Time
	since   map[string]time.Time // by alert: since when its condition holds
	fired   map[string]bool

	down    bool  // nothing answers the scrape
	other   bool  // another process does
	ledger  error // what the check of the ledger finds
	status  int   // of the answers of the API
	expires time.Time
	backlog int // calls that wait for the pace
}

func newWorld(t *testing.T) *world {
	t.Helper()
	language := parser.NewParser(parser.Options{})
	groups, errs := rulefmt.ParseFile(rulesFile, false, model.UTF8Validation, language, slog.New(slog.DiscardHandler))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	w := &world{
		t: t, metrics: service.NewMetrics("v1"), store: &store{series: map[string]*series{}}, now: time.Date(2026, 11, 30, 3, 0, 0, 0, time.UTC),
		since: map[string]time.Time{}, fired: map[string]bool{}, status: http.StatusOK,
		engine: promql.NewEngine(promql.EngineOpts{Logger: slog.New(slog.DiscardHandler), MaxSamples: 1e6, Timeout: time.Minute, LookbackDelta: 5 * time.Minute, Parser: language}),
	}
	for _, g := range groups.Groups {
		w.rules = append(w.rules, g.Rules...)
	}
	var err error
	w.server, err = service.New(service.Options{
		Clock: system{}, Log: slog.New(slog.DiscardHandler), Metrics: w.metrics, Limits: service.Limits{Concurrent: 1},
		Routes: []string{"POST /v1/calls"}, API: http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Within") == "" && w.status == 0 { // one more request while this one is answered
				w.ask(http.MethodPost, "/v1/calls", true)
			}
			answer.WriteHeader(max(w.status, http.StatusOK))
		}),
		Checks: []service.Check{{Name: "ledger", Look: func(context.Context) error { return w.ledger }}},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.expires = w.now.AddDate(0, 3, 0)
	w.metrics.Gauge("ringonce_tls_certificate_expiry_timestamp_seconds", "When the certificate of the listener ends.", nil, func() float64 { return float64(w.expires.Unix()) })
	for _, what := range []string{"received", "deleted", "returned", "receive_failed", "delete_failed"} { // as the poller begins
		w.metrics.Queue("orders", what, 0)
	}
	return w
}

func (w *world) ask(method, path string, within bool) []byte {
	r := httptest.NewRequestWithContext(w.t.Context(), method, path, http.NoBody)
	if within {
		r.Header.Set("Within", "yes")
	}
	said := httptest.NewRecorder()
	w.server.Handler().ServeHTTP(said, r)
	text, _ := io.ReadAll(said.Body)
	return text
}

// usual is what happens in half a minute of a good day.
func (w *world) usual() {
	w.metrics.Count("Sweeps", "", 1)
	w.metrics.Count("Calls", "placed", 3)
	w.metrics.Count("Outcomes", "answered", 3)
	w.metrics.Count("Held", "quiet_hours", 1)
	w.stands(func(*service.Standing) {})
	w.metrics.Measure("DialLatency", 300)
	w.metrics.Measure("LedgerLatency", 2)
	w.metrics.Measure("RequestAge", 1)
	w.metrics.Queue("orders", "received", 5)
	w.metrics.Queue("orders", "deleted", 5)
	w.ask(http.MethodPost, "/v1/calls", false)
}

// stands tells what stands in the ledger on a good day, but for a change.
func (w *world) stands(change func(s *service.Standing)) {
	s := service.Standing{
		At: w.now, Counted: true, Doubts: 1, OldestDoubt: time.Hour, Held: map[string]int{"pacing": 20, "quiet_hours": 500}, LateDial: time.Second, LateLook: time.Minute,
		Pauses: map[string]int{"profile": 1}, OldestPause: 2 * time.Hour, Telling: true, Untold: 3, OldestUntold: time.Hour,
	}
	change(&s)
	w.metrics.Stands(s)
}

// lives lets time pass. Each half minute does first what a good day does, and then what else happens.
func (w *world) lives(d time.Duration, usual, more func()) {
	w.t.Helper()
	for end := w.now.Add(d); w.now.Before(end); w.now = w.now.Add(step) {
		usual()
		more()
		if w.other {
			w.store.up(there, 1, w.now)
			w.store.add(labels.FromStrings(metricName, "ringonce_build_info"), there, 1, w.now)
		}
		if w.down {
			w.store.up(here, 0, w.now)
		} else {
			w.store.up(here, 1, w.now)
			w.store.scrape(w.t, w.ask(http.MethodGet, "/metrics", false), w.now)
		}
		for _, r := range w.rules {
			w.look(r)
		}
	}
}

// look evaluates a rule. An alert fires when its condition has held for its time.
func (w *world) look(r rulefmt.Rule) {
	w.t.Helper()
	if len(w.query(r.Expr)) == 0 {
		delete(w.since, r.Alert)
		return
	}
	if _, pending := w.since[r.Alert]; !pending {
		w.since[r.Alert] = w.now
	}
	if w.now.Sub(w.since[r.Alert]) >= time.Duration(r.For) {
		w.fired[r.Alert] = true
	}
}

func (w *world) query(expression string) promql.Vector {
	w.t.Helper()
	q, err := w.engine.NewInstantQuery(w.t.Context(), w.store, nil, expression, w.now)
	if err != nil {
		w.t.Fatalf("%s: %v", expression, err)
	}
	defer q.Close()
	found := q.Exec(w.t.Context())
	vector, err := found.Vector()
	if err = errors.Join(err, found.Err); err != nil {
		w.t.Fatalf("%s: %v", expression, err)
	}
	return slices.Clone(vector)
}

func (w *world) firing() []string { return slices.Sorted(maps.Keys(w.fired)) }
