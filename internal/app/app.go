package app

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsconnect "github.com/aws/aws-sdk-go-v2/service/connect"

	"github.com/ringonce/ringonce/clienttoken"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/dial/connect"
	"github.com/ringonce/ringonce/internal/ingress/lambda"
	"github.com/ringonce/ringonce/internal/ledger/spool"
	"github.com/ringonce/ringonce/internal/rules"
	"github.com/ringonce/ringonce/internal/trace"
)

// Options is what a binary brings to a configuration.
type Options struct {
	Stores      map[string]OpenStore             // the ledgers this binary was built with
	Waker       OpenWaker                        // of the hints this binary was built with; nil means none
	Clock       call.Clock                       // nil means SystemClock
	Random      io.Reader                        // op ids, attempt ids; safe for concurrent use
	Log         *slog.Logger                     // nil means no log
	Credentials aws.CredentialsProvider          // nil means those of LookupEnv, else of Roles, or test credentials beside an emulator
	Roles       aws.CredentialsProvider          // what AWS hands to this process besides variables; nil where nothing else is asked, as in a function
	HTTPClient  awsconnect.HTTPClient            // nil means the dialer's own
	LookupEnv   func(name string) (string, bool) // nil means LookupProcess
	Environ     func() []string                  // as os.Environ; nil means ListProcess beside a nil LookupEnv, else that the environment cannot be listed
	Webhooks    OpenWebhooks                     // nil means that this binary tells no producer
	Metrics     io.Writer                        // where metrics.format emf writes; nil means that this command has no metrics
	Facts       Facts                            // is told the same facts as they happen; nil means nobody
	Spans       trace.Spans                      // of what this process does; nil means none

	AllowRecovery bool // open a ledger that went back in time: for the recover command only
	ReadOnly      bool // open the ledger beside a running process; nothing can be placed
	Cells         bool // beside it, write what belongs to no call: pauses, the do-not-call list

	WrapLedger func(call.Ledger) call.Ledger // nil outside the demo and the simulation, which plant defects and faults here
	WrapCells  func(call.Cells) call.Cells
	WrapDialer func(call.Dialer) call.Dialer
	WrapSpool  func(call.Spool) call.Spool
	Token      func(call.TokenInput) (string, error)     // nil means the configured recipe
	KindToken  func(kind call.Kind, token string) string // nil means [KindToken]

	// KeySpaces wraps the lookup of key spaces by producer, for a service whose producers are known by credentials; nil means the configured lookup.
	KeySpaces func(configured func(producer string) string) func(producer string) string
}

// App is ringonce, wired.
type App struct {
	Config   *Config
	Mode     call.Mode
	Engine   *call.Engine // nil without a ledger
	Direct   *call.Direct // nil with one
	Handler  *lambda.Handler
	Observer *Observer
	Metrics  *Metrics // nil without metrics
	Store    *Store   // nil without a ledger
	Dialer   call.Dialer
	Signs    aws.CredentialsProvider // what the dialer signs with
	Clock    call.Clock
	Cells    rules.CellNames // of the store's cells; zero without any
	Hints    Hints           // of wake.engine river, to be started by a process that lives (StartHints); else nil

	lookup   func(name string) (string, bool) // of the environment
	webhooks Webhooks                         // nil where nobody is told
	spans    trace.Spans                      // nil where nobody asks for them
	notices  *notices

	counted        atomic.Pointer[time.Time]      // when doubts and held calls were counted that cost money
	webhookBacklog atomic.Pointer[WebhookBacklog] // of the latest look; nil before it

	jobs    *hintJobs // nil without Hints
	sweeper sweeper
}

