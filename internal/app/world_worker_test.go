package app_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/stores"
	"github.com/ringonce/ringonce/internal/call"
)

// worker is one process.
type worker struct {
	app  *app.App
	dead bool
	// starting says that the process is not up yet; a crash then is a start that is done again.
	starting bool
	skew     time.Duration
	drift    string
	mu       sync.Mutex
}

// Now implements call.Clock: the world's time and the worker's error.
func (k *worker) Now() time.Time {
	k.mu.Lock()
	defer k.mu.Unlock()
	return time.Now().UTC().Round(0).Add(k.skew)
}

// Sleep implements call.Clock.
func (k *worker) Sleep(ctx context.Context, d time.Duration) error {
	return app.SystemClock{}.Sleep(ctx, d)
}

func (w *world) config(drift string) *app.Config {
	production := false
	profile := w.profile
	other := profile
	other.ContactFlowID = otherFlow
	switch drift {
	case "flow":
		profile.ContactFlowID = otherFlow
	case "lost flow":
		profile.ContactFlowID = lostFlow
	case "paused":
		profile.Paused = true
	}
	c := &app.Config{
		Production: &production, Connect: app.Connect{Endpoint: "http://127.0.0.1:7465"}, Profiles: map[string]app.Profile{"alert": profile, "other": other},
		DefaultProfile: "alert", Token: w.token, Pacing: app.Pacing{Patience: "2s"}, Lambda: app.Lambda{Concurrency: 4},
		Ledger: app.Ledger{Driver: "memory", Witness: "none", Spool: filepath.Join(w.dir, "spool")},
	}
	if w.wakes {
		c.Wake.QueueURL = "https://sqs.us-east-1.amazonaws.com/111122223333/wake"
	}
	if drift == "profile removed" {
		delete(c.Profiles, "alert")
		c.DefaultProfile = "other"
	}
	if w.serial {
		c.Lambda.Concurrency = 1
	}
	if w.sqlite {
		c.Ledger = app.Ledger{Driver: "sqlite", Path: filepath.Join(w.dir, "ledger", "ringonce.db"), Witness: filepath.Join(w.dir, "witness"), Spool: c.Ledger.Spool}
	}
	// Half of the seeds remember placed calls, a third tells duplicates by the failed create, as on DynamoDB.
	remember, readFirst := int(w.seed%2)*100, w.seed%3 != 1
	c.Ledger.Remember, c.Ledger.ReadFirst = &remember, &readFirst
	c.Metrics.Format = "emf"
	return c
}

// open starts a worker, as a new process would.
func (w *world) open(k *worker) {
	if err := w.tryOpen(k, false); err != nil {
		panic(err)
	}
}

func (w *world) tryOpen(k *worker, recovery bool) error {
	config := w.config(k.drift)
	if err := config.Validate(); err != nil {
		return err
	}
	g := &gate{w: w, k: k}
	k.dead, k.starting = false, true
	defer func() { k.starting = false }()
	var log *slog.Logger
	if w.log != nil {
		log = app.NewLogger(w.log, app.Log{Level: "debug"})
	}
	opened, err := app.New(context.Background(), config, app.Options{
		Stores: w.openers(), Clock: k, Random: w.ops, Log: log, HTTPClient: &http.Client{Transport: w.emu.RoundTripper()}, LookupEnv: app.LookupNothing,
		AllowRecovery: recovery, Waker: w.openWaker(g), Token: w.defect.token(w), Metrics: w.metrics,
		WrapLedger: func(l call.Ledger) call.Ledger {
			eraser := eraserOf(l)
			if w.defect.ledger != nil {
				l = w.defect.ledger(l)
			}
			if w.defect.hinted != nil {
				l = w.defect.hinted(w, l)
			}
			if broken, ok := l.(call.Eraser); ok {
				eraser = broken
			}
			return gatedLedger{l, eraser, g}
		},
		WrapDialer: func(d call.Dialer) call.Dialer {
			if w.defect.dialer != nil {
				d = w.defect.dialer(d)
			}
			return gatedDialer{d, g}
		},
	})
	if err != nil {
		return fmt.Errorf("open a worker: %w", err)
	}
	k.app = opened
	return nil
}

func (w *world) openers() map[string]app.OpenStore {
	all := stores.All()
	all["memory"] = func(ctx context.Context, r app.StoreRequest) (*app.Store, error) { return w.store.reopen(ctx, r) }
	return all
}

// end ends a worker: by a crash, or as a deployment does.
func (w *world) end(k *worker) {
	w.truth.forget(k)
	if err := k.app.Metrics.Flush(); err != nil {
		w.find("metrics: %v", err)
	}
	w.countHints(k)
	if err := k.app.Close(); err != nil && !errors.Is(err, context.Canceled) {
		w.find("close: %v", err)
	}
}

func (w *world) restart(k *worker) {
	w.end(k)
	w.open(k)
}

// survive runs an act of a worker; a crash ends its process and starts the next one.
func (w *world) survive(k *worker, act func()) (lived bool) {
	defer func() {
		if p := recover(); p != nil {
			if _, planned := p.(crashed); !planned {
				panic(p)
			}
		}
		if k.dead && !w.interfering {
			w.restart(k)
			lived = false
		}
	}()
	act()
	return !k.dead
}
