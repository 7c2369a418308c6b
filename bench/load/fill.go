package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/stores"
	"github.com/ringonce/ringonce/internal/call"
)

// The ledgers that -calls makes.
const (
	kindMixed   = "mixed"   // nine of ten calls have ended, the last ones wait in line for their slots
	kindBacklog = "backlog" // all wait in line
	kindDue     = "due"     // all are due at one instant, as after a long pause
)

var kinds = []string{kindMixed, kindBacklog, kindDue}

const (
	fillLanes = 64
	fillAge   = 30 * 24 * time.Hour // over which the ended calls were made
	lineAge   = 10 * time.Minute    // before now, when those that wait were accepted
	oddEvery  = 50                  // of the ended calls one of so many was refused
	openEvery = 1000                // and one of so many has an attempt without an answer
)

// past is a clock that is set.
type past struct{ now atomic.Int64 }

// Now implements call.Clock.
func (c *past) Now() time.Time { return time.Unix(0, c.now.Load()).UTC() }

// Sleep implements call.Clock.
func (c *past) Sleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// reach moves the clock forward.
func (c *past) reach(at time.Time) {
	for now := c.now.Load(); now < at.UnixNano() && !c.now.CompareAndSwap(now, at.UnixNano()); now = c.now.Load() {
	}
}

// answers is a telephone that answers at once.
type answers struct {
	call.Dialer

	dials atomic.Int64
}

// Dial implements call.Dialer.
func (a *answers) Dial(context.Context, call.Send) call.Answer {
	switch n := a.dials.Add(1); {
	case n%oddEvery == 0:
		return call.Answer{Class: call.ClassRefusedRequest, Code: "destination_not_allowed", Message: "not allowed"}
	case n%openEvery == 1:
		return call.Answer{Class: call.ClassAmbiguous, Code: "cut_off"}
	default:
		return call.Answer{Class: call.ClassOK, ContactID: fmt.Sprintf("cccccccc-0000-4000-8000-%012d", n)}
	}
}

// filling is the configuration that a ledger is filled with: that of the service but for the pace, and nothing is asked about contacts that have ended.
const filling = `
production: false
connect: {endpoint: "http://127.0.0.1:1"}
ledger: %s
pacing: {patience: 500ms, per_second: %s}
profiles:
  alert: {region: us-east-1, instance_id: 11111111-2222-4333-8444-555555555555, contact_flow_id: aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee, source_phone: "+12025550100", outcome: "off"}
`

// fill makes the ledger of a kind in a folder. Each row is written by the core as the service would, so that ringonce ledger verify accepts it, and each
// is that of a call which a lane asks for by its number.
func fill(ctx context.Context, s settings, dir, kind string) error {
	ended, pace := 0, "2"
	switch kind {
	case kindMixed:
		ended = s.calls - s.calls/10
	case kindDue:
		pace = "10000"
	}
	ledger, err := ledgerIn(s, dir)
	if err != nil {
		return err
	}
	now := time.Now()
	clock := &past{}
	clock.reach(now.Add(-fillAge))
	if err := fillWith(ctx, ledger, "10000", clock, 0, ended, func(e *call.Engine, n int) error {
		clock.reach(now.Add(-fillAge + time.Duration(n)*(fillAge-time.Hour)/time.Duration(ended)))
		d, err := deliveryOf(n)
		if err != nil {
			return err
		}
		out := e.Place(ctx, d)
		if out.Call.ID == "" {
			return fmt.Errorf("call %d met %s: %s", n, out.Met, out.Message)
		}
		return nil
	}); err != nil {
		return err
	}
	clock.reach(now.Add(-lineAge))
	return fillWith(ctx, ledger, pace, clock, ended, s.calls, func(e *call.Engine, n int) error {
		d, err := deliveryOf(n)
		if err != nil {
			return err
		}
		if out := e.Accept(ctx, d); out.Call.State != call.Received {
			return fmt.Errorf("call %d met %s: %s", n, out.Met, out.Message)
		}
		return nil
	})
}

// fillWith makes the calls of the numbers from first to before one with all lanes.
func fillWith(ctx context.Context, ledger, pace string, clock *past, first, before int, one func(e *call.Engine, n int) error) (err error) {
	if first == before {
		return nil
	}
	config, err := app.Parse("the filling", fmt.Appendf(nil, filling, ledger, pace))
	if err != nil {
		return err
	}
	phone := &answers{}
	phone.dials.Store(2 * int64(first)) // whoever filled before has given fewer contact ids
	a, err := app.New(ctx, config, app.Options{
		Stores: stores.All(), Clock: clock, Random: rand.Reader, LookupEnv: region,
		WrapDialer: func(inner call.Dialer) call.Dialer { phone.Dialer = inner; return phone },
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if _, err := a.Engine.Sweep(ctx, 1); err != nil { // the heartbeat without which nothing is only accepted
		return err
	}
	var next atomic.Int64
	var lanes sync.WaitGroup
	failed := make(chan error, fillLanes)
	for range fillLanes {
		lanes.Go(func() {
			for n := first + int(next.Add(1)) - 1; n < before; n = first + int(next.Add(1)) - 1 {
				if err := errors.Join(ctx.Err(), one(a.Engine, n)); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	lanes.Wait()
	close(failed)
	return <-failed
}

func region(name string) (string, bool) { return "us-east-1", name == "AWS_REGION" }

// deliveryOf is the request that a lane makes for the call of a number.
func deliveryOf(n int) (call.Delivery, error) {
	phone, err := call.ParsePhone(phoneOf(n))
	number := strconv.Itoa(n)
	return call.Delivery{
		Source: call.SourceHTTP, ID: number,
		Request: call.Request{NotificationID: "n-" + number, RecipientID: "r-" + number, Destination: phone, Profile: "alert"},
	}, err
}

// ledgerIn names the ledger of a folder as a configuration does, and makes its folders.
func ledgerIn(s settings, dir string) (string, error) {
	for _, name := range []string{"data", "witness"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			return "", err
		}
	}
	witness := filepath.Join(dir, "witness", "calls")
	if s.ledger == "postgres" {
		return fmt.Sprintf("{driver: postgres, dsn_file: %q, witness: %q}", s.dsnFile, witness), nil
	}
	return fmt.Sprintf("{driver: sqlite, path: %q, witness: %q}", filepath.Join(dir, "data", "calls.db"), witness), nil
}
