package rules

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the zones of the tests, whatever the machine has

	"pgregory.net/rapid"
)

// changes are zones and days on which their clocks do something worth a look.
var changes = []struct{ zone, around string }{
	{"America/New_York", "2026-03-08"},
	{"America/New_York", "2026-11-01"},
	{"Europe/London", "2027-03-28"},
	{"Europe/London", "2027-10-31"},
	{"Europe/Lisbon", "1996-03-31"},
	{"Australia/Lord_Howe", "2026-04-05"},
	{"Australia/Lord_Howe", "2026-10-04"}, // half an hour
	{"Antarctica/Troll", "2026-03-29"},
	{"Antarctica/Troll", "2026-10-25"}, // two hours
	{"Pacific/Kiritimati", "1994-12-31"},
	{"Pacific/Kiritimati", "2026-01-01"}, // no such day, then none
	{"Pacific/Apia", "2011-12-30"},
	{"Pacific/Kwajalein", "1993-08-21"},
	{"Pacific/Fakaofo", "2011-12-30"}, // no such days
	{"America/St_Johns", "2010-11-07"},
	{"America/St_Johns", "2010-03-14"}, // a minute after midnight: the day before comes back
	{"America/Sao_Paulo", "2018-11-04"},
	{"America/Sao_Paulo", "2019-02-17"}, // no midnight, then two
	{"Africa/Cairo", "2026-04-24"},
	{"Africa/Cairo", "2026-10-29"},
	{"America/Havana", "2026-03-08"},
	{"Asia/Beirut", "2026-03-29"},
	{"Africa/Casablanca", "2026-02-15"},
	{"Europe/Dublin", "2026-03-29"}, // a zone whose summer is its standard time
	{"Asia/Pyongyang", "2018-05-05"},
	{"America/Caracas", "2016-05-01"},
	{"Europe/Istanbul", "2016-09-07"},
	{"Pacific/Bougainville", "2014-12-28"},
	{"Asia/Kathmandu", "2026-06-01"},
	{"Asia/Tokyo", "2026-11-29"},
	{"UTC", "2026-02-28"},
	{"America/Nuuk", "2026-03-28"},
}

// shown is what the clock on the wall shows, as if it were UTC: all the oracle knows of zones.
func shown(at time.Time, zone *time.Location) time.Time {
	local := at.In(zone)
	return time.Date(local.Year(), local.Month(), local.Day(), local.Hour(), local.Minute(), local.Second(), 0, time.UTC)
}

// naive answers by looking at the clock every minute, from days before on. What the clock has shown once it does not show again: the second
// of two hours goes on as the moment before it was.
type naive struct {
	windows []string
	closed  []string
	zone    *time.Location
	minutes []bool
	start   time.Time
}

const watched = 9 * minutesOfDay

func (n *naive) watch(start time.Time) {
	n.start = start
	latest := shown(start.Add(-48*time.Hour), n.zone)
	for minute := -2 * minutesOfDay; minute < watched; minute++ {
		if now := shown(start.Add(time.Duration(minute)*time.Minute), n.zone); now.After(latest) {
			latest = now
		}
		if minute >= 0 {
			n.minutes = append(n.minutes, n.allows(latest))
		}
	}
}

// allows reads the rules as a person would: the day of the week, hours and minutes as text.
func (n *naive) allows(wall time.Time) bool {
	if n.shut(wall) {
		return false
	}
	for _, w := range n.windows {
		days, times, _ := strings.Cut(w, " ")
		from, to, _ := strings.Cut(times, "-")
		clock := wall.Format("15:04")
		on := func(t time.Time) bool { return strings.Contains(days, strings.ToLower(t.Format("Mon"))) && !n.shut(t) }
		yesterday := wall.AddDate(0, 0, -1)
		switch {
		case from < to && on(wall) && from <= clock && clock < to,
			from > to && on(wall) && from <= clock,
			from > to && on(yesterday) && clock < to:
			return true
		}
	}
	return false
}

func (n *naive) shut(wall time.Time) bool {
	for _, c := range n.closed {
		if wall.Format(time.DateOnly) == c {
			return true
		}
	}
	return false
}

// next returns the first minute from one on that is allowed, or -1.
func (n *naive) next(minute int) int {
	for ; minute < len(n.minutes); minute++ {
		if n.minutes[minute] {
			return minute
		}
	}
	return -1
}

// disagrees compares the hours with the oracle, minute by minute, with a reading of the clock. It returns the first difference.
func (n *naive) disagrees(h *Hours, read reading) string {
	for minute := 0; minute < watched; minute += 7 {
		now := n.start.Add(time.Duration(minute) * time.Minute)
		at, ok := h.next(now, n.zone, read)
		want := n.next(minute)
		switch {
		case want < 0 && ok && at.Before(n.start.Add(watched*time.Minute)):
			return fmt.Sprintf("at %s %v: next at %s, and the oracle knows none", now.In(n.zone), n.windows, at.In(n.zone))
		case want >= 0 && (!ok || !at.Equal(n.start.Add(time.Duration(want)*time.Minute))):
			return fmt.Sprintf("at %s %v: next at %s, want %s", now.In(n.zone), n.windows, at.In(n.zone), n.start.Add(time.Duration(want)*time.Minute).In(n.zone))
		}
	}
	return ""
}

