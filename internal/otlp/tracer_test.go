package otlp_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/otlp"
	"github.com/ringonce/ringonce/internal/otlp/otlptest"
	"github.com/ringonce/ringonce/internal/secret"
	"github.com/ringonce/ringonce/internal/trace"
)

// clock is the machine's.
type clock struct{}

func (clock) Now() time.Time                                   { return time.Now() }
func (clock) Sleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

const (
	producersTrace = "5759e988bd862e3fe1be46a994272793"
	producersSpan  = "53995c3f42cd8ad8"
)

// counts counts what becomes of spans.
type counts struct {
	mu sync.Mutex
	by map[string]int
}

func (c *counts) count(what string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.by[what] += n
}

func (c *counts) of(what string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.by[what]
}

func open(t *testing.T, url string, change func(*otlp.Options)) (*otlp.Tracer, *counts) {
	t.Helper()
	c := &counts{by: map[string]int{}}
	o := otlp.Options{Endpoint: url + "/v1/traces", Sample: 1, Version: "v1", Clock: clock{}, Count: c.count}
	if change != nil {
		change(&o)
	}
	tracer, err := otlp.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return tracer, c
}

func TestSpansFormATreeBelowTheSpanOfWhoAsked(t *testing.T) {
	t.Parallel()
	collector := otlptest.New(t)
	tracer, c := open(t, collector.URL, func(o *otlp.Options) {
		o.Headers = map[string]secret.Secret{"Authorization": secret.New([]byte("Bearer of-the-collector"))}
	})
	ctx, endOuter := tracer.Begin(t.Context(), trace.Span{
		Name: "outer", Kind: trace.Server, From: call.Trace{ID: producersTrace, Parent: producersSpan, Sampled: "1"}, Attrs: []slog.Attr{slog.Int("n", 3)},
	})
	if got := call.TraceOf(ctx); got.ID != producersTrace || got.Parent == producersSpan || got.Sampled != "1" || got.Root {
		t.Errorf("the core is told %+v", got)
	}
	_, endInner := tracer.Begin(ctx, trace.Span{Name: "inner", Below: true, Links: []call.Trace{{ID: producersTrace, Parent: producersSpan}, {ID: producersTrace}}})
	endInner("timed_out", slog.Bool("b", true), slog.String("empty", ""))
	endOuter("")
	_, endAlone := tracer.Begin(t.Context(), trace.Span{Name: "alone", Below: true})
	endAlone("")
	tracer.Close(t.Context())
	spans := collector.Spans()
	if len(spans) != 2 || c.of(otlp.Sent) != 2 || c.of(otlp.Ended) != 2 || c.of(otlp.Failed) != 0 {
		t.Fatalf("%+v\n%v", spans, c.by)
	}
	inner, outer := spans[0], spans[1]
	if outer.Trace != producersTrace || outer.Parent != producersSpan || outer.Kind != "SPAN_KIND_SERVER" || outer.Failure != "" || !strings.Contains(outer.Attrs["n"], "3") {
		t.Errorf("outer: %+v", outer)
	}
	if inner.Trace != producersTrace || inner.Parent != outer.ID || inner.Failure != "timed_out" || len(inner.Links) != 1 || inner.Links[0] != producersTrace+"/"+producersSpan {
		t.Errorf("inner: %+v", inner)
	}
	if _, there := inner.Attrs["empty"]; there || inner.Attrs["b"] == "" {
		t.Errorf("attributes: %+v", inner.Attrs)
	}
	for _, h := range collector.Headers() {
		if h.Get("Authorization") != "Bearer of-the-collector" || h.Get("Content-Type") != "application/x-protobuf" {
			t.Errorf("headers: %v", h)
		}
	}
}

