package call

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestABurstGoesAtOnceAndTheRestIsSpaced(t *testing.T) {
	t.Parallel()
	p := NewPace(2, 5)
	for i := range 8 {
		wait, ok := p.Reserve("r", noon, time.Minute)
		if want := max(0, time.Duration(i-4)*500*time.Millisecond); !ok || wait != want {
			t.Errorf("slot %d: %s %v, want %s", i, wait, ok, want)
		}
	}
	if wait, ok := p.Reserve("other", noon, 0); !ok || wait != 0 {
		t.Error("Regions share a bucket")
	}
}

func TestWithoutPatienceNoSlotIsTaken(t *testing.T) {
	t.Parallel()
	p := NewPace(2, 1)
	if _, ok := p.Reserve("r", noon, 0); !ok {
		t.Fatal("the first slot was refused")
	}
	for range 10 {
		if wait, ok := p.Reserve("r", noon, 499*time.Millisecond); ok || wait != 500*time.Millisecond {
			t.Fatalf("%s %v", wait, ok)
		}
	}
	if wait, ok := p.Reserve("r", noon.Add(500*time.Millisecond), 0); !ok || wait != 0 {
		t.Errorf("a refused reservation took a slot: %s %v", wait, ok)
	}
}

func TestAReturnedSlotIsFreeAgainAndNoMore(t *testing.T) {
	t.Parallel()
	p := NewPace(2, 2)
	for range 10 {
		if wait, ok := p.Reserve("r", noon, 0); !ok || wait != 0 {
			t.Fatal(wait, ok)
		}
		p.Return("r")
	}
	for i, want := range []bool{true, true, false} {
		if _, ok := p.Reserve("r", noon, 0); ok != want {
			t.Errorf("slot %d: %t, want %t", i, ok, want)
		}
	}
}

func TestARateOfZeroPacesNothing(t *testing.T) {
	t.Parallel()
	p := NewPace(0, 0)
	for range 1000 {
		if wait, ok := p.Reserve("r", noon, 0); !ok || wait != 0 {
			t.Fatal(wait, ok)
		}
	}
}

// In no stretch of time may more dials begin than the bucket holds at its start and gains meanwhile.
func TestTheRateIsNeverExceededOverVirtualHours(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		burst := rapid.IntRange(1, 6).Draw(t, "burst")
		p := NewPace(2, burst)
		now := noon
		var starts []time.Time
		for now.Before(noon.Add(2*time.Hour)) && len(starts) < 200 {
			now = now.Add(time.Duration(rapid.IntRange(0, 300_000).Draw(t, "gap")) * time.Millisecond / 100)
			patience := time.Duration(rapid.IntRange(0, 4000).Draw(t, "patience")) * time.Millisecond
			if wait, ok := p.Reserve("r", now, patience); ok {
				if wait > patience {
					t.Fatalf("waits %s with patience %s", wait, patience)
				}
				if rapid.IntRange(0, 3).Draw(t, "unused") == 0 {
					p.Return("r")
					continue
				}
				starts = append(starts, now.Add(wait))
			}
		}
		for i := range starts {
			for j := i; j < len(starts); j++ {
				if most := burst + int(starts[j].Sub(starts[i])/(500*time.Millisecond)); j-i+1 > most {
					t.Fatalf("%d dials in %s", j-i+1, starts[j].Sub(starts[i]))
				}
			}
		}
	})
}
