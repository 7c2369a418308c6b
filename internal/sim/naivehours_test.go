package sim

import (
	"testing"
	"time"
)

func TestTheClocksOfALifeReallyChange(t *testing.T) {
	t.Parallel()
	epoch := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, change := range clockChanges {
		zone, err := time.LoadLocation(change.zone)
		if err != nil {
			t.Fatal(err)
		}
		at := epoch.Add(time.Duration(change.day * float64(day)))
		_, before := at.Add(-time.Hour).In(zone).Zone()
		_, after := at.Add(time.Hour).In(zone).Zone()
		if before == after {
			t.Errorf("the clock of %s does not change at %s", change.zone, at)
		}
	}
}

// TestTheNaiveHoursReadTheClock compares the oracle's hours with the table of docs/hours.md.
func TestTheNaiveHoursReadTheClock(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		window, at string
		open       bool
	}{
		{"02:30-20:00", "2026-03-08T06:59:00Z", false},
		{"02:30-20:00", "2026-03-08T07:00:00Z", true},
		{"02:00-02:45", "2026-03-08T07:00:00Z", false},
		{"02:30-20:00", "2026-11-01T07:29:59Z", false},
		{"02:30-20:00", "2026-11-01T07:30:00Z", true},
		{"01:30-20:00", "2026-11-01T05:29:00Z", false},
		{"01:30-20:00", "2026-11-01T05:30:00Z", true},
		{"01:30-20:00", "2026-11-01T06:10:00Z", true},
		{"01:00-01:30", "2026-11-01T05:29:59Z", true},
		{"01:00-01:30", "2026-11-01T06:10:00Z", false},
		{"00:00-02:00", "2026-11-01T06:59:59Z", true},
		{"00:00-02:00", "2026-11-01T07:00:00Z", false},
		{"mon-fri 09:00-20:00", "2026-11-02T15:00:00Z", true},
		{"mon-fri 09:00-20:00", "2026-11-01T15:00:00Z", false},
	} {
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		if got := allows(c.window, zone, at); got != c.open {
			t.Errorf("%s at %s: %t", c.window, c.at, got)
		}
	}
}
