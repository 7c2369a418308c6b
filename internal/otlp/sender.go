package otlp

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdk "go.opentelemetry.io/otel/sdk/trace"

	"github.com/ringonce/ringonce/internal/call"
)

// silence is how long the log says nothing more of a collector that is away.
const silence = time.Minute

// sender sends spans and keeps every error to itself: it is counted, and told once a minute. The SDK would write it to standard error.
type sender struct {
	exporter *otlptrace.Exporter
	client   *http.Client
	count    func(what string, n int)
	clock    call.Clock
	log      *slog.Logger

	mu   sync.Mutex
	told time.Time
}

func newSender(ctx context.Context, o Options) (*sender, error) {
	headers := make(map[string]string, len(o.Headers))
	for name, value := range o.Headers {
		headers[name] = string(value.Reveal())
	}
	client := &http.Client{
		Timeout: sendTime,
		// No proxy: the address is the configuration's, and so is the way there.
		Transport: &http.Transport{
			TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 1, IdleConnTimeout: time.Minute,
			TLSHandshakeTimeout: 5 * time.Second, ResponseHeaderTimeout: sendTime,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // headers are for one host
	}
	exporter, err := otlptrace.New(ctx, otlptracehttp.NewClient(
		otlptracehttp.WithEndpointURL(o.Endpoint), otlptracehttp.WithHTTPClient(client), otlptracehttp.WithTLSClientConfig(nil), otlptracehttp.WithHeaders(headers), otlptracehttp.WithTimeout(sendTime),
		otlptracehttp.WithCompression(otlptracehttp.GzipCompression), otlptracehttp.WithEncoding(otlptracehttp.EncodingProtobuf),
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{Enabled: true, InitialInterval: time.Second, MaxInterval: 5 * time.Second, MaxElapsedTime: sendTime}),
	))
	if err != nil {
		return nil, fmt.Errorf("otlp: %w", err)
	}
	return &sender{exporter: exporter, client: client, count: o.Count, clock: o.Clock, log: o.Log}, nil
}

// ExportSpans implements sdk.SpanExporter.
func (s *sender) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	err := s.exporter.ExportSpans(ctx, spans)
	if err == nil {
		s.count(Sent, len(spans))
		return nil
	}
	s.count(Failed, len(spans))
	s.mu.Lock()
	now := s.clock.Now()
	tell := s.told.IsZero() || now.Sub(s.told) >= silence
	if tell {
		s.told = now
	}
	s.mu.Unlock()
	if tell {
		s.log.WarnContext(ctx, "spans were lost: the collector of traces did not take them", slog.Int("spans", len(spans)), slog.String("error", told(err)))
	}
	return nil
}

// told is an error without what the collector answered: its text may hold anything.
func told(err error) string {
	text, _, _ := strings.Cut(err.Error(), " (body")
	if body := strings.Index(text, "body:"); body >= 0 {
		text = text[:body] + "the collector asks to come again"
	}
	return text
}

// Shutdown implements sdk.SpanExporter.
func (s *sender) Shutdown(ctx context.Context) error {
	defer s.client.CloseIdleConnections()
	return s.exporter.Shutdown(ctx)
}
