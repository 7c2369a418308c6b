package crashtest

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/awswake"
	"github.com/ringonce/ringonce/internal/app/stores"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/cli"
)

// The variables that a victim reads. No shipped program knows them.
const (
	victimVariable = "RINGONCE_CRASH_VICTIM" // set to anything: be one
	aheadVariable  = "RINGONCE_CRASH_AHEAD"  // how far its clock is ahead of the machine's
	pointVariable  = "RINGONCE_CRASH_AT"     // the passage at which it kills itself
	faultVariable  = "RINGONCE_CRASH_FAULTS" // a seed: its ledger refuses some answers of the telephone, which then go to the spool
	defectVariable = "RINGONCE_CRASH_DEFECT" // a part of the protocol that is taken out
)

// victim runs the command line as cli.Main does, with a clock that can be ahead and with ports in which it can die.
func victim() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ahead, aheadErr := time.ParseDuration(orZero(os.Getenv(aheadVariable), "0s"))
	seed, seedErr := strconv.ParseUint(orZero(os.Getenv(faultVariable), "0"), 10, 64)
	point, pointErr := parsePoint(os.Getenv(pointVariable))
	for _, err := range []error{aheadErr, seedErr, pointErr} {
		if err != nil {
			fmt.Fprintln(os.Stderr, "victim:", err)
			return cli.ExitUsage
		}
	}
	t, defect := newTrap(point), os.Getenv(defectVariable)
	registerDriver(t)
	all := stores.All()
	all["sqlite"] = func(ctx context.Context, r app.StoreRequest) (*app.Store, error) {
		store, err := stores.OpenSQLite(ctx, r, trappedDriver)
		if err != nil {
			return nil, err
		}
		driver := store.Ledger
		switch defect {
		case defectParksNothing:
			store.Parking = parksNothing{store.Parking}
		case defectForgetsNothing:
			driver = forgetsNothing{driver}
		case defectUnlisted:
			delete(t.known, "dial"+before)
		}
		store.Ledger = newTrappedLedger(defective(defect, refusing(seed, store.Ledger)), driver, t)
		store.Journal, store.Parking = trappedJournal{store.Journal, t}, trappedParking{store.Parking, t}
		store.Cells, store.Admin = trappedCells{store.Cells, t}, trappedAdmin{store.Admin, t}
		return store, nil
	}
	return cli.Process{
		Args: os.Args[1:], Stdout: os.Stdout, Stderr: os.Stderr, LookupEnv: app.LookupProcess, Environ: app.ListProcess,
		Clock: clock{ahead: ahead}, Random: rand.Reader, Stores: all, Waker: awswake.Open,
		Rewire: func(o *app.Options) {
			o.WrapDialer = func(d call.Dialer) call.Dialer { return trappedDialer{d, t} }
			o.WrapSpool = func(s call.Spool) call.Spool { return trappedSpool{s, t} }
		},
	}.Run(ctx)
}

func orZero(value, zero string) string {
	if value == "" {
		return zero
	}
	return value
}

// clock is the machine's clock, moved. The emulator's is moved by as much, so that leases end without anybody waiting for them.
type clock struct {
	app.SystemClock

	ahead time.Duration
}

// Now implements call.Clock.
func (c clock) Now() time.Time { return c.SystemClock.Now().Add(c.ahead) }
