package rules

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ringonce/ringonce/internal/call"
)

func TestANumberIsRungSoOftenAndNotOftener(t *testing.T) {
	t.Parallel()
	g := gateOn(t, newShelf(), capped(Cap{3, time.Hour}, Cap{5, 24 * time.Hour}))
	for i := range 3 {
		mustPass(t, g, aCall(fmt.Sprint("n", i), ada), noon.Add(time.Duration(i)*10*time.Minute))
	}
	// Who mints new keys, under whatever profile or producer, meets the same number.
	minted := aCall("fresh", ada)
	minted.Producer = "another"
	if until := mustKeep(t, g, minted, noon.Add(30*time.Minute), call.HeldCap); !until.Equal(noon.Add(time.Hour)) {
		t.Errorf("kept until %s", until)
	}
	mustPass(t, g, aCall("other", bob), noon.Add(30*time.Minute))
	mustPass(t, g, minted, noon.Add(time.Hour))
	mustPass(t, g, aCall("n4", ada), noon.Add(2*time.Hour))
	if until := mustKeep(t, g, aCall("n5", ada), noon.Add(3*time.Hour), call.HeldCap); !until.Equal(noon.Add(24 * time.Hour)) {
		t.Errorf("kept until %s", until)
	}
}

func TestARowIsCountedOnceHoweverOftenItAsks(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	c := aCall("n", ada)
	for i := range 5 { // each a process that died behind its pass
		mustPass(t, gateOn(t, cells, capped(Cap{2, time.Hour})), c, noon.Add(time.Duration(i)*time.Minute))
	}
	mustPass(t, gateOn(t, cells, capped(Cap{2, time.Hour})), aCall("second", ada), noon.Add(5*time.Minute))
	// The window counts from the latest dial that may have rung.
	if until := mustKeep(t, gateOn(t, cells, capped(Cap{2, time.Hour})), aCall("third", ada), noon.Add(10*time.Minute), call.HeldCap); !until.Equal(noon.Add(64 * time.Minute)) {
		t.Errorf("kept until %s", until.Sub(noon))
	}
}

func TestWhatWasHeldOrRefusedConsumesAndExtendsNothing(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	g := gateOn(t, cells, capped(Cap{1, time.Hour}))
	mustPass(t, g, aCall("first", ada), noon)
	before := cells.dump()
	for i := range 59 { // a busy producer that asks each minute
		until := mustKeep(t, g, aCall(fmt.Sprint("n", i), ada), noon.Add(time.Duration(i+1)*time.Minute), call.HeldCap)
		if i >= 2 && !until.Equal(noon.Add(time.Hour)) {
			t.Fatalf("ask %d moved the end of the window to %s", i, until)
		}
	}
	if cells.dump() != before {
		t.Error("held calls changed a cell")
	}
	mustPass(t, g, aCall("after", ada), noon.Add(time.Hour))
}

func TestARingThatIsGivenBackCountsForNobody(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	g, other := gateOn(t, cells, capped(Cap{1, time.Hour})), gateOn(t, cells, capped(Cap{1, time.Hour}))
	c, waiting := aCall("refused", ada), aCall("waiting", ada)
	ticket := mustPass(t, g, c, noon)
	// While its answer is open it counts, and who is kept by it asks again soon: it may be given back.
	if until := mustKeep(t, other, waiting, noon.Add(10*time.Second), call.HeldCap); until.After(noon.Add(unsure)) {
		t.Errorf("kept until %s by a dial whose answer is not known yet", until.Sub(noon))
	}
	g.Return(t.Context(), c, ticket, noon.Add(20*time.Second))
	g.Return(t.Context(), c, ticket, noon.Add(20*time.Second))
	mustPass(t, other, waiting, noon.Add(unsure))
	mustKeep(t, g, c, noon.Add(unsure), call.HeldCap)
}

// Two processes pass for one row; one of them loses its write and gives back. The ring of the other stays.
func TestGivingBackTakesNothingOfAnotherProcess(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	a, b := gateOn(t, cells, capped(Cap{1, time.Hour}), slotted(1)), gateOn(t, cells, capped(Cap{1, time.Hour}), slotted(1))
	c := aCall("n", ada)
	mustPass(t, a, c, noon)
	lost := mustPass(t, b, c, noon)
	b.Return(t.Context(), c, lost, noon)
	mustKeep(t, a, aCall("other", ada), noon.Add(3*time.Minute), call.HeldCap)
	a.Return(t.Context(), c, "", noon.Add(3*time.Minute)) // it ended and never rang
	mustPass(t, b, aCall("other", ada), noon.Add(3*time.Minute))
}

