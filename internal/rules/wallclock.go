package rules

import "time"

// date is a day of the calendar.
type date struct {
	year  int // 0 for every year
	month time.Month
	day   int
}

func dateOf(t time.Time) date {
	year, month, day := t.Date()
	return date{year, month, day}
}

// midnight is the beginning of the day on a clock that never changes.
func (d date) midnight() time.Time { return time.Date(d.year, d.month, d.day, 0, 0, 0, 0, time.UTC) }

func (d date) plus(days int) date { return dateOf(d.midnight().AddDate(0, 0, days)) }

func (d date) weekday() time.Weekday { return d.midnight().Weekday() }

func (d date) before(other date) bool { return d.midnight().Before(other.midnight()) }

// reading gives the instant of a minute of a day on the clock of a zone. Minutes above minutesOfDay are on the day after.
type reading func(d date, minute int, zone *time.Location) time.Time

// furthest is longer than any clock was ever ahead of UTC.
const furthest = 30 * time.Hour

// reach returns the first instant at which the clock of a zone has reached a minute of a day: the first of two when the clock is set back over
// it, the end of the gap when it is set forward over it, the beginning of the next day that exists when a zone skips that day.
func reach(d date, minute int, zone *time.Location) time.Time {
	wall := d.midnight().Add(time.Duration(minute) * time.Minute)
	from := wall.Add(-furthest).In(zone) // the clock has not been there yet
	for {
		_, offset := from.Zone()
		_, end := from.ZoneBounds()
		at := wall.Add(-time.Duration(offset) * time.Second).In(zone)
		if at.Before(from) {
			at = from // the clock was set forward, over it
		}
		if end.IsZero() || at.Before(end) {
			return at
		}
		from = end
	}
}
