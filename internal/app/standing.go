package app

import (
	"context"
	"errors"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/rules"
)

// Standing is what stands in the ledger at one moment, for gauges: counters tell what happened, and not what is still so.
type Standing struct {
	At          time.Time
	Counted     bool           // doubts and held calls were counted
	Doubts      int            // that are open, at most 10,000
	OldestDoubt time.Duration  // how long the oldest of them has been one
	Held        map[string]int // calls that wait for their dial, by reason; of the newest 10,000 of them
	LateDial    time.Duration  // how long ago the first call was due whose dial somebody waits for
	LateLook    time.Duration  // how long ago the first other row was due, whose outcome or list is to be looked at
	Pauses      map[string]int // in force, by what they pause
	OldestPause time.Duration  // how long the oldest has been in force

	Telling      bool          // producers are told by webhooks, and the latest look for calls that are behind has ended
	Untold       int           // calls that it found
	OldestUntold time.Duration // how long ago the oldest of them was accepted
}

const (
	mostStanding = 10_000 // rows that are counted of each kind
	standingPage = 200
	mostLate     = 1000 // due rows that are looked at; beyond that many the looks alone are late
)

// Standing looks at the ledger. It reads, and decides nothing.
func (a *App) Standing(ctx context.Context) (Standing, error) {
	now := a.Clock.Now()
	s := Standing{At: now, Held: map[string]int{}, Pauses: map[string]int{}}
	if b := a.webhookBacklog.Load(); b != nil {
		s.Telling, s.Untold = true, b.Calls
		if b.Calls > 0 {
			s.OldestUntold = now.Sub(b.Oldest)
		}
	}
	if a.Config.DriverName() != driverDynamoDB { // whose index is read as a whole for each list by state, and paid for
		s.Counted = true
		err := a.eachOf(ctx, call.InDoubt, func(c call.Call) {
			s.Doubts++
			s.OldestDoubt = max(s.OldestDoubt, now.Sub(c.FinalAt))
		})
		if err == nil {
			err = a.eachOf(ctx, call.Received, func(c call.Call) {
				if reason := heldReason(c); c.Parked() || c.DueAt().After(now) {
					s.Held[reason]++
				}
			})
		}
		if err != nil {
			return s, err
		}
	}
	if err := a.late(ctx, &s); err != nil || a.Store.Cells == nil {
		return s, err
	}
	switches, err := rules.ReadSwitches(ctx, a.Store.Cells)
	for _, on := range switches.On {
		s.Pauses[string(on.Target.Kind)]++
		s.OldestPause = max(s.OldestPause, now.Sub(on.At))
	}
	return s, err
}

// eachOf visits the newest calls of a state.
func (a *App) eachOf(ctx context.Context, state call.State, visit func(c call.Call)) error {
	filter := call.Filter{States: []call.State{state}, Limit: standingPage}
	for seen := 0; seen < mostStanding; seen += standingPage {
		rows, next, err := a.Store.Index.List(ctx, filter)
		if err != nil {
			return err
		}
		for _, c := range rows {
			visit(c)
		}
		if filter.Cursor = next; next == "" {
			return nil
		}
	}
	return nil
}

// heldReason is why a call waits: a word of the core, never the text of a request.
func heldReason(c call.Call) string {
	for _, letter := range c.DueReason {
		if (letter < 'a' || letter > 'z') && letter != '_' {
			return "other"
		}
	}
	if c.DueReason == "" {
		return "accepted"
	}
	return c.DueReason
}

// late looks for the rows that are due first; they come in that order.
func (a *App) late(ctx context.Context, s *Standing) error {
	ids, err := a.Store.Ledger.Due(ctx, s.At, mostLate)
	if err != nil {
		return err
	}
	for _, id := range ids {
		c, err := a.Store.Ledger.Get(ctx, id)
		if errors.Is(err, call.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		due := c.DueAt()
		switch by := s.At.Sub(due); {
		case due.IsZero() || by <= 0: // the list lags behind the row
		case c.State.Final():
			s.LateLook = max(s.LateLook, by)
		default:
			s.LateDial = max(s.LateDial, by)
		}
		if s.LateDial > 0 && s.LateLook > 0 {
			return nil
		}
	}
	return nil
}