func TestACapThatCannotBeMeantIsRefused(t *testing.T) {
	t.Parallel()
	if c, err := ParseCap("3 per 1h", time.ParseDuration); err != nil || c != (Cap{3, time.Hour}) {
		t.Errorf("%+v, %v", c, err)
	}
	for _, text := range []string{"", "3", "3 per", "per 1h", "0 per 1h", "-1 per 1h", "3x per 1h", "3 per 1s", "201 per 1h", "3 per 3000h", "+3 per 1h", "3.5 per 1h", "03 per 1h"} {
		if c, err := ParseCap(text, time.ParseDuration); err == nil {
			t.Errorf("%q is read as %+v", text, c)
		}
	}
}

// exceeded returns the most rings of any stretch of the cap's length.
func exceeded(c Cap, rings []time.Time) int {
	slices.SortFunc(rings, time.Time.Compare)
	most := 0
	for i, from := range rings {
		n := 0
		for _, at := range rings[i:] {
			if at.Before(from.Add(c.Per)) {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// storm lets many processes ask for one number at the same time, and returns how many rings there were.
func storm(t *testing.T, cells *shelf, c Cap) int {
	t.Helper()
	var all sync.WaitGroup
	var mu sync.Mutex
	passed := 0
	for worker := range 16 {
		g := gateOn(t, cells, capped(c))
		all.Go(func() {
			for i := range 4 {
				v, err := g.Pass(t.Context(), aCall(fmt.Sprint(worker, "-", i), ada), plainProfile, noon)
				if err == nil && v.Passes() {
					mu.Lock()
					passed++
					mu.Unlock()
				}
			}
		})
	}
	all.Wait()
	return passed
}

func TestACapHoldsForAllWhoAskAtOnce(t *testing.T) {
	t.Parallel()
	if n := storm(t, newShelf(), Cap{5, time.Hour}); n != 5 {
		t.Errorf("%d rings, want 5", n)
	}
	cells := newShelf()
	cells.fault = func(write int) (bool, bool) { return write%5 == 1, write%5 == 3 }
	if n := storm(t, cells, Cap{5, time.Hour}); n > 5 {
		t.Errorf("%d rings beside a store that fails, want at most 5", n)
	}
}

// Both read a number that nobody has rung yet; the one that writes second is not let through by what it has read.
func TestACapIsAskedAgainInTheWriteThatTakes(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	first, second := gateOn(t, cells, capped(Cap{1, time.Hour})), gateOn(t, cells, capped(Cap{1, time.Hour}))
	cells.meanwhile = func() { mustPass(t, first, aCall("first", ada), noon) }
	mustKeep(t, second, aCall("second", ada), noon, call.HeldCap)
}

func TestPlantedAStoreThatDoesNotCompareExceedsTheCap(t *testing.T) {
	t.Parallel()
	for range 50 {
		cells := newShelf()
		cells.naive = true
		if storm(t, cells, Cap{5, time.Hour}) > 5 {
			return
		}
	}
	t.Error("without compare-and-set the cap held 50 times: the test above proves nothing")
}

// Whatever is asked, given back, lost and asked again: no stretch holds more rings than the cap.
func TestNoStretchHoldsMoreRingsThanItsCap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		caps := []Cap{{rapid.IntRange(1, 3).Draw(rt, "most"), time.Hour}, {4, 5 * time.Hour}}
		cells := newShelf()
		faults := rapid.SliceOfN(rapid.IntRange(0, 9), 0, 40).Draw(rt, "faults")
		cells.fault = func(write int) (bool, bool) {
			if write >= len(faults) {
				return false, false
			}
			return faults[write] == 0, faults[write] == 1
		}
		g := gateOn(t, cells, capped(caps...))
		now := noon
		var rung []time.Time
		for range rapid.IntRange(1, 60).Draw(rt, "asks") {
			now = now.Add(time.Duration(rapid.IntRange(0, 1800).Draw(rt, "seconds")) * time.Second)
			c := aCall(fmt.Sprint("n", rapid.IntRange(0, 20).Draw(rt, "row"), "-", len(rung)), ada)
			v, err := g.Pass(t.Context(), c, plainProfile, now)
			switch {
			case err != nil:
			case v.Passes() && rapid.Bool().Draw(rt, "rings"):
				rung = append(rung, now)
			case v.Passes():
				g.Return(t.Context(), c, v.Ticket, now)
			case !v.Until.After(now):
				rt.Fatalf("kept until %s, which is not after now", v.Until)
			}
		}
		for _, c := range caps {
			if n := exceeded(c, slices.Clone(rung)); n > c.Most {
				rt.Fatalf("%d rings in %s, and %s is the cap", n, c.Per, c)
			}
		}
	})
}
