package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/ringonce/ringonce/bench/safety/standin"
	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/awsstores"
	"github.com/ringonce/ringonce/internal/call"
)

const tableName = "calls"

// lease is longer than the lease of an attempt (docs/protocol.md section 6).
const lease = 61 * time.Second

// clock is the one clock of a world: short waits of the core pass at once, longer ones end when the clock is moved.
type clock struct{ *connectemu.ManualClock }

// Sleep implements call.Clock.
func (c clock) Sleep(ctx context.Context, d time.Duration) error {
	if d > 5*time.Second {
		return c.ManualClock.Sleep(ctx, d)
	}
	c.Advance(d)
	return ctx.Err()
}

// variant is one way to run ringonce, on one reading of the token (docs/protocol.md section 0). The zero value is the default on A1.
type variant struct {
	reading connectemu.Reading
	resend  string
	none    bool                                  // no ledger: a planted defect of the tests
	token   func(call.TokenInput) (string, error) // of the second worker: a planted defect of the tests
}

// world is one scenario's telephone, store and clock.
type world struct {
	*servers
	variant

	clock   clock
	numbers []string
	workers []*app.App
	sent    int
}

func newWorld(ctx context.Context, v variant, numbers []string) (*world, error) {
	w := &world{variant: v, numbers: numbers, clock: clock{connectemu.NewManualClock(time.Date(2026, 11, 29, 3, 0, 0, 0, time.UTC))}}
	var err error
	w.servers, err = serve(ctx, connectemu.Config{
		Clock: w.clock.ManualClock, Reading: v.reading,
		SearchSeesOnlyCompleted: true, SearchDelay: 10 * time.Minute, // no search saves what the token has to
	})
	return w, err
}

// worker opens ringonce as a new execution environment would.
func (w *world) worker(ctx context.Context, tune func(*app.Options)) (*app.App, error) {
	production := false
	config := &app.Config{
		Production: &production, Connect: app.Connect{Endpoint: w.telephoneURL}, Pacing: app.Pacing{Patience: "0s"},
		Ledger: app.Ledger{Driver: "dynamodb", Table: tableName, Region: connectemu.DefaultRegion, Endpoint: w.storeURL, CreateTable: true},
		Profiles: map[string]app.Profile{"alert": {
			Region: connectemu.DefaultRegion, InstanceID: connectemu.DefaultInstance, ContactFlowID: "22222222-2222-4222-8222-222222222222",
			QueueID: "33333333-3333-4333-8333-333333333333", Resend: w.resend,
		}},
	}
	if w.none {
		config.Ledger = app.Ledger{}
	}
	if err := config.Validate(); err != nil {
		return nil, err
	}
	options := app.Options{Stores: awsstores.All(), Clock: w.clock, Random: rand.Reader, LookupEnv: app.LookupNothing}
	if len(w.workers) > 0 {
		options.Token = w.token
	}
	if tune != nil {
		tune(&options)
	}
	opened, err := app.New(ctx, config, options)
	if err == nil {
		w.workers = append(w.workers, opened)
	}
	return opened, err
}

func (w *world) fault(f standin.Fault) error { return w.store.SetFault(tableName, f) }

// settle lets ten days pass, with a sweep whenever a call is due, and reads what the ledger says then.
func (w *world) settle(ctx context.Context, m *measure) error {
	if w.none {
		return nil
	}
	last, err := w.worker(ctx, nil)
	if err != nil {
		return err
	}
	end := w.clock.Now().Add(10 * 24 * time.Hour)
	for {
		ids, err := last.Store.Ledger.Due(ctx, end, 1)
		if err != nil {
			return fmt.Errorf("look for what is due: %w", err)
		}
		if len(ids) == 0 {
			break
		}
		row, err := last.Store.Ledger.Get(ctx, ids[0])
		if err != nil {
			return err
		}
		if due := row.DueAt(); due.After(w.clock.Now()) {
			w.clock.Set(due)
		}
		if _, err := last.Engine.Sweep(ctx, 100); err != nil {
			return fmt.Errorf("sweep: %w", err)
		}
	}
	return last.Store.Admin.Each(ctx, func(c call.Call, entries []call.Entry) error {
		m.FinalState = append(m.FinalState, string(c.State))
		for _, b := range call.CheckHistory(c, entries) {
			m.Breaches = append(m.Breaches, b.Invariant+": "+b.Detail)
		}
		return nil
	})
}

func (w *world) close() error {
	var err error
	for _, a := range w.workers {
		err = errors.Join(err, a.Close())
	}
	return errors.Join(err, w.servers.close())
}
