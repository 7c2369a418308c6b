package call

import "context"

// Trace is the context of a distributed trace that a delivery came with. It joins the log lines, the history and the outgoing requests of a
// delivery to what its producer did before. It is no part of the request: neither key nor fingerprint knows it, and losing it costs nothing. The zero
// value is none.
type Trace struct {
	ID      string // 16 bytes as 32 lower-case hex digits (W3C Trace Context, trace-id)
	Parent  string // 8 bytes as 16 lower-case hex digits; empty when it is not known
	Sampled string // "1", "0", or empty when nobody has decided
	Root    bool   // it came from AWS X-Ray, which writes ID as 1-8 digits-24 digits
}

// IsZero reports whether there is no trace.
func (t Trace) IsZero() bool { return t.ID == "" }

// String returns the id as its origin writes it, for logs and histories: the W3C trace id, or the X-Ray root. Empty when there is none.
func (t Trace) String() string {
	if t.Root {
		return t.XRayRoot()
	}
	return t.ID
}

// ParseTrace returns the trace that [Trace.String] wrote, with the span beside it; the zero Trace of anything else.
func ParseTrace(text, span string) (t Trace) {
	id, root := text, len(text) == len("1-")+traceDigits+len("-") && text[:2] == "1-"
	if root {
		id = text[2:10] + text[11:]
	}
	if len(id) != traceDigits {
		return Trace{}
	}
	return Trace{ID: id, Parent: span, Root: root}
}

// XRayRoot returns the id in the form of AWS X-Ray (AWS X-Ray Developer Guide, "Tracing header"). Empty when there is none.
func (t Trace) XRayRoot() string {
	if len(t.ID) != traceDigits {
		return ""
	}
	return "1-" + t.ID[:8] + "-" + t.ID[8:]
}

const traceDigits = 32

type traceKey struct{}

// WithTrace returns a context that carries the trace to adapters and logs; the context itself when there is none.
func WithTrace(ctx context.Context, t Trace) context.Context {
	if t.IsZero() {
		return ctx
	}
	return context.WithValue(ctx, traceKey{}, t)
}

// TraceOf returns the trace that a context carries, or the zero Trace.
func TraceOf(ctx context.Context) Trace {
	t, _ := ctx.Value(traceKey{}).(Trace)
	return t
}
