package scenariotest

import (
	"context"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

const (
	flow      = "22222222-2222-4222-8222-222222222222"
	otherFlow = "22222222-2222-4222-8222-222222222223"
	callQueue = "33333333-3333-4333-8333-333333333333"
	region    = "us-east-1"
	day       = 24 * time.Hour
)

// setting is what a story begins with. The zero value is SQLite, the policy token under reading A1, a window without end, and no limits
// of rate.
type setting struct {
	driver    string // sqlite, memory, dynamodb or none
	resend    string
	window    string
	network   connectemu.Config
	faults    string // of the telephone network, as connectemu.ParsePlan reads them
	config    func(*app.Config)
	transport func(http.RoundTripper) http.RoundTripper
	waker     call.Waker // of hints; nil for none
	cells     func(call.Cells) call.Cells
	log       io.Writer
	metrics   io.Writer
}

// world is a telephone network, a ledger and the process on it.
type world struct {
	*testing.T

	setting setting
	dir     string
	random  *seeded
	emu     *connectemu.Server
	app     *app.App
	gate    *gate
	store   app.OpenStore // of ledgers that outlive the process without a file
	config  func(*app.Config)
	breach  string // the invariant that the story breaks on purpose
}

// seeded is randomness that repeats, for several goroutines.
type seeded struct {
	mu sync.Mutex
	r  *rand.ChaCha8
}

// Read implements io.Reader.
func (s *seeded) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.r.Read(p)
}

// play tells one story in virtual time, and judges what is left of it.
func play(t *testing.T, s setting, story func(w *world)) {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "ledger"), 0o700); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		w := &world{T: t, setting: s, dir: dir, random: &seeded{r: rand.NewChaCha8([32]byte{5})}, config: s.config}
		w.gate = &gate{}
		w.newNetwork()
		w.store = w.sharedStore()
		w.open()
		defer func() {
			if err := w.app.Close(); err != nil {
				t.Error(err)
			}
		}()
		story(w)
		w.judge()
	})
}

func (w *world) newNetwork() {
	plan, err := connectemu.ParsePlan(w.setting.faults)
	if err != nil {
		w.Fatal(err)
	}
	config := w.setting.network
	config.Faults = plan
	if config.MaxConcurrentCalls == 0 {
		config.MaxConcurrentCalls = connectemu.Off
	}
	if config.StartRate == (connectemu.Rate{}) {
		config.StartRate = connectemu.Unlimited
	}
	if w.emu, err = connectemu.New(config); err != nil {
		w.Fatal(err)
	}
}

// profile is the dialing settings of the only profile.
func (w *world) profile() app.Profile {
	return app.Profile{
		Region: region, InstanceID: connectemu.DefaultInstance, ContactFlowID: flow, QueueID: callQueue,
		Resend: w.setting.resend, Window: w.setting.window,
	}
}

func (w *world) configuration() *app.Config {
	production, remember := false, 0
	perSecond := 10_000.0
	c := &app.Config{
		Production: &production, Connect: app.Connect{Endpoint: "http://127.0.0.1:7465"}, Profiles: map[string]app.Profile{"alert": w.profile()},
		DefaultProfile: "alert", Pacing: app.Pacing{PerSecond: &perSecond, Burst: 1000},
		Ledger: app.Ledger{
			Driver: "sqlite", Path: filepath.Join(w.dir, "ledger", "ringonce.db"), Witness: filepath.Join(w.dir, "witness"),
			Spool: filepath.Join(w.dir, "spool"), Remember: &remember,
		},
	}
	switch w.setting.driver {
	case "none":
		c.Ledger = app.Ledger{}
	case "memory", "dynamodb":
		c.Ledger = app.Ledger{Driver: "shared", Spool: c.Ledger.Spool, Remember: &remember}
	}
	if w.config != nil {
		w.config(c)
	}
	return c
}

// open starts the process.
func (w *world) open() {
	config := w.configuration()
	if err := config.Validate(); err != nil {
		w.Fatal(err)
	}
	if err := w.tryOpen(config); err != nil {
		w.Fatal(err)
	}
}

func (w *world) tryOpen(config *app.Config) error {
	w.gate.revive()
	transport := w.emu.RoundTripper()
	if w.setting.transport != nil {
		transport = w.setting.transport(transport)
	}
	var log *slog.Logger
	if w.setting.log != nil {
		log = app.NewLogger(w.setting.log, app.Log{Level: "debug"})
	}
	opened, err := app.New(context.Background(), config, app.Options{
		Stores: w.stores(), Random: w.random, HTTPClient: &http.Client{Transport: transport}, LookupEnv: app.LookupNothing, Log: log,
		Metrics: w.setting.metrics, WrapCells: w.setting.cells,
		Waker:      func(app.WakerRequest) (call.Waker, error) { return w.setting.waker, nil },
		WrapLedger: func(l call.Ledger) call.Ledger { return gatedLedger{l, w.gate} },
		WrapDialer: func(d call.Dialer) call.Dialer { return gatedDialer{d, w.gate} },
	})
	if err == nil {
		w.app = opened
	}
	return err
}

// restart ends the process and starts the next one, as a deployment or the time after a crash does. change is its configuration, nil
// for the one that the story began with.
func (w *world) restart(change func(*app.Config)) {
	w.Helper()
	if err := w.app.Close(); err != nil {
		w.Fatal(err)
	}
	if change != nil {
		w.config = change
	}
	w.open()
}
