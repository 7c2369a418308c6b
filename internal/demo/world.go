package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"sync"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/stores"
	"github.com/ringonce/ringonce/internal/call"
)

// sweepPeriod is how often a deployment sweeps; the demo jumps from one due call to the next instead.
const sweepPeriod = time.Minute

// searchDelay is how long a contact is missing from SearchContacts; AWS names no figure (facts/amazon-connect.md section 9).
const searchDelay = 10 * time.Minute

var start = time.Date(2026, 11, 29, 3, 0, 0, 0, time.UTC)

// seeded is a random source that several goroutines may read.
type seeded struct {
	mu     sync.Mutex
	chacha *rand.ChaCha8
}

func newSeeded(seed uint64) *seeded {
	var key [32]byte
	for i := range 8 {
		key[i] = byte(seed >> (8 * i)) //nolint:gosec // the low byte is meant
	}
	return &seeded{chacha: rand.NewChaCha8(key)}
}

// Read implements io.Reader.
func (s *seeded) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.chacha.Read(p)
}

// world is the telephone network, the handler and what lies between them.
type world struct {
	options  Options
	subjects []subject
	clock    clock
	random   *seeded
	letters  letters
	trap     *trap
	app      *app.App

	endpoint   string
	management string
	served     chan error
	stop       context.CancelFunc
}

func newWorld(ctx context.Context, o Options) (*world, error) {
	w := &world{
		options: o, subjects: subjects(), clock: clock{connectemu.NewManualClock(start)}, random: newSeeded(o.Seed), trap: &trap{},
		served: make(chan error, 1),
	}
	if err := w.serveEmulator(ctx); err != nil {
		return nil, err
	}
	if err := w.open(ctx); err != nil {
		w.stop()
		return nil, errors.Join(err, <-w.served)
	}
	return w, nil
}

// serveEmulator starts the telephone network on free loopback ports.
func (w *world) serveEmulator(parent context.Context) error {
	reading, err := connectemu.ParseReading(w.options.Reading)
	if err != nil {
		return &call.Error{Code: call.CodeFieldValue, Field: "reading", Message: "The flag --reading names no reading.", Fix: "Use A1 or A1'."}
	}
	plan, err := connectemu.ParsePlan(faults())
	if err != nil {
		return fmt.Errorf("plan the faults: %w", err)
	}
	ctx, cancel := context.WithCancel(parent)
	w.stop = cancel
	ready := make(chan struct{})
	go func() {
		w.served <- connectemu.Serve(ctx, connectemu.Options{
			Addr: "127.0.0.1:0", ManagementAddr: "127.0.0.1:0",
			Config: connectemu.Config{
				Clock: w.clock.ManualClock, Seed: w.options.Seed, Region: region, Reading: reading, Faults: plan,
				SearchSeesOnlyCompleted: true, SearchDelay: searchDelay, TruthLog: w.options.truth,
			},
			Ready: func(api, management net.Addr) {
				w.endpoint, w.management = "http://"+api.String(), "http://"+management.String()
				close(ready)
			},
		})
	}()
	select {
	case <-ready:
		return nil
	case err := <-w.served:
		cancel()
		return err
	}
}

// open starts the handler on the ledger, as a new process would.
func (w *world) open(ctx context.Context) error {
	production := false
	config := &app.Config{
		Production: &production,
		Ledger:     app.Ledger{Driver: "sqlite", Path: ledgerPath(w.options.Dir), Witness: witnessPath(w.options.Dir)},
		Connect:    app.Connect{Endpoint: w.endpoint},
		Profiles: map[string]app.Profile{"alert": {
			Region: region, InstanceID: connectemu.DefaultInstance, ContactFlowID: flowID, QueueID: queueID, Window: "30d", Resend: w.options.Resend,
		}},
		Pacing: app.Pacing{Patience: "0s"},
	}
	if err := config.Validate(); err != nil {
		return err
	}
	options := app.Options{
		Stores: stores.All(), Clock: w.clock, Random: w.random, Log: w.options.Log, LookupEnv: app.LookupNothing,
		WrapLedger: w.wrapLedger, WrapDialer: w.wrapDialer,
	}
	opened, err := app.New(ctx, config, options)
	if err != nil {
		return err
	}
	w.app = opened
	return nil
}