// New builds an App. Its errors are *call.Error where a person can act on them.
func New(ctx context.Context, c *Config, o Options) (*App, error) {
	o = o.withDefaults()
	if err := c.CheckEnvironment(o); err != nil {
		return nil, err
	}
	naming, err := c.Naming(ctx, o)
	if err != nil {
		return nil, err
	}
	maker, identity, err := c.Recipe(ctx, o)
	if err != nil {
		return nil, err
	}
	metrics := c.newMetrics(o)
	a := &App{Config: c, Mode: call.ModeNone, Observer: NewObserver(o.Log, metrics), Metrics: metrics, Clock: o.Clock, lookup: o.LookupEnv, spans: o.Spans, Signs: c.dialCredentials(o)}
	if a.Dialer, err = c.dialer(o); err != nil {
		return nil, err
	}
	if a.Store, err = c.openStore(ctx, o, naming, a.Observer); err != nil {
		return nil, err
	}
	if o.Spans != nil {
		a.Dialer = spannedDialer{Dialer: a.Dialer, spans: o.Spans, begun: a.begunBy}
	}
	a.Dialer = lastingDialer{Dialer: a.Dialer, clock: o.Clock, drain: c.drainTime()}
	core := c.core(o, a, naming, identity, maker)
	if err = c.openGate(ctx, o, a, naming, &core); err != nil {
		return nil, a.closeAfter(err)
	}
	if core.Permit, core.Denied, err = c.permit(o, a); err != nil {
		return nil, a.closeAfter(err)
	}
	if core.Waker, err = c.openWaker(o); err != nil {
		return nil, a.closeAfter(err)
	}
	if err = c.openHints(ctx, o, a); err != nil {
		return nil, a.closeAfter(err)
	}
	if err = c.openWebhooks(o, a); err != nil {
		return nil, a.closeAfter(err)
	}
	if a.Hints != nil {
		core.Waker = a.Hints
	}
	if err := a.build(ctx, core); err != nil {
		return nil, a.closeAfter(err)
	}
	if a.Engine != nil && !o.ReadOnly && !o.AllowRecovery {
		a.mergeSpool(ctx)
	}
	return a, nil
}

