package trace

import (
	"context"
	"log/slog"

	"github.com/ringonce/ringonce/internal/call"
)

// Kind says which side of an exchange a span is on.
type Kind int

// The kinds of spans, as OpenTelemetry has them (OpenTelemetry specification, "SpanKind").
const (
	Internal Kind = iota // within this process
	Server               // somebody asks this process
	Client               // this process asks somebody
	Consumer             // a message that this process received
)

// Span is what a span begins with. Its name is one of a fixed set: no id, number or text of a request is in it.
type Span struct {
	Name  string
	Kind  Kind
	Below bool         // only below a span that is there: it begins no trace of its own
	From  call.Trace   // of who asked, with the span there as Parent; it is the span above where the context carries none
	Links []call.Trace // of work elsewhere that led to this; one without a Parent is no link
	Attrs []slog.Attr  // known at its beginning
}

// End ends a span. The failure is a stable code, empty when it went well; attributes hold words of fixed sets, figures and row ids.
type End func(failure string, attrs ...slog.Attr)

// Spans begins spans. The context that comes back carries the span, also as its [call.Trace]. Beginning and ending never wait and never fail. It is
// safe for concurrent use.
type Spans interface {
	Begin(ctx context.Context, s Span) (context.Context, End)
}

// Begin begins a span, or does nothing where nobody asks for spans.
func Begin(ctx context.Context, spans Spans, s Span) (context.Context, End) {
	if spans == nil {
		return ctx, func(string, ...slog.Attr) {}
	}
	return spans.Begin(ctx, s)
}
