package cli

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/ringonce/ringonce/internal/app"
)

// runtimeAPI is the variable by which Lambda, or a stand-in, tells a process where the Runtime API is.
const runtimeAPI = "AWS_LAMBDA_RUNTIME_API"

// drainTime is how long an invocation that is running may take after the process was told to end.
const drainTime = 20 * time.Second

// runtimeCommand answers invocations of the Lambda Runtime API until it is told to end.
type runtimeCommand struct{}

// Run implements the command.
func (runtimeCommand) Run(ctx context.Context, e *environment) (err error) {
	if api, _ := e.LookupEnv(runtimeAPI); api == "" {
		return failed("The variable "+runtimeAPI+" is not set, so there is no Runtime API to serve.", "Start this command in Lambda, or beside a stand-in that sets it.")
	}
	a, err := e.open(ctx, opening{service: true, metrics: e.Stdout})
	if err != nil {
		return err
	}
	defer closing(a, &err)
	log := e.log(a.Config.Log, true)
	ctx, end := context.WithCancel(ctx)
	defer end()
	sweeper := startSweeper(ctx, a, log)
	log.InfoContext(ctx, "serving", slog.String("ledger", string(a.Mode)))
	gate := &gate{handler: a}
	// The loop of aws-lambda-go ends the process when the Runtime API does. It is not given ctx, so that an invocation that runs
	// when the process is told to end still answers.
	go lambda.StartWithOptions(gate, lambda.WithContext(context.WithoutCancel(ctx)))
	select {
	case <-ctx.Done():
	case <-gone(a):
		// Every delivery would only be returned to its source until somebody looked; whoever started this process starts it again.
		err = failed("The ledger can no longer be used by this process.", "Start it again: it reopens the ledger and reads what is there; the log says what happened.")
		end()
	}
	log.InfoContext(ctx, "ending", slog.Bool("drained", gate.close(e.drained(drainTime))))
	<-sweeper
	return err
}

// gone is closed when the ledger must be opened again; nil, which never is, without a ledger that can get so far.
func gone(a *app.App) <-chan struct{} {
	if a.Store == nil {
		return nil
	}
	return a.Store.Gone
}

// drained returns a channel that closes after d on the process's clock.
func (e *environment) drained(d time.Duration) <-chan struct{} {
	over := make(chan struct{})
	go func() {
		defer close(over)
		_ = e.Clock.Sleep(context.Background(), d)
	}()
	return over
}

// startSweeper answers hints, where this process answers them itself, and sweeps until ctx ends; the channel closes when the last row that a sweep
// began has its answer.
func startSweeper(ctx context.Context, a *app.App, log *slog.Logger) <-chan struct{} {
	ended := make(chan struct{})
	if a.Engine == nil {
		close(ended)
		return ended
	}
	if err := a.StartHints(ctx); err != nil { // they end when the ledger is closed
		log.ErrorContext(ctx, "hints", slog.String("error", err.Error()))
	}
	go func() {
		defer close(ended)
		a.RunSweeper(ctx)
	}()
	return ended
}

// gate passes invocations to the handler until it is closed, so that the ledger is not closed under one.
type gate struct {
	handler lambda.Handler

	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup
}

var errEnding = errors.New("the process is ending; the invocation was not started")

// Invoke implements lambda.Handler.
func (g *gate) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	g.mu.Lock()
	if g.closed {
		g.mu.Unlock()
		return nil, errEnding
	}
	g.running.Add(1)
	g.mu.Unlock()
	defer g.running.Done()
	return g.handler.Invoke(ctx, payload)
}

// close lets no further invocation in, waits for those that run until over closes, and reports whether all have ended.
func (g *gate) close(over <-chan struct{}) bool {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	idle := make(chan struct{})
	go func() {
		defer close(idle)
		g.running.Wait()
	}()
	select {
	case <-idle:
		return true
	case <-over:
		return false
	}
}
