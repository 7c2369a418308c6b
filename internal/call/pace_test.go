package call

import (
	"slices"
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
		p.Return("r", PaceSlot{At: noon}, noon)
	}
	for i, want := range []bool{true, true, false} {
		if _, ok := p.Reserve("r", noon, 0); ok != want {
			t.Errorf("slot %d: %t, want %t", i, ok, want)
		}
	}
}

// The slot was taken before a search of 4 seconds, in which the bucket filled again: there is nothing to give back.
func TestASlotThatTimeHasRefilledIsNotGivenBackOnTop(t *testing.T) {
	t.Parallel()
	p := NewPace(2, 5)
	p.Reserve("r", noon, 0)
	later, dials := noon.Add(4*time.Second), 0
	dial := func() {
		if wait, ok := p.Reserve("r", later, 0); ok && wait == 0 {
			dials++
		}
	}
	for range 5 {
		dial()
	}
	p.Return("r", PaceSlot{At: noon}, later)
	dial()
	if dials != 5 {
		t.Errorf("%d dials at one instant with a burst of 5", dials)
	}
	p.Return("elsewhere", PaceSlot{At: noon}, later)
	p.Return("r", PaceSlot{At: noon.Add(time.Second)}, later) // never taken
	dial()
	if dials != 5 {
		t.Errorf("%d dials after slots that were never taken came back", dials)
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

// In no stretch of time may more dials begin than the bucket holds at its start and gains meanwhile, however late unused slots come back.
func TestTheRateIsNeverExceededOverVirtualHours(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		burst := rapid.IntRange(1, 6).Draw(t, "burst")
		p := NewPace(2, burst)
		now := noon
		var starts []time.Time
		var unused []PaceSlot
		for now.Before(noon.Add(2*time.Hour)) && len(starts) < 200 {
			now = now.Add(time.Duration(rapid.IntRange(0, 300_000).Draw(t, "gap")) * time.Millisecond / 100)
			for len(unused) > 0 && rapid.Bool().Draw(t, "comes back") {
				i := rapid.IntRange(0, len(unused)-1).Draw(t, "which")
				p.Return("r", unused[i], now)
				unused = slices.Delete(unused, i, i+1)
			}
			patience := time.Duration(rapid.IntRange(0, 4000).Draw(t, "patience")) * time.Millisecond
			if wait, ok := p.Reserve("r", now, patience); ok {
				if wait > patience {
					t.Fatalf("waits %s with patience %s", wait, patience)
				}
				if rapid.IntRange(0, 2).Draw(t, "unused") == 0 {
					unused = append(unused, PaceSlot{now, wait})
					continue
				}
				starts = append(starts, now.Add(wait))
			}
		}
		slices.SortFunc(starts, time.Time.Compare)
		for i := range starts {
			for j := i; j < len(starts); j++ {
				if most := burst + int(starts[j].Sub(starts[i])/(500*time.Millisecond)); j-i+1 > most {
					t.Fatalf("%d dials in %s", j-i+1, starts[j].Sub(starts[i]))
				}
			}
		}
	})
}

// Two slots of one instant are told apart by their waits: here the one that did not wait comes back, and the one that waited goes on. Taken for each
// other, more came back than was free. A random story of the test above had found it.
func TestASlotThatComesBackIsNotTakenForAnotherOfItsInstant(t *testing.T) {
	t.Parallel()
	p := NewPace(2, 3)
	var starts []time.Time
	at := func(ms float64) time.Time { return noon.Add(time.Duration(ms * float64(time.Millisecond))) }
	take := func(ms float64) PaceSlot {
		wait, _ := p.Reserve("r", at(ms), time.Second)
		return PaceSlot{at(ms), wait}
	}
	dial := func(ms float64) {
		slot := take(ms)
		starts = append(starts, slot.At.Add(slot.Wait))
	}
	first, second, third, fourth := take(284.34), take(284.36), take(285.41), take(1012.44)
	dial(1019.58)
	p.Return("r", first, at(1019.58))
	p.Return("r", third, at(1019.58))
	direct := take(1019.58)
	dial(1022.76)
	for _, slot := range []PaceSlot{second, direct, fourth} {
		p.Return("r", slot, at(1023.22))
	}
	dial(1030.39)
	dial(1035.15)
	slices.SortFunc(starts, time.Time.Compare)
	if span := starts[3].Sub(starts[0]); span < 500*time.Millisecond {
		t.Errorf("4 dials in %s with a burst of 3", span)
	}
}

// A bucket from which unused slots are taken and given back later lets as many dials through as one from which they are never taken, as far
// as nobody was made to wait meanwhile.
func TestASlotThatComesBackInTimeCostsNobodyAnything(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p, without := NewPace(2, 6), NewPace(2, 6)
		now := noon
		type slot struct{ at time.Time }
		var unused []slot
		for range rapid.IntRange(1, 30).Draw(t, "acts") {
			now = now.Add(time.Duration(1+rapid.IntRange(0, 1500).Draw(t, "gap")) * time.Millisecond)
			switch _, ok := p.Reserve("r", now, 0); {
			case !ok:
				return
			case rapid.Bool().Draw(t, "unused"):
				unused = append(unused, slot{now})
			default:
				if _, ok := without.Reserve("r", now, 0); !ok {
					t.Fatal("it waits without those slots")
				}
			}
		}
		for _, s := range slices.Backward(unused) {
			p.Return("r", PaceSlot{At: s.at}, now)
		}
		got, _ := p.Reserve("r", now, -1)
		want, _ := without.Reserve("r", now, -1)
		if got != want || p.buckets["r"].missing(now) < missingOf(without, now) {
			t.Fatalf("waits %s, want %s", got, want)
		}
	})
}

func missingOf(p *Pace, now time.Time) time.Duration {
	if b := p.buckets["r"]; b != nil {
		return b.missing(now)
	}
	return 0
}