func (w *world) wrapLedger(l call.Ledger) call.Ledger {
	if w.options.Break == BreakNoIntent {
		l = &volatileLedger{Ledger: l, held: map[string][]call.Write{}}
	}
	return crashingLedger{Ledger: l, trap: w.trap}
}

func (w *world) wrapDialer(d call.Dialer) call.Dialer {
	switch w.options.Break {
	case BreakRandomToken:
		d = inventedToken{Dialer: d, random: w.random}
	case BreakSDKToken:
		d = newSDKToken(d, w.endpoint, w.clock)
	case BreakNone, BreakNoIntent, BreakAckEarly:
	}
	return crashingDialer{Dialer: d, trap: w.trap}
}

// deliver hands one document to the handler. A crash ends the process: a new one opens the ledger, and nothing was acknowledged.
func (w *world) deliver(ctx context.Context, document []byte, crash crashPoint) (note string, acknowledged bool, err error) {
	w.trap.set(crash)
	report, processErr := w.app.Handler.Process(ctx, document)
	if w.trap.sprung.Load() {
		w.trap.set(noCrash)
		if err := w.app.Close(); err != nil {
			return "", false, fmt.Errorf("restart: %w", err)
		}
		return "CRASH " + string(crash), false, w.open(ctx)
	}
	if len(report.Results) == 0 {
		return "", false, fmt.Errorf("the handler answered nothing: %w", processErr)
	}
	result := report.Results[0]
	return describe(result.Outcome), result.Acknowledged(), nil
}

// describe says what a delivery met, with the reason where that is another word.
func describe(o call.Outcome) string {
	if o.Suppressed != "" {
		return "suppressed: " + o.Suppressed
	}
	if met := string(o.Met); o.Code == "" || string(o.Code) == met {
		return met
	}
	return string(o.Met) + ": " + string(o.Code)
}

// until moves the clock to the instant, stopping at each due call on the way to sweep.
func (w *world) until(ctx context.Context, at time.Time) error {
	for {
		due, err := w.nextDue(ctx, at)
		if err != nil {
			return err
		}
		if due.IsZero() {
			break
		}
		if due.After(w.clock.Now()) {
			w.clock.Set(due)
		}
		if _, err := w.app.Engine.Sweep(ctx, w.app.Config.SweepLimit()); err != nil {
			return fmt.Errorf("sweep: %w", err)
		}
	}
	if at.After(w.clock.Now()) {
		w.clock.Set(at)
	}
	_, err := w.app.Engine.Sweep(ctx, w.app.Config.SweepLimit())
	return err
}

// nextDue returns when the earliest call up to the limit is due; zero when none is.
func (w *world) nextDue(ctx context.Context, limit time.Time) (time.Time, error) {
	ids, err := w.app.Store.Ledger.Due(ctx, limit, 1)
	if err != nil || len(ids) == 0 {
		return time.Time{}, err
	}
	row, err := w.app.Store.Ledger.Get(ctx, ids[0])
	return row.DueAt(), err
}

// rowID returns the row of a subject's first ring.
func (w *world) rowID(s subject) string {
	key := call.Key{Kind: call.KindVoice, NotificationID: s.name, RecipientID: "user-67890", RecallID: s.recall}
	return call.Naming{}.Row(key, 0)
}

func (w *world) close() error {
	err := w.app.Close()
	w.stop()
	return errors.Join(err, <-w.served)
}

// Options are the flags of the demo.
type Options struct {
	Seed    uint64
	Reading string // A1 or A1'
	Resend  string // token, evidence or never
	Break   Break
	Dir     string // of the ledger and its witness; made when it does not exist
	Keep    bool   // leave a configuration in Dir by which other commands open the ledger
	Log     *slog.Logger
	Show    *Screen

	truth io.Writer // what really rang, of a run that is kept
}
