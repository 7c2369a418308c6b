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
	if err := a.count(ctx, &s); err != nil {
		return s, err
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

// count counts doubts and held calls.
func (a *App) count(ctx context.Context, s *Standing) error {
	if newest, paid := a.Store.Index.(newestCalls); paid {
		return a.countNewest(ctx, newest, s)
	}
	s.Counted = true
	for _, state := range []call.State{call.InDoubt, call.Received} {
		if err := a.eachOf(ctx, state, s.add); err != nil {
			return err
		}
	}
	return nil
}

// add counts a call.
func (s *Standing) add(c call.Call) {
	switch {
	case c.State == call.InDoubt:
		s.Doubts++
		s.OldestDoubt = max(s.OldestDoubt, s.At.Sub(c.FinalAt))
	case c.Parked() || c.DueAt().After(s.At):
		s.Held[heldReason(c)]++
	}
}

// newestCalls is an index that reads all its calls for a list by state, and is paid for it. What it has of the newest calls is told for little.
type newestCalls interface {
	// Newest finds the calls in these states among so many of the newest, reads the oldest of each state and counts the others.
	Newest(ctx context.Context, states []call.State, among, read int) (rows []call.Call, unread map[call.State]int, err error)
}

const (
	countEvery  = 5 * time.Minute // between two counts that are paid for
	readOfState = 100             // calls of each state that are read for it
	heldUnread  = "not_read"      // the reason of held calls beyond them
)

// countNewest counts among the newest calls, seldom: in between the gauges stay as they are. A table without the index has no count.
func (a *App) countNewest(ctx context.Context, index newestCalls, s *Standing) error {
	if last := a.counted.Load(); last != nil && s.At.Sub(*last) < countEvery && !s.At.Before(*last) {
		return nil
	}
	rows, unread, err := index.Newest(ctx, []call.State{call.InDoubt, call.Received}, mostStanding, readOfState)
	if call.CodeOf(err) == call.CodeConfiguration {
		return nil
	}
	if err != nil {
		return err
	}
	for _, c := range rows {
		s.add(c)
	}
	s.Doubts += unread[call.InDoubt]
	if n := unread[call.Received]; n > 0 {
		s.Held[heldUnread] = n
	}
	at := s.At
	s.Counted = true
	a.counted.Store(&at)
	return nil
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