func TestTheShareIsOfTracesThatBeginHereAndWhoSentOneHasDecided(t *testing.T) {
	t.Parallel()
	collector := otlptest.New(t)
	never, _ := open(t, collector.URL, func(o *otlp.Options) { o.Sample = 0 })
	ctx, end := never.Begin(t.Context(), trace.Span{Name: "not sampled"})
	if got := call.TraceOf(ctx); got.IsZero() || got.Sampled != "0" {
		t.Errorf("a trace that is not sent still has an id: %+v", got)
	}
	end("")
	_, end = never.Begin(t.Context(), trace.Span{Name: "sampled by its sender", From: call.Trace{ID: producersTrace, Parent: producersSpan, Sampled: "1"}})
	end("")
	never.Close(t.Context())
	always, _ := open(t, collector.URL, nil)
	_, end = always.Begin(t.Context(), trace.Span{Name: "not sampled by its sender", From: call.Trace{ID: producersTrace, Parent: producersSpan, Sampled: "0"}})
	end("")
	always.Close(t.Context())
	half, c := open(t, collector.URL, func(o *otlp.Options) { o.Sample = 0.5 })
	for range 1000 {
		_, end := half.Begin(t.Context(), trace.Span{Name: "half"})
		end("")
	}
	half.Close(t.Context())
	if n := c.of(otlp.Ended); n < 350 || n > 650 { // beyond nine standard deviations
		t.Errorf("of 1000 traces %d were sampled, want about half", n)
	}
	for _, s := range collector.Spans() {
		if s.Name != "half" && s.Name != "sampled by its sender" {
			t.Errorf("%q came", s.Name)
		}
	}
}

// The collector takes nothing until the end. If ending a span could wait for it, this test would not end.
func TestACollectorThatHangsLosesSpansAndHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	collector := otlptest.New(t)
	collector.Hang()
	const queue, spans = 64, 10_000
	tracer, c := open(t, collector.URL, func(o *otlp.Options) { o.Queue = queue })
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range spans / 4 {
				_, end := tracer.Begin(t.Context(), trace.Span{Name: "one"})
				end("")
			}
		})
	}
	all.Wait()
	if n := c.of(otlp.Ended); n != spans {
		t.Errorf("%d of %d spans ended", n, spans)
	}
	collector.Release()
	tracer.Close(t.Context())
	// What waited in the queue, and the batches that were taken out of it before it was full.
	if n := len(collector.Spans()); n == 0 || n > 4*queue {
		t.Errorf("%d spans came out of a queue of %d", n, queue)
	}
}

func TestACollectorThatIsAwayOrRefusesIsCountedAndToldOnce(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]int{"away": 0, "refuses": http.StatusForbidden, "sends elsewhere": http.StatusFound} {
		var log bytes.Buffer
		var elsewhere atomic.Int32
		other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", other.URL)
			w.WriteHeader(answer)
			_, _ = w.Write([]byte("what a collector says may hold anything"))
		}))
		if answer == 0 {
			server.Close()
		}
		tracer, c := open(t, server.URL, func(o *otlp.Options) {
			o.Log = slog.New(slog.NewTextHandler(&log, nil))
			o.Headers = map[string]secret.Secret{"Authorization": secret.New([]byte("hush"))}
		})
		for i := range 3 {
			_, end := tracer.Begin(t.Context(), trace.Span{Name: "span " + strconv.Itoa(i)})
			end("")
		}
		tracer.Close(t.Context())
		server.Close()
		other.Close()
		if c.of(otlp.Failed) != 3 || c.of(otlp.Sent) != 0 {
			t.Errorf("%s: %v", name, c.by)
		}
		if text := log.String(); strings.Count(text, "spans were lost") != 1 || strings.Contains(text, "anything") || strings.Contains(text, "hush") {
			t.Errorf("%s: the log says %s", name, text)
		}
		if elsewhere.Load() != 0 {
			t.Errorf("%s: a redirect was followed, with the collector's credential", name)
		}
	}
}

func TestVariablesOfTheEnvironmentSendSpansNowhereElse(t *testing.T) {
	collector, thief := otlptest.New(t), otlptest.New(t)
	for name, value := range map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": thief.URL, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": thief.URL + "/v1/traces", "OTEL_EXPORTER_OTLP_HEADERS": "X-Of-Environment=1",
		"OTEL_EXPORTER_OTLP_CERTIFICATE": "missing.pem", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json", "OTEL_EXPORTER_OTLP_COMPRESSION": "none",
		"OTEL_TRACES_SAMPLER": "always_off", "OTEL_BSP_MAX_QUEUE_SIZE": "1", "HTTP_PROXY": thief.URL,
	} {
		t.Setenv(name, value)
	}
	tracer, _ := open(t, collector.URL, nil)
	for range 50 {
		_, end := tracer.Begin(t.Context(), trace.Span{Name: "one"})
		end("")
	}
	tracer.Close(t.Context())
	if n := len(collector.Spans()); n != 50 || len(thief.Spans()) != 0 {
		t.Errorf("%d spans here, %d elsewhere", n, len(thief.Spans()))
	}
	for _, h := range collector.Headers() {
		if h.Get("X-Of-Environment") != "" {
			t.Error("a header of the environment was sent")
		}
	}
}
