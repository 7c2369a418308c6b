package otlp

import (
	"context"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	otel "go.opentelemetry.io/otel/trace"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/secret"
	"github.com/ringonce/ringonce/internal/trace"
)

// The bounds of what waits for the collector.
const (
	DefaultQueue = 2048 // spans; more are lost
	batch        = 512  // spans of one request
	gather       = 2 * time.Second
	sendTime     = 10 * time.Second // of one request with its repetitions
	closeTime    = 3 * time.Second  // of what still waits when the process ends
)

// Options is what a tracer is made of. Endpoint and Clock are required.
type Options struct {
	Endpoint string                   // the whole URL, such as https://collector.example.com/v1/traces
	Headers  map[string]secret.Secret // of each request
	Sample   float64                  // share of the traces that begin here and are sent; who sent a trace has decided on its own
	Version  string                   // of this program
	Queue    int                      // spans that wait at most; 0 means 2048
	Clock    call.Clock
	Log      *slog.Logger             // nil means no log
	Count    func(what string, n int) // of Ended, Sent and Failed spans; nil tells nobody
}

// What becomes of spans, as Options.Count is told it. A span that ended and was neither sent nor failed waits, or was lost to a full queue.
const (
	Ended  = "ended"
	Sent   = "sent"
	Failed = "failed"
)

// Whats returns every word of Options.Count, for counters that begin at zero.
func Whats() []string { return []string{Ended, Sent, Failed} }

// Tracer begins spans and sends them. Make it with [Open].
type Tracer struct {
	provider *sdk.TracerProvider
	tracer   otel.Tracer
	clock    call.Clock
}

var _ trace.Spans = (*Tracer)(nil)

// Open returns a tracer. It asks the collector for nothing yet.
func Open(ctx context.Context, o Options) (*Tracer, error) {
	if o.Queue <= 0 {
		o.Queue = DefaultQueue
	}
	if o.Count == nil {
		o.Count = func(string, int) {}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	sender, err := newSender(ctx, o)
	if err != nil {
		return nil, err
	}
	provider := sdk.NewTracerProvider(
		sdk.WithResource(resource.NewSchemaless(attribute.String("service.name", "ringonce"), attribute.String("service.version", o.Version))),
		sdk.WithSampler(sdk.ParentBased(sdk.TraceIDRatioBased(o.Sample))),
		sdk.WithRawSpanLimits(sdk.SpanLimits{
			AttributeValueLengthLimit: 256, AttributeCountLimit: 32, EventCountLimit: 8, LinkCountLimit: 8,
			AttributePerEventCountLimit: 8, AttributePerLinkCountLimit: 8,
		}),
		sdk.WithSpanProcessor(counting{o.Count}),
		sdk.WithBatcher(sender, sdk.WithMaxQueueSize(o.Queue), sdk.WithMaxExportBatchSize(min(batch, o.Queue)), sdk.WithBatchTimeout(gather),
			sdk.WithExportTimeout(sendTime)),
	)
	return &Tracer{provider: provider, tracer: provider.Tracer("github.com/ringonce/ringonce"), clock: o.Clock}, nil
}

// Close sends what waits, within 3 s, and ends. Later spans are lost.
func (t *Tracer) Close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer cancel()
	_ = t.provider.Shutdown(ctx) // what could not be sent was counted
}

// Begin implements [trace.Spans].
func (t *Tracer) Begin(ctx context.Context, s trace.Span) (context.Context, trace.End) {
	above := otel.SpanContextFromContext(ctx)
	if !above.IsValid() {
		if s.Below {
			return ctx, func(string, ...slog.Attr) {}
		}
		if from := remote(s.From); from.IsValid() {
			ctx = otel.ContextWithRemoteSpanContext(ctx, from)
		}
	}
	options := []otel.SpanStartOption{otel.WithSpanKind(kinds[s.Kind]), otel.WithTimestamp(t.clock.Now()), otel.WithAttributes(attributes(s.Attrs)...)}
	for _, link := range s.Links {
		if to := remote(link); to.IsValid() {
			options = append(options, otel.WithLinks(otel.Link{SpanContext: to}))
		}
	}
	ctx, span := t.tracer.Start(ctx, s.Name, options...)
	return call.WithTrace(ctx, traceOf(span.SpanContext(), call.TraceOf(ctx))), func(failure string, attrs ...slog.Attr) {
		span.SetAttributes(attributes(attrs)...)
		if failure != "" {
			span.SetStatus(codes.Error, failure)
		}
		span.End(otel.WithTimestamp(t.clock.Now()))
	}
}

var kinds = map[trace.Kind]otel.SpanKind{
	trace.Internal: otel.SpanKindInternal, trace.Server: otel.SpanKindServer, trace.Client: otel.SpanKindClient, trace.Consumer: otel.SpanKindConsumer,
}

// traceOf is a span as the core passes it on. A trace of X-Ray is still written as X-Ray writes it.
func traceOf(c otel.SpanContext, before call.Trace) call.Trace {
	t := call.Trace{ID: c.TraceID().String(), Parent: c.SpanID().String(), Sampled: "0"}
	t.Root = before.Root && before.ID == t.ID
	if c.IsSampled() {
		t.Sampled = "1"
	}
	return t
}

// remote is a trace of elsewhere as the SDK has it; not valid where its span is not known.
func remote(t call.Trace) otel.SpanContext {
	id, err := otel.TraceIDFromHex(t.ID)
	if err != nil {
		return otel.SpanContext{}
	}
	span, err := otel.SpanIDFromHex(t.Parent)
	if err != nil {
		return otel.SpanContext{}
	}
	var flags otel.TraceFlags
	return otel.NewSpanContext(otel.SpanContextConfig{TraceID: id, SpanID: span, TraceFlags: flags.WithSampled(t.Sampled == "1"), Remote: true})
}

func attributes(attrs []slog.Attr) []attribute.KeyValue {
	all := make([]attribute.KeyValue, 0, len(attrs))
	for _, a := range attrs {
		switch v := a.Value.Resolve(); v.Kind() { //nolint:exhaustive // what is neither is told as a text
		case slog.KindInt64:
			all = append(all, attribute.Int64(a.Key, v.Int64()))
		case slog.KindBool:
			all = append(all, attribute.Bool(a.Key, v.Bool()))
		default:
			if text := v.String(); text != "" {
				all = append(all, attribute.String(a.Key, text))
			}
		}
	}
	return all
}

// counting counts the spans that ended and are to be sent.
type counting struct{ count func(what string, n int) }

// OnStart implements sdk.SpanProcessor.
func (counting) OnStart(context.Context, sdk.ReadWriteSpan) {}

// OnEnd implements sdk.SpanProcessor.
func (c counting) OnEnd(s sdk.ReadOnlySpan) {
	if s.SpanContext().IsSampled() {
		c.count(Ended, 1)
	}
}

// Shutdown implements sdk.SpanProcessor.
func (counting) Shutdown(context.Context) error { return nil }

// ForceFlush implements sdk.SpanProcessor.
func (counting) ForceFlush(context.Context) error { return nil }
