package app

import (
	"context"
	"log/slog"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
	"github.com/ringonce/ringonce/internal/ingress/lambda"
	"github.com/ringonce/ringonce/internal/trace"
)

// The names of spans within the process. What HTTP requests are called, their way in says.
const (
	SpanAccept  = "accept"
	SpanDial    = "dial"
	SpanMessage = "sqs message"
	SpanSweep   = "sweep"
	SpanHint    = "hint"
	SpanLater   = "dial accepted" // of a call that was accepted before
)

type laterKey struct{}

// BeginLater begins the span of work that no request waits for: what it dials is linked to the traces of the requests.
func (a *App) BeginLater(ctx context.Context, name string) (context.Context, trace.End) {
	if a.spans == nil {
		return trace.Begin(ctx, nil, trace.Span{})
	}
	return trace.Begin(context.WithValue(ctx, laterKey{}, true), a.spans, trace.Span{Name: name})
}

// taking begins the span of a message, below its producer's.
func (a *App) taking(ctx context.Context, document []byte) (context.Context, trace.End) {
	if a.spans == nil {
		return trace.Begin(ctx, nil, trace.Span{})
	}
	s := trace.Span{Name: SpanMessage, Kind: trace.Consumer}
	if records := envelope.Decode(document, envelope.Options{Now: a.Clock.Now(), Numberless: a.Config.Numberless(), Mapping: a.Config.Mapping()}).Records; len(records) == 1 {
		s.From = records[0].Trace
	}
	return trace.Begin(ctx, a.spans, s)
}

// spannedPlacer begins a span for each delivery of a queue or a document, and keeps it with the delivery.
type spannedPlacer struct {
	inner lambda.Placer
	spans trace.Spans
}

// Place implements lambda.Placer.
func (p spannedPlacer) Place(ctx context.Context, d call.Delivery) call.Outcome {
	ctx, end := p.spans.Begin(ctx, trace.Span{Name: SpanAccept, From: d.Trace})
	if now := call.TraceOf(ctx); d.Trace.IsZero() || now.ID == d.Trace.ID {
		d.Trace = now
	}
	out := p.inner.Place(ctx, d)
	failure := ""
	if out.Ack != call.AckDone {
		failure = string(out.Code)
	}
	end(failure, slog.String("ringonce.call", out.Call.ID), slog.String("ringonce.met", string(out.Met)))
	return out
}

// spannedDialer begins a span for each request to Amazon Connect.
type spannedDialer struct {
	call.Dialer

	spans trace.Spans
	begun func(ctx context.Context, row string) call.Trace // of the request that a row began with
}

// Dial implements call.Dialer.
func (d spannedDialer) Dial(ctx context.Context, s call.Send) call.Answer {
	span := trace.Span{Name: SpanDial, Kind: trace.Client, Attrs: []slog.Attr{slog.String("ringonce.call", s.CallID)}}
	if later, _ := ctx.Value(laterKey{}).(bool); later && call.TraceOf(ctx).Sampled != "0" { // a link costs a read
		span.Links = []call.Trace{d.begun(ctx, s.CallID)}
	}
	ctx, end := d.spans.Begin(ctx, span)
	answer := d.Dialer.Dial(ctx, s)
	failure := ""
	if answer.Class != call.ClassOK {
		failure = string(answer.Class)
	}
	end(failure, slog.String("ringonce.class", string(answer.Class)), slog.String("ringonce.code", string(answer.Code)))
	return answer
}

// Describe implements call.Dialer.
func (d spannedDialer) Describe(ctx context.Context, t call.Target, contactID string) (call.Contact, error) {
	ctx, end := d.spans.Begin(ctx, trace.Span{Name: "look at a contact", Kind: trace.Client, Below: true})
	contact, err := d.Dialer.Describe(ctx, t, contactID)
	end(failureOf(err))
	return contact, err
}

// begunBy returns the trace of the request that a row began with, of its history; the zero Trace when there is none.
func (a *App) begunBy(ctx context.Context, row string) call.Trace {
	entries, err := a.Store.Index.History(ctx, row)
	if err != nil || len(entries) == 0 {
		return call.Trace{}
	}
	event, err := entries[0].Event()
	if err != nil || event.Delivery == nil {
		return call.Trace{}
	}
	return call.ParseTrace(event.Delivery.Trace, event.Delivery.Span)
}

// failureOf is the code of an error, for a span. Its words may hold anything.
func failureOf(err error) string {
	if err == nil {
		return ""
	}
	if code := call.CodeOf(err); code != "" {
		return string(code)
	}
	return "failed"
}