// source is where a test's choices come from: rapid, or seeded randomness.
type source func(label string, n int) int

// drawn makes rules and an oracle of them around a change of a clock.
func drawn(pick source) (*Hours, *naive, error) {
	c := changes[pick("change", len(changes))]
	zone, err := time.LoadLocation(c.zone)
	if err != nil {
		return nil, nil, err
	}
	around, err := time.Parse(time.DateOnly, c.around)
	if err != nil {
		return nil, nil, err
	}
	n := &naive{zone: zone}
	clock := func() string {
		return fmt.Sprintf("%02d:%02d", pick("hour", 24), []int{0, 0, 30, 1, 59, 45}[pick("minute", 6)])
	}
	for range 1 + pick("windows", 3) {
		var days []string
		for _, day := range dayNames {
			if pick("day", 4) > 0 {
				days = append(days, day)
			}
		}
		from, to := clock(), clock()
		if pick("whole", 5) == 0 {
			to = "24:00"
		}
		if from == to || len(days) == 0 {
			continue
		}
		n.windows = append(n.windows, strings.Join(days, ",")+" "+from+"-"+to)
	}
	if len(n.windows) == 0 {
		n.windows = []string{"mon,tue,wed,thu,fri,sat,sun 02:30-03:00"}
	}
	for range pick("closed", 3) {
		n.closed = append(n.closed, around.AddDate(0, 0, pick("closed day", 5)-2).Format(time.DateOnly))
	}
	n.watch(around.AddDate(0, 0, -4))
	h, err := ParseHours(n.windows, n.closed)
	return h, n, err
}

func TestHoursAgreeWithALookAtTheClockEveryMinute(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h, n, err := drawn(func(label string, n int) int { return rapid.IntRange(0, n-1).Draw(t, label) })
		if err != nil {
			t.Fatal(err)
		}
		if difference := n.disagrees(h, reach); difference != "" {
			t.Fatalf("%s, closed %v", difference, n.closed)
		}
	})
}

// The oracle finds what people get wrong about clocks.
func TestTheOracleOfTheClockFindsPlantedDefects(t *testing.T) {
	t.Parallel()
	at := func(d date, minute int, zone *time.Location) time.Time {
		return time.Date(d.year, d.month, d.day, 0, minute, 0, 0, zone)
	}
	for name, read := range map[string]reading{
		"time.Date, which promises neither": at,
		"hours since midnight": func(d date, minute int, zone *time.Location) time.Time {
			return at(d, 0, zone).Add(time.Duration(minute) * time.Minute)
		},
		"the second of two": func(d date, minute int, zone *time.Location) time.Time {
			first := reach(d, minute, zone)
			if _, end := first.ZoneBounds(); !end.IsZero() {
				for _, shift := range []time.Duration{30 * time.Minute, time.Hour, 2 * time.Hour} {
					if second := first.Add(shift); shown(second, zone).Equal(shown(first, zone)) {
						return second
					}
				}
			}
			return first
		},
		"the offset of now": func(d date, minute int, zone *time.Location) time.Time {
			_, offset := d.midnight().In(zone).Zone()
			return d.midnight().Add(time.Duration(minute)*time.Minute - time.Duration(offset)*time.Second)
		},
	} {
		random := rand.New(rand.NewPCG(1, 2))
		found := ""
		for try := 0; try < 500 && found == ""; try++ {
			h, n, err := drawn(func(_ string, n int) int { return random.IntN(n) })
			if err != nil {
				t.Fatal(err)
			}
			found = n.disagrees(h, read)
		}
		if found == "" {
			t.Errorf("%s: not found", name)
		}
	}
}

// TestEveryClockReadsForwards asks about many zones and years that a later time on the clock is never an earlier instant, and that the clock
// shows the time that was asked for, or a later one after a gap.
func TestEveryClockReadsForwards(t *testing.T) {
	t.Parallel()
	for _, c := range changes {
		zone := zoneNamed(t, c.zone)
		first, err := time.Parse(time.DateOnly, c.around)
		if err != nil {
			t.Fatal(err)
		}
		var before time.Time
		for n := -100; n < 100; n++ {
			for minute := 0; minute <= minutesOfDay; minute += 30 {
				d := dateOf(first).plus(n)
				at := reach(d, minute, zone)
				wall := d.midnight().Add(time.Duration(minute) * time.Minute)
				if at.Before(before) || shown(at, zone).Before(wall) || !shown(at.Add(-time.Second), zone).Before(wall) {
					t.Fatalf("%s %v: the clock shows %s, the time before was %s", c.zone, wall, at, before)
				}
				before = at
			}
		}
	}
}
