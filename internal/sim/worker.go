package sim

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// worker is one process: the App as it ships, a clock that may be wrong, and the configuration it was deployed with.
type worker struct {
	name     string
	app      *app.App
	gate     *gate // of the process
	dead     atomic.Bool
	door     *door // its HTTP API; nil before the first request of the process
	starting bool  // the process is not up yet: it meets no faults
	deployed string
	config   *app.Config // of the process
	moments  *moments    // of the world

	mu    sync.Mutex
	skew  time.Duration
	drift float64   // what the clock gains in a second, in seconds
	since time.Time // when skew was set
}

// Now implements call.Clock: the world's time and the worker's error.
func (k *worker) Now() time.Time { return time.Now().UTC().Round(0).Add(k.off()) }

// Sleep implements call.Clock. Nobody wakes at the instant of somebody else.
func (k *worker) Sleep(ctx context.Context, d time.Duration) error {
	if d > 0 {
		d = time.Until(k.moments.alone(time.Now().Add(d)))
	}
	return app.SystemClock{}.Sleep(ctx, d)
}

// step sets how far the clock is off, and how fast it drifts from there.
func (k *worker) step(to time.Duration, drift float64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.skew, k.drift, k.since = to, drift, time.Now()
}

// off returns how far the clock is off.
func (k *worker) off() time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.drift == 0 {
		return k.skew
	}
	return k.skew + time.Duration(k.drift*float64(time.Since(k.since)))
}

// The configurations that can be deployed.
const (
	deployUsual     = "usual"
	deployFlow      = "other-flow"
	deployLostFlow  = "lost-flow"
	deployNoProfile = "no-profile"
	deployPaused    = "paused"
)

func deployments() []string {
	return []string{deployUsual, deployFlow, deployLostFlow, deployNoProfile, deployPaused}
}

// config is what a worker is started with.
func (w *World) config(deployed string) *app.Config {
	production, s := false, w.Setting
	profile := app.Profile{
		Region: region, InstanceID: connectemu.DefaultInstance, ContactFlowID: goodFlow, QueueID: queueID, Window: s.Window, Resend: s.Resend,
		MaxAttempts: s.Attempts, Deadline: s.Deadline, LongestCall: s.Longest, WindowReopen: s.Reopen,
	}
	s.After.profile(&profile)
	other := profile
	other.ContactFlowID = otherFlow
	switch deployed {
	case deployFlow:
		profile.ContactFlowID = otherFlow
	case deployLostFlow:
		profile.ContactFlowID = lostFlow
	case deployPaused:
		profile.Paused = true
	}
	c := &app.Config{
		Production: &production, Connect: app.Connect{Endpoint: "http://127.0.0.1:7465"}, DefaultProfile: "alert", Pacing: app.Pacing{Patience: "2s"},
		Profiles: map[string]app.Profile{"alert": profile, "other": other}, Lambda: app.Lambda{Concurrency: 4},
		Ledger: app.Ledger{Driver: "memory", Witness: "none", Spool: w.path("spool")},
	}
	s.After.limits(c)
	w.addProfiles(c, deployed, profile)
	if deployed == deployNoProfile {
		delete(c.Profiles, "alert")
		c.DefaultProfile = "other"
	}
	if s.Serial {
		c.Lambda.Concurrency = 1
	}
	if s.Template {
		c.Token = app.Token{Recipe: "template", Template: "call-{notificationId}-{recipientId}"}
	}
	if w.store == nil {
		c.Ledger = app.Ledger{Driver: "sqlite", Path: w.path("ledger", "ringonce.db"), Witness: w.path("witness"), Spool: w.path("spool")}
	}
	if s.Hints != HintsNone {
		c.Wake.QueueURL = "https://sqs." + region + ".amazonaws.com/" + account + "/wake"
	}
	remember, readFirst := 0, !s.Create
	if s.Remember {
		remember = 100
	}
	if w.options.Metrics != nil {
		c.Metrics.Format = "emf"
	}
	c.Ledger.Remember, c.Ledger.ReadFirst = &remember, &readFirst
	if plant := w.options.Plant.Config; plant != nil {
		plant(c)
	}
	return c
}

