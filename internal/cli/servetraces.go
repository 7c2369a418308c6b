package cli

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
	"github.com/ringonce/ringonce/internal/otlp"
	"github.com/ringonce/ringonce/internal/trace"
)

// openTraces opens what sends spans to the collector of serve.traces; nil without one.
func (s *serving) openTraces(ctx context.Context, version string) (*otlp.Tracer, error) {
	set := s.config.Serve.Traces
	if set.Endpoint == "" {
		return nil, nil //nolint:nilnil // no spans is the default
	}
	headers, err := s.config.TraceHeaders()
	if err != nil {
		return nil, err
	}
	for _, what := range otlp.Whats() {
		s.metrics.Spans(what, 0)
	}
	return otlp.Open(ctx, otlp.Options{
		Endpoint: set.URL(), Headers: headers, Sample: set.Share(), Version: version, Clock: s.Clock, Log: s.log, Count: s.metrics.Spans,
	})
}

// traced begins the trace of a request of the API. Without a collector the request's own trace is only passed on.
func (s *serving) traced(r *http.Request, route string) (context.Context, func(status int)) {
	from := envelope.Traceparent(r.Header.Get("Traceparent"))
	if s.spans == nil {
		return call.WithTrace(r.Context(), from), func(int) {}
	}
	method := plainMethod(r.Method)
	ctx, end := s.spans.Begin(r.Context(), trace.Span{
		Name: method + " " + route, Kind: trace.Server, From: from,
		Attrs: []slog.Attr{slog.String("http.request.method", method), slog.String("http.route", route)},
	})
	return ctx, func(status int) {
		failure := ""
		if status >= http.StatusInternalServerError {
			failure = http.StatusText(status)
		}
		end(failure, slog.Int("http.response.status_code", status))
	}
}

// plainMethod names a method; a client may send any word (OpenTelemetry semantic conventions, "http.request.method").
func plainMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "_OTHER"
}

// laterSpan begins the span of a dial that no request waits for.
func (s *serving) laterSpan(ctx context.Context) (context.Context, trace.End) {
	return s.app.BeginLater(ctx, app.SpanLater)
}
