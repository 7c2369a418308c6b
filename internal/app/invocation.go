package app

import (
	"context"
	"log/slog"

	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
)

// Invoke answers one invocation of Lambda. It is what both binaries give to lambda.Start of aws-lambda-go: the handler, with the metrics of
// the invocation written before it returns, however it ends.
func (a *App) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	ctx = a.invoked(ctx)
	defer a.flush(ctx)
	report, err := a.Handler.Process(ctx, payload)
	a.Metrics.delivered(report)
	if err != nil {
		return nil, err
	}
	return report.Response()
}

// Take takes a document of which nobody awaits an answer, such as a message of a queue, and reports whether its source may forget all of it. What
// was refused, cut off or could not be read is not forgotten. What it asked for is to be written down before its source forgets it.
func (a *App) Take(ctx context.Context, document []byte) (acknowledged bool, asked []Asked) {
	ctx, end := a.taking(ctx, document)
	acknowledged, asked = a.take(ctx, document)
	failure := ""
	if !acknowledged {
		failure = "returned"
	}
	end(failure)
	return acknowledged, asked
}

func (a *App) take(ctx context.Context, document []byte) (acknowledged bool, asked []Asked) {
	report, err := a.Handler.Process(ctx, document)
	a.Metrics.delivered(report)
	acknowledged = err == nil
	for _, result := range report.Results {
		acknowledged = acknowledged && result.Acknowledged()
	}
	return acknowledged, a.asked(report)
}

// traceVariable is where Lambda puts the tracing header of the current invocation (AWS Lambda Developer Guide, "Using Lambda environment
// variables"); aws-lambda-go hands it over in the context too.
const traceVariable = "_X_AMZN_TRACE_ID"

// invoked returns the context of an invocation with its id and its trace.
func (a *App) invoked(ctx context.Context) context.Context {
	if lc, ok := lambdacontext.FromContext(ctx); ok && lc != nil && requestID(lc.AwsRequestID) {
		ctx = context.WithValue(ctx, requestIDKey{}, lc.AwsRequestID)
	}
	header, _ := ctx.Value("x-amzn-trace-id").(string)
	if header == "" {
		header, _ = a.lookup(traceVariable)
	}
	return call.WithTrace(ctx, envelope.XRayHeader(header))
}

type requestIDKey struct{}

func requestIDOf(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

// Sweep is one sweep of a process that lives, with its metrics. It needs a ledger.
func (a *App) Sweep(ctx context.Context) (call.Swept, error) {
	defer a.flush(ctx)
	ctx, end := a.BeginLater(ctx, SpanSweep)
	swept, err := a.sweep(ctx)
	end(failureOf(err), slog.Int("ringonce.due", swept.Due), slog.Int("ringonce.moved", swept.Moved), slog.Int("ringonce.failed", swept.Failed))
	if err == nil {
		a.Metrics.swept(swept)
	}
	return swept, err
}

// flush writes the metrics. A log that cannot be written must not fail a call, so the loss is only reported.
func (a *App) flush(ctx context.Context) {
	if err := a.Metrics.Flush(); err != nil {
		a.Observer.log.WarnContext(ctx, "metrics lost", slog.String("error", err.Error()))
	}
}
