package cli

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/service"
)

// Heartbeats lie in the ledger, where other processes leave them too, and some of their clocks are wrong.
func TestReadinessAsksForASweepOfThisProcessAndNotForAHeartbeat(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	swept := false
	clock := hurried{d.clock, 0, func() bool { return swept }}
	e := d.environment(clock)
	a, err := e.open(t.Context(), opening{service: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	s := &serving{environment: e, app: a, config: a.Config}
	wants := func(when string, want error) {
		t.Helper()
		for _, c := range s.checks(&front{}) {
			if c.Name == "sweeper" {
				if err := c.Look(context.Background()); !errors.Is(err, want) {
					t.Errorf("%s: %v, want %v", when, err, want)
				}
				return
			}
		}
		t.Errorf("no check of the sweeper")
	}
	wants("before the first sweep", errSweepStale)
	for _, ahead := range []time.Duration{0, 3 * time.Hour} {
		if err := a.Store.Journal.Beat(t.Context(), d.clock.Now().Add(ahead)); err != nil {
			t.Fatal(err)
		}
		wants("after a heartbeat of another process, ahead by "+ahead.String(), errSweepStale)
	}
	swept = true // the sweeper sweeps once, and its rest ends it
	<-startSweeper(t.Context(), a, slog.New(slog.DiscardHandler))
	wants("after a sweep", nil)
	d.clock.advance(3*a.Config.SweepEvery() + time.Second)
	wants("long after it", errSweepStale)
	d.clock.advance(-4 * a.Config.SweepEvery())
	wants("with a clock that was set back behind it", errSweepStale)
}

// A process without credentials takes calls and rings nobody, which used to show in its calls alone.
func TestReadinessAsksForCredentials(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	e := d.environment(d.clock)
	a, err := e.open(t.Context(), opening{service: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	s := &serving{environment: e, app: a, config: a.Config}
	look := func() error {
		i := slices.IndexFunc(s.checks(&front{}), func(c service.Check) bool { return c.Name == "credentials" })
		return s.checks(&front{})[i].Look(t.Context())
	}
	if err := look(); err != nil {
		t.Errorf("beside an emulator: %v", err)
	}
	a.Signs = app.Options{LookupEnv: app.LookupNothing}.AWSCredentials(false)
	var told *call.Error
	if err := look(); !errors.As(err, &told) || told.Code != call.CodeNoCredentials || told.Fix == "" || !strings.Contains(told.Message, "AWS_ACCESS_KEY_ID") {
		t.Errorf("without credentials: %v", err)
	}
}

// failingBeats is a journal that cannot take heartbeats.
type failingBeats struct{ call.Journal }

func (failingBeats) Beat(context.Context, time.Time) error { return errors.New("planted") }

func TestASweepThatFailsIsNoneForReadiness(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	e := d.environment(hurried{d.clock, 0, func() bool { return true }})
	a, err := e.open(t.Context(), opening{service: true})
	if err != nil {
		t.Fatal(err)
	}
	a.Engine.Journal = failingBeats{a.Engine.Journal}
	<-startSweeper(t.Context(), a, slog.New(slog.DiscardHandler))
	s := &serving{environment: e, app: a, config: a.Config}
	if err := a.Store.Journal.Beat(t.Context(), d.clock.Now()); err != nil {
		t.Fatal(err)
	}
	for _, c := range s.checks(&front{}) {
		if err := c.Look(t.Context()); c.Name == "sweeper" && !errors.Is(err, errSweepStale) {
			t.Errorf("%v", err)
		}
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}
