package app

import (
	"context"
	"log/slog"

	"github.com/ringonce/ringonce/internal/call"
)

// Invoke answers one invocation of Lambda. It is what both binaries give to lambda.Start of aws-lambda-go: the handler, with the metrics of
// the invocation written before it returns, however it ends.
func (a *App) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	defer a.flush(ctx)
	report, err := a.Handler.Process(ctx, payload)
	a.Metrics.delivered(report)
	if err != nil {
		return nil, err
	}
	return report.Response()
}

// Sweep is one sweep of a process that lives, with its metrics. It needs a ledger.
func (a *App) Sweep(ctx context.Context) (call.Swept, error) {
	defer a.flush(ctx)
	swept, err := a.Engine.Sweep(ctx, a.Config.SweepLimit())
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