// configured returns a configuration that was found valid. It is made once in a life, which starts dozens of processes, and nobody changes it.
func (w *World) configured(deployed string) (*app.Config, error) {
	if known := w.configs[deployed]; known != nil {
		return known, nil
	}
	made := w.config(deployed)
	if err := made.Validate(); err != nil {
		return nil, err
	}
	w.configs[deployed] = made
	return made, nil
}

func (w *World) path(parts ...string) string {
	return filepath.Join(append([]string{w.dir}, parts...)...)
}

// open starts a worker, as a new process would.
func (w *World) open(k *worker) {
	if err := w.tryOpen(k, false); err != nil {
		w.find("a worker does not start: %v", err)
	}
}

func (w *World) tryOpen(k *worker, recovery bool) error {
	config, err := w.configured(k.deployed)
	if err != nil {
		return err
	}
	g := &gate{w: w, k: k}
	k.gate, k.config = g, config
	k.starting = true
	k.dead.Store(false)
	defer func() { k.starting = false }()
	options := app.Options{
		Stores: w.stores(g), Clock: k, Random: w.ops, Log: w.options.Log, LookupEnv: app.LookupNothing, AllowRecovery: recovery,
		Token: w.options.Plant.Token, Metrics: w.options.Metrics, Waker: w.openWaker(g),
		KindToken:  w.options.Plant.KindToken,
		WrapLedger: func(l call.Ledger) call.Ledger { return w.gateLedger(l, g) },
		WrapCells:  func(c call.Cells) call.Cells { return w.gateCells(c, g) },
		WrapDialer: func(d call.Dialer) call.Dialer {
			d = w.phone.dialer(d, k)
			if plant := w.options.Plant.Dialer; plant != nil {
				d = plant(d)
			}
			return gatedDialer{d, g}
		},
	}
	options.WrapSpool = func(s call.Spool) call.Spool { return gatedSpool{s, g} }
	if transport := w.phone.transport(); transport != nil {
		options.HTTPClient = &http.Client{Transport: transport}
	}
	opened, err := app.New(context.Background(), config, options)
	if err != nil {
		return fmt.Errorf("open a worker: %w", err)
	}
	k.app = opened
	w.stagger(opened.Engine)
	return nil
}

// end ends a process as a deployment does.
func (w *World) end(k *worker) {
	k.shut()
	w.keepCounts(k)
	if err := k.app.Metrics.Flush(); err != nil {
		w.find("metrics: %v", err)
	}
	w.close(k)
}

func (w *World) close(k *worker) {
	if err := k.app.Close(); err != nil && !errors.Is(err, context.Canceled) {
		w.find("close: %v", err)
	}
}

func (w *World) restart(k *worker) {
	w.end(k)
	w.open(k)
}

// keepCounts notes what the life of a process has told about itself.
func (w *World) keepCounts(k *worker) {
	for metric, n := range k.app.Observer.Counts() {
		w.countHints(metric.What, int(n))
		if metric.What == "breach" {
			w.find("the engine stopped itself before a breach (%d times): %+v", n, metric)
		}
	}
}

// survive runs an act of a worker; a crash ends its process, and the next one starts when no
// act that is under way still runs in it.
func (w *World) survive(k *worker, act func()) (lived bool) {
	defer func() {
		if p := recover(); p != nil {
			if _, planned := p.(crashed); !planned {
				panic(p)
			}
		}
		w.busy = w.busy[:len(w.busy)-1]
		if k.dead.Load() {
			lived = false
			if !slices.Contains(w.busy, k) {
				w.kill(k)
				w.open(k)
			}
		}
	}()
	w.busy = append(w.busy, k)
	act()
	return !k.dead.Load()
}
