package cli

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"slices"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/webhooks"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/trace"
)

// logLevels are the values of --log-level and log.level.
var logLevels = []string{"debug", "info", "warn", "error"}

// config reads the configuration that --config or the environment names. In production it refuses an environment that AWS could not be trusted in.
func (e *environment) config() (*app.Config, error) {
	config, err := e.readConfig()
	if err != nil {
		return nil, err
	}
	return config, config.CheckEnvironment(e.surroundings())
}

func (e *environment) readConfig() (*app.Config, error) {
	if level := e.commands.LogLevel; level != "" && !slices.Contains(logLevels, level) {
		return nil, misused("--log-level has an unknown value.", "Use debug, info, warn or error.")
	}
	if path := e.commands.Config; path != "" {
		return app.LoadFile(path)
	}
	value, _ := e.LookupEnv(app.ConfigVariable)
	if value == "" {
		return nil, misused("This command needs a configuration.", "Name one with --config, or in the variable "+app.ConfigVariable+"; docs/configuration.md describes it.")
	}
	return app.LoadValue(value)
}

// hasConfig reports whether a configuration is named at all.
func (e *environment) hasConfig() bool {
	value, _ := e.LookupEnv(app.ConfigVariable)
	return e.commands.Config != "" || value != ""
}

// surroundings is what stands around a configuration: the clock, the environment and its credentials.
func (e *environment) surroundings() app.Options {
	return app.Options{Clock: e.Clock, LookupEnv: e.LookupEnv, Environ: e.Environ, Roles: e.Roles}
}

// opening is how a command opens an App.
type opening struct {
	readOnly bool
	cells    bool // beside a process that holds the ledger, write cells
	recovery bool
	service  bool // a process that lives: it logs what the configuration asks for, and not only what an operator must see
	metrics  io.Writer
	facts    app.Facts // is told what the metrics count
	spans    trace.Spans
}

// open builds the App of the configuration.
func (e *environment) open(ctx context.Context, how opening) (*app.App, error) {
	config, err := e.config()
	if err != nil {
		return nil, err
	}
	return e.openWith(ctx, config, how)
}

// openWith is open for a configuration that was read already, or that nobody wrote.
func (e *environment) openWith(ctx context.Context, config *app.Config, how opening) (*app.App, error) {
	options := app.Options{
		Stores: e.Stores, Waker: e.Waker, Webhooks: webhooks.Open, Clock: e.Clock, Random: e.Random, Log: e.log(config.Log, how.service), LookupEnv: e.LookupEnv,
		Environ: e.Environ, AllowRecovery: how.recovery, ReadOnly: how.readOnly, Cells: how.cells, Metrics: how.metrics,
		Facts: how.facts, Spans: how.spans, Roles: e.Roles,
	}
	if e.Rewire != nil {
		e.Rewire(&options)
	}
	return app.New(ctx, config, options)
}

// openLedger is open for commands that make no sense without a ledger that exists: none of them makes an empty one.
func (e *environment) openLedger(ctx context.Context, how opening) (*app.App, error) {
	config, err := e.config()
	if err != nil {
		return nil, err
	}
	return e.openLedgerOf(ctx, config, how)
}

// openLedgerOf is openLedger for a configuration that was read already.
func (e *environment) openLedgerOf(ctx context.Context, config *app.Config, how opening) (*app.App, error) {
	if err := ledgerExists(config); err != nil {
		return nil, err
	}
	a, err := e.openWith(ctx, config, how)
	if err != nil {
		return nil, err
	}
	if a.Store == nil {
		return nil, errors.Join(errNoLedger(), a.Close())
	}
	return a, nil
}

// ledgerExists refuses a configuration that names the file of a ledger which is not there: a new one would know of no call.
func ledgerExists(config *app.Config) error {
	path := config.Ledger.Path
	if path == "" {
		return nil
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return &call.Error{
		Code: call.CodeConfiguration, Field: "ledger.path", Message: "There is no ledger at ledger.path (" + path + ").",
		Fix: "Name the file of an existing ledger.",
	}
}

func errNoLedger() error {
	return &call.Error{
		Code: call.CodeConfiguration, Field: "ledger.driver", Message: "This configuration has no ledger, so no calls are kept.",
		Fix: "Set ledger.driver: sqlite and ledger.path.",
	}
}

// log returns the log of a command. One that prints its results logs only what somebody must look at, as text.
func (e *environment) log(settings app.Log, service bool) *slog.Logger {
	if !service {
		settings = app.Log{Level: "error", Format: "text"}
	}
	if e.commands.LogLevel != "" {
		settings.Level = e.commands.LogLevel
	}
	return app.NewLogger(e.Stderr, settings)
}

// closing closes an App and keeps the first error.
func closing(a *app.App, err *error) { *err = errors.Join(*err, a.Close()) }
