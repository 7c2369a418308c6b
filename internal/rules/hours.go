package rules

import (
	"slices"
	"time"
)

// Hours are the times of a week at which a person may be rung, on the wall clock of where that person is. A nil *Hours allows every time.
// Each window is one stretch of time from the first instant at which the clock has reached its beginning to the first at which the clock has
// reached its end (docs/hours.md). So a change of the clock neither opens a window twice nor loses one: what begins in a gap begins at the end
// of the gap, what happens twice counts from the first, and a window that lies in a gap whole does not exist on that day.
type Hours struct {
	windows []window // empty: every hour of every day that is not closed
	closed  []closing
}

// horizon is how many days [Hours.Next] looks ahead.
const horizon = 2 * 366

// minutesOfDay is what a clock shows in a day, whatever its length.
const minutesOfDay = 24 * 60

// window is a stretch of the wall clock that begins on each of its days.
type window struct {
	on         [7]bool // by time.Weekday
	begin, end int     // minutes of the day; an end above minutesOfDay is on the day after
}

// closing is a stretch of days without a ring, both ends included. Yearly ones have no year, and may go over the end of a year.
type closing struct {
	from, to date
}

func (c closing) holds(d date) bool {
	if c.from.year == 0 {
		d.year = 0
		if c.to.before(c.from) {
			return !d.before(c.from) || !c.to.before(d)
		}
	}
	return !d.before(c.from) && !c.to.before(d)
}

// Open reports whether a ring is allowed at an instant, where the clock is that of a zone. It is the answer for any instant, also one inside
// an hour that the clock shows twice: the second time goes on as the moment before it was.
func (h *Hours) Open(now time.Time, zone *time.Location) bool {
	at, ok := h.Next(now, zone)
	return ok && at.Equal(now)
}

// Next returns the first instant from now on at which a ring is allowed: now itself when it is. It is false when no window opens within two
// years.
func (h *Hours) Next(now time.Time, zone *time.Location) (at time.Time, ok bool) {
	if h == nil {
		return now, true
	}
	return h.next(now, zone, reach)
}

// next is Next with a reading of the clock.
func (h *Hours) next(now time.Time, zone *time.Location, reach reading) (time.Time, bool) {
	today := dateOf(now.In(zone))
	for n := -2; n <= horizon; n++ { // a window of yesterday may last, and yesterday may have been shown twice
		var best time.Time
		for _, s := range h.spans(today.plus(n), zone, reach) {
			switch {
			case !s.begin.Before(s.end) || !now.Before(s.end):
			case !s.begin.After(now):
				return now, true
			case best.IsZero() || s.begin.Before(best):
				best = s.begin
			}
		}
		if !best.IsZero() {
			return best, true
		}
	}
	return time.Time{}, false
}

// span is a window of one day: from begin to the instant before end.
type span struct{ begin, end time.Time }

// spans returns the windows that begin on a day; those that the day lacks have no length.
func (h *Hours) spans(d date, zone *time.Location, reach reading) []span {
	if h.isClosed(d) {
		return nil
	}
	windows := h.windows
	if len(windows) == 0 {
		windows = []window{{on: [7]bool{true, true, true, true, true, true, true}, end: minutesOfDay}}
	}
	weekday := d.weekday()
	var all []span
	for _, w := range windows {
		if !w.on[weekday] {
			continue
		}
		end := w.end
		if end > minutesOfDay && h.isClosed(d.plus(1)) {
			end = minutesOfDay // a closed day begins at its midnight, whatever began before
		}
		all = append(all, span{reach(d, w.begin, zone), reach(d, end, zone)})
	}
	return all
}

func (h *Hours) isClosed(d date) bool {
	return slices.ContainsFunc(h.closed, func(c closing) bool { return c.holds(d) })
}
