package app

import (
	"context"
	"log/slog"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// The ways of hints, wake.engine.
const (
	wakeSQS   = "sqs"   // a queue and schedules on AWS (docs/wake.md)
	wakeRiver = "river" // jobs in or beside the ledger's database
)

// Hints are a way of hints that this process answers itself.
type Hints interface {
	call.Waker
	// Start begins to answer. Drain begins no further answer and waits for those that run until the context ends, and then cuts them off; hints can still
	// be given. Stop drains and closes.
	Start(ctx context.Context) error
	Drain(ctx context.Context) error
	Stop(ctx context.Context) error
	// Notice asks that the producer of a call is told what became of it. NoticeBehind does so too, unless an earlier NoticeBehind still waits.
	Notice(ctx context.Context, row string) error
	NoticeBehind(ctx context.Context, row string) error
}

// HintRequest is what a store's hints are opened with.
type HintRequest struct {
	Path       string // wake.path; empty stands for the store's own choice
	Woken      func(ctx context.Context, row string, due time.Time) error
	Sweep      func(ctx context.Context) error
	Tell       func(ctx context.Context, row string) (busy bool, err error) // Webhooks.Tell
	SweepEvery time.Duration
	Log        *slog.Logger
}

// openHints opens the hints of wake.engine river, which answer with the engine that is made after them.
func (c *Config) openHints(ctx context.Context, o Options, a *App) error {
	if c.Wake.Engine != wakeRiver || o.ReadOnly || o.AllowRecovery || a.Store == nil {
		return nil
	}
	if a.Store.OpenHints == nil {
		return c.refuse("wake.engine", "Use ledger.driver: sqlite or postgres.", "is river, and this ledger has no database for jobs.")
	}
	jobs := newHintJobs(c.drainTime())
	hints, err := a.Store.OpenHints(ctx, HintRequest{
		Path: c.Wake.Path, Log: o.Log, SweepEvery: c.SweepEvery(),
		Woken: func(ctx context.Context, row string, due time.Time) error {
			ctx, end := a.BeginLater(ctx, SpanHint)
			_, err := a.Engine.Woken(ctx, row, due)
			end(failureOf(err))
			return err
		},
		Sweep: func(ctx context.Context) error {
			ctx, end := jobs.sweeping(ctx)
			defer end()
			_, err := a.Sweep(ctx)
			return err
		},
		Tell: func(ctx context.Context, row string) (bool, error) {
			if a.webhooks == nil { // configured away since the job was made
				return false, nil
			}
			busy, err := a.webhooks.Tell(ctx, row)
			if err != nil && ctx.Err() == nil { // no decision: that would be one more thing to tell
				a.Observer.log.WarnContext(ctx, "webhook-failed", slog.String("call", row), slog.String("error", maskDigits(err.Error())))
			}
			return busy, err
		},
	})
	if err != nil {
		return &call.Error{Code: call.CodeConfiguration, Message: "The hints (wake.engine: river) cannot be opened: " + err.Error(), Fix: c.hintsFix()}
	}
	jobs.hints = hints
	a.Hints, a.jobs = hints, jobs
	return nil
}

// hintsFix is what helps when hints cannot be opened.
func (c *Config) hintsFix() string {
	if c.Ledger.Driver == driverPostgres {
		return "Give the role of the connection string what docs/postgres.md names, or start once with the owner of the tables."
	}
	return "Check wake.path and the rights on its folder."
}

// checkHints checks wake.engine and what belongs to it.
func (c *Config) checkHints() error {
	w := c.Wake
	switch {
	case w.Engine != "" && w.Engine != wakeSQS && w.Engine != wakeRiver:
		return c.refuse("wake.engine", "Use sqs or river, or leave it out.", "%q is no way of hints.", w.Engine)
	case w.Engine == wakeRiver && w.QueueURL != "":
		return c.refuse("wake.queue_url", "Remove it, or use wake.engine: sqs.", "is set, and wake.engine is river.")
	case w.Engine == wakeSQS && w.QueueURL == "":
		return c.refuse("wake.engine", "Set wake.queue_url, or remove wake.engine.", "is sqs, and wake.queue_url is missing.")
	case w.Path != "" && w.Engine != wakeRiver:
		return c.refuse("wake.path", "Set wake.engine: river, or remove it.", "is set, and wake.engine is not river.")
	case w.Path != "" && c.Ledger.Driver == driverPostgres:
		return c.refuse("wake.path", "Remove it: the jobs lie in the ledger's database.", "is set, and ledger.driver is postgres.")
	case w.Engine == wakeRiver && (c.Ledger.Driver == "" || c.Ledger.Driver == "none"):
		return c.refuse("wake.engine", "Remove it, or configure a ledger.", "needs a ledger, and ledger.driver is none.")
	}
	return nil
}
