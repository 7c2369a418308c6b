package call

import (
	"fmt"
	"testing"
	"time"
)

func TestAParkedCallIsLookedAtAgainAfterAsLongAsItWaited(t *testing.T) {
	t.Parallel()
	row := at(Received)
	within := func(now, least, wait time.Duration) {
		t.Helper()
		if got := row.parkUntil(noon.Add(now), least).Sub(noon.Add(now)); got < wait || got > wait+wait/4 {
			t.Errorf("after %s: %s, want %s and at most a quarter more", now, got, wait)
		}
	}
	within(0, day, day)
	within(time.Hour, day, day)
	within(3*day, day, 3*day)
	within(time.Minute, time.Hour, time.Hour)
	within(400*day, day, 30*day)
	within(-time.Hour, day, day) // another clock
}

func TestAParkedCallIsLookedAtWhenItsTimeLimitEnds(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		row  Call
		want time.Time
	}{
		"notAfter":         {at(Received, notAfter(time.Minute)), noon.Add(time.Minute + 1)},
		"notAfter of now":  {at(Received, notAfter(0)), noon.Add(1)},
		"send rule":        {at(Dialing, func(c *Call) { c.FirstSigned = noon.Add(-5*day - 23*time.Hour) }), noon.Add(time.Hour + 1)},
		"the earlier one":  {at(Dialing, notAfter(time.Second), func(c *Call) { c.FirstSigned = noon.Add(-5*day - 23*time.Hour) }), noon.Add(time.Second + 1)},
		"an unrelated one": {at(Received, func(c *Call) { c.FirstSigned = noon.Add(-5*day - 23*time.Hour) }), time.Time{}},
	} {
		if got := tc.row.parkUntil(noon, day); !tc.want.IsZero() && !got.Equal(tc.want) || tc.want.IsZero() && got.Before(noon.Add(day)) {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}

func TestCallsThatWereParkedTogetherPart(t *testing.T) {
	t.Parallel()
	quarters := map[int]int{}
	for i := range 1000 {
		row := at(Received, func(c *Call) { c.ID = fmt.Sprint("row ", i) })
		quarters[int(row.parkUntil(noon, day).Sub(noon.Add(day))/(90*time.Minute))]++
	}
	for i := range 4 {
		if quarters[i] < 150 {
			t.Errorf("of 1000 calls %v fall into the quarters of the spread", quarters)
			break
		}
	}
}