func (o Options) withDefaults() Options {
	if o.Clock == nil {
		o.Clock = SystemClock{}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.LookupEnv == nil {
		o.LookupEnv = LookupProcess
		if o.Environ == nil {
			o.Environ = ListProcess
		}
	}
	return o
}

// credentials returns those of the process, or test credentials beside an emulator.
func (o Options) credentials(emulator bool) aws.CredentialsProvider {
	if o.Credentials != nil {
		return o.Credentials
	}
	return environment{lookup: o.LookupEnv, test: emulator, roles: o.Roles}
}

func (c *Config) dialCredentials(o Options) aws.CredentialsProvider {
	return o.credentials(!c.IsProduction() && c.Connect.Endpoint != "")
}

func (c *Config) dialer(o Options) (call.Dialer, error) {
	timeout, err := c.duration("connect.timeout", c.Connect.Timeout, 0, 0)
	if err != nil {
		return nil, err
	}
	dialer, err := connect.New(connect.Options{
		Credentials: c.dialCredentials(o), Clock: o.Clock, Timeout: timeout, HTTPClient: o.HTTPClient,
		Endpoint: c.Connect.Endpoint, NonProduction: !c.IsProduction(),
	})
	if err != nil {
		return nil, err
	}
	if o.WrapDialer != nil {
		return o.WrapDialer(dialer), nil
	}
	return dialer, nil
}

// defaultPace is the rate of StartOutboundVoiceContact of a new account, a second.
const defaultPace = 2.0

// paceHeadroom keeps a little of the quota unused: at exactly its rate, requests that swap places on the way meet a full bucket.
const paceHeadroom = 0.98

// core returns the configuration of the engine, without a ledger's ports when there is none.
func (c *Config) core(o Options, a *App, naming call.Naming, identity call.Identity, maker *clienttoken.Maker) call.Config {
	rate, burst := c.pace()
	core := call.Config{
		Dialer: a.Dialer, Clock: o.Clock, Pacer: call.NewPace(rate, burst), Searches: call.NewPace(searchPace, 1), Observer: a.Observer,
		Random: o.Random, Profile: c.profileSource(), KeySpace: o.keySpace(c), Naming: naming, Identity: identity,
		ReadFirst: c.readFirst(), Remember: c.remember(),
		Patience: orDefault(c.Pacing.Patience, 10*time.Second), DialTime: c.dialTime(),
		Token: o.Token, Kinds: c.kinds(), KindToken: o.KindToken, Zone: rules.CheckZone,
	}
	if core.KindToken == nil {
		core.KindToken = KindToken
	}
	if core.Token == nil {
		core.Token = func(in call.TokenInput) (string, error) { return maker.Token(clienttoken.Input(in)) }
	}
	if a.Store != nil {
		core.Ledger, core.Journal, core.Index = a.Store.Ledger, a.Store.Journal, a.Store.Index
		core.Cells, core.Waits = a.Store.Cells, a.sweeper.waits
		core.Parked, _ = a.Store.Ledger.(call.ParkedCalls)
		c.outcomes(&core)
		c.recalls(&core)
		core.Peek = timedPeek(a.Store.Peek, a.Metrics)
		if path := c.spoolPath(); path != "" { // a function has no disk: there the log is the spool
			core.Spool = spool.Open(path)
			if o.WrapSpool != nil {
				core.Spool = o.WrapSpool(core.Spool)
			}
		}
		if o.WrapLedger != nil {
			core.Ledger = o.WrapLedger(core.Ledger)
		}
		core.Ledger = spanned(core.Ledger, o.Spans)
		if o.WrapCells != nil && core.Cells != nil {
			core.Cells = o.WrapCells(core.Cells)
		}
		core.Cells = timedBeside(core.Cells, a.Metrics)
		core.Eraser, _ = core.Ledger.(call.Eraser) // the driver, or what is wrapped around it and can erase as well
		core.Ledger = timed(core.Ledger, a.Metrics)
	}
	return core
}

func (a *App) build(ctx context.Context, core call.Config) error {
	options := lambda.Options{
		Clock: a.Clock, Observer: a.Observer, Mode: call.ModeNone, Concurrency: a.Config.Lambda.Concurrency,
		Reserve: orDefault(a.Config.Lambda.Reserve, core.DialTime), SweepLimit: a.Config.SweepLimit(), Numberless: a.Config.Numberless(),
		WholeBatches: a.Config.Lambda.BatchResponse == "whole", Mapping: a.Config.Mapping(),
	}
	var err error
	if a.Store == nil {
		if a.Direct, err = call.NewDirect(core, a.Config.profiles()); err != nil {
			return err
		}
		options.Placer, options.Keys = a.Direct, a.Direct
	} else {
		if a.Engine, err = call.New(ctx, core); err != nil {
			return err
		}
		a.Mode, options.Mode = call.ModeLedger, call.ModeLedger
		options.Placer, options.Keys, options.Sweeper, options.Contacts, options.Wakes = a.Engine, a.Engine, a.Engine, a.Engine, a.Engine
		if a.spans != nil {
			options.Placer = spannedPlacer{a.Engine, a.spans}
		}
		options.CheckIns, options.Instance = a.Engine, a.Config.DialsFrom
		if a.Config.parks() {
			options.Parking = a.Store.Parking
		}
	}
	a.Handler, err = lambda.New(options)
	return err
}

// mergeSpool merges the facts that an earlier run could not write: where no sweeper runs, nothing else would. A spool that cannot be
// read must not keep the process from its calls.
func (a *App) mergeSpool(ctx context.Context) {
	if err := a.Engine.MergeSpool(ctx); err != nil {
		a.Observer.Decided(ctx, call.Decided{What: "spool-failed", Reason: err.Error(), Alarm: true})
	}
}

// Close ends the hints and closes the ledger.
func (a *App) Close() error {
	if a.Store == nil {
		return nil
	}
	return errors.Join(a.stopHints(), a.Store.Close())
}

func (a *App) closeAfter(err error) error {
	if closeErr := a.Close(); closeErr != nil {
		a.Observer.log.Error("close the ledger", slog.Any("error", closeErr))
	}
	return err
}

// SweepLimit returns how many rows one sweep takes.
func (c *Config) SweepLimit() int {
	if c.Sweep.Limit > 0 {
		return c.Sweep.Limit
	}
	return 100
}

// SweepEvery returns the time between two sweeps of a process that lives.
func (c *Config) SweepEvery() time.Duration { return orDefault(c.Sweep.Every, 30*time.Second) }

// orDefault reads a duration that Validate has accepted.
func orDefault(value string, otherwise time.Duration) time.Duration {
	if d, err := parseDuration(value); err == nil && value != "" {
		return d
	}
	return otherwise
}
