package rules

import (
	"context"
	"sync"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// alarmEvery is how often one cause alarms.
const alarmEvery = time.Hour

// Alarms tells the first of many equal alarms within an hour from the others, over all processes on one ledger. It is safe for concurrent use.
type Alarms struct {
	cells call.Cells
	names CellNames

	mu    sync.Mutex
	quiet map[string]time.Time // until when this process knows that a cause has alarmed
}

// NewAlarms returns the alarms of a ledger's cells; without cells they are those of this process.
func NewAlarms(cells call.Cells, names CellNames) *Alarms {
	return &Alarms{cells: cells, names: names, quiet: map[string]time.Time{}}
}

type alarmed struct {
	Until time.Time `json:"until"`
}

// First reports whether the cause has not alarmed within the hour, and makes this the alarm. A store that does not answer lets it alarm: two
// are better than none.
func (a *Alarms) First(ctx context.Context, cause string, now time.Time) bool {
	if a.isQuiet(cause, now) {
		return false
	}
	first, tried := false, false
	until := now.Add(alarmEvery)
	if a.cells == nil {
		a.keep(cause, until, now)
		return true
	}
	err := changeCell(ctx, a.cells, a.names.of("alarm", cause), func(s *alarmed) (bool, time.Time, error) {
		if s.Until.After(now) && !s.Until.After(until) { // a clock that was wrong must not silence it for long
			first = tried && s.Until.Equal(until) // our own, whose answer was lost
			until = s.Until
			return false, time.Time{}, nil
		}
		s.Until, first, tried = until, true, true
		return true, until.Add(alarmEvery), nil
	})
	a.keep(cause, until, now)
	return first || err != nil
}

func (a *Alarms) isQuiet(cause string, now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	until := a.quiet[cause]
	return until.After(now) && !until.After(now.Add(alarmEvery))
}

// keep remembers that the cause has alarmed, and forgets those that may alarm again.
func (a *Alarms) keep(cause string, until, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	const many = 1000
	if len(a.quiet) >= many {
		for cause, until := range a.quiet {
			if !until.After(now) {
				delete(a.quiet, cause)
			}
		}
	}
	if len(a.quiet) < many {
		a.quiet[cause] = until
	}
}
