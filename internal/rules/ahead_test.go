package rules

import (
	"testing"
	"time"
)

// TestWhatAClockFarAheadHasTakenKeepsNobody gives back the slots, rings and counts of a process that died before its dial, with a clock with which
// Amazon Connect takes no request. What a clock within its bound has taken counts,
// also for a clock that is as much behind as the bound permits.
func TestWhatAClockFarAheadHasTakenKeepsNobody(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	limit := Velocity{Most: 1, Per: time.Hour}
	for ahead, counts := range map[time.Duration]bool{0: true, 4 * time.Minute: true, 14 * time.Minute: true, 28 * time.Minute: true, 48 * time.Hour: false, 365 * 24 * time.Hour: false} {
		took := now.Add(ahead)
		s := slots{Takes: takes{}.with(take{Row: "a", At: took.Add(time.Minute).UnixNano()})}
		if s.full(1, "b", now) != counts {
			t.Errorf("a slot taken by a clock %s ahead: full %t", ahead, !counts)
		}
		r := rings{Takes: takes{}.with(take{Row: "a", At: took.UnixNano()})}
		if r.free([]Cap{{1, time.Hour}}, "b", now).After(now) != counts {
			t.Errorf("a ring taken by a clock %s ahead: kept %t", ahead, !counts)
		}
		var v speed
		v.add(limit, take{Row: "a"}, 1, time.Time{}, took)
		if _, full := v.full(limit, "b", 1, time.Time{}, now); full != counts {
			t.Errorf("a call counted by a clock %s ahead: full %t", ahead, full)
		}
	}
	day := slots{Takes: takes{}.with(take{Row: "a", At: now.Add(longestLease).UnixNano()})}
	if !day.full(1, "b", now) {
		t.Error("a lease of a day holds no slot")
	}
}
