package call_test

import (
	"context"
	"fmt"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/ledgertest"
)

// way is what happens to one write on its way to a ledger.
type way string

const (
	sent    way = ""                                // it is applied and answered
	missing way = "lost before"                     // it never arrives, and its sender sees an error
	unheard way = "applied, then lost"              // it is applied, and its sender sees an error
	doubled way = "twice"                           // it arrives twice, and the second arrival is answered
	delayed way = "twice, the second after another" // it is answered, and arrives once more after the write that follows it
)

var ways = []way{missing, unheard, doubled, delayed}

// sites is a ledger whose writes are counted by the place in the program that they come from, and of which one goes another way.
type sites struct {
	ledgertest.Ledger

	w     *world
	names []string // of every write so far
	at    int      // number of the write that goes the way, from 1; 0 for none
	way   way
	late  func()
}

// write sends one write its way.
func (s *sites) write(name string, do func() error) error {
	s.names = append(s.names, name)
	late := s.late
	s.late = nil
	if late != nil {
		defer late()
	}
	if len(s.names) != s.at {
		return do()
	}
	s.w.faults.fired++
	switch s.way {
	case missing:
		return fmt.Errorf("%s: connection reset", name)
	case unheard:
		_ = do() // nobody hears what it answers
		return fmt.Errorf("%s: connection reset", name)
	case doubled:
		_ = do()
	case delayed:
		s.late = func() { _ = do() }
	case sent:
	}
	return do()
}

// arrive lets a write that is still on its way arrive.
func (s *sites) arrive() {
	if s.late != nil {
		s.late()
	}
	s.late = nil
}

type sending func(context.Context, call.Write) (call.Written, error)

func (s *sites) row(ctx context.Context, w call.Write, send sending) (written call.Written, err error) {
	var answer call.Written
	err = s.write(siteOf(w), func() (err error) {
		answer, err = send(ctx, w)
		written = answer
		return err
	})
	if err != nil {
		return call.Written{}, err
	}
	// The late arrival is not the one that is answered.
	return answer, nil
}

// siteOf names the place that a row's write comes from.
func siteOf(w call.Write) string {
	name := string(w.Entry.Kind)
	switch event, err := w.Entry.Event(); {
	case err != nil:
		return err.Error()
	case event.Kind == call.EventAccepted && w.Row.Ring > 0:
		return name + " of a later ring"
	case event.Kind == call.EventAccepted && event.Attempt != nil:
		return name + " with intent"
	case event.Kind == call.EventResult:
		return name + " " + string(event.Class)
	}
	return name
}

func (s *sites) Create(ctx context.Context, w call.Write) (call.Written, error) {
	return s.row(ctx, w, s.Ledger.Create)
}

func (s *sites) Update(ctx context.Context, w call.Write) (call.Written, error) {
	return s.row(ctx, w, s.Ledger.Update)
}

func (s *sites) Erase(ctx context.Context, w call.Write) (call.Written, error) {
	return s.row(ctx, w, s.Ledger.Erase)
}

func (s *sites) Scrub(ctx context.Context, recipient string, ids []string) error {
	return s.write("scrub", func() error { return s.Ledger.Scrub(ctx, recipient, ids) })
}

func (s *sites) Note(ctx context.Context, n call.Note) error {
	return s.write("note "+string(n.Kind), func() error { return s.Ledger.Note(ctx, n) })
}

func (s *sites) Beat(ctx context.Context, at time.Time) error {
	return s.write("beat", func() error { return s.Ledger.Beat(ctx, at) })
}

func (s *sites) Park(ctx context.Context, p call.Parked) (fresh bool, err error) {
	err = s.write("park", func() (err error) {
		fresh, err = s.Ledger.Park(ctx, p)
		return err
	})
	return fresh, err
}

func (s *sites) CloseParked(ctx context.Context, id string, end call.ParkedEnd, at time.Time) error {
	return s.write("close parked", func() error { return s.Ledger.CloseParked(ctx, id, end, at) })
}

func (s *sites) SetCell(ctx context.Context, c call.Cell) (now call.Cell, ok bool, err error) {
	err = s.write("set cell", func() error {
		current, applied, err := s.Ledger.SetCell(ctx, c)
		now, ok = current, applied
		return err
	})
	return now, ok, err
}

func (s *sites) PruneCells(ctx context.Context, now time.Time, limit int) (removed int, err error) {
	err = s.write("prune cells", func() error {
		n, err := s.Ledger.PruneCells(ctx, now, limit)
		removed = n
		return err
	})
	return removed, err
}

func (s *sites) BeginRecovery(ctx context.Context, r call.Recovery) error {
	return s.write("begin recovery", func() error { return s.Ledger.BeginRecovery(ctx, r) })
}

func (s *sites) CloseRecovery(ctx context.Context) error {
	return s.write("close recovery", func() error { return s.Ledger.CloseRecovery(ctx) })
}

func (s *sites) SetReading(ctx context.Context, reading string) error {
	return s.write("set reading", func() error { return s.Ledger.SetReading(ctx, reading) })
}

// otherSites are the writes that are no events.
func otherSites() []string {
	return []string{
		"scrub", "note " + string(call.NoteSuppressed), "note " + string(call.NoteConflict), "beat", "park", "close parked", "set cell", "prune cells",
		"begin recovery", "close recovery", "set reading",
	}
}
