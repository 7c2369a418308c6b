package rules

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func abroad(c *GateConfig) { c.Countries = true }

func TestTheFirstCallToACountryIsToldOnceForEver(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	g := gateOn(t, cells, abroad)
	if v := pass(t, g, aCall("a", ada), noon); !v.Passes() || v.NewCountry != "JP" {
		t.Errorf("%+v", v)
	}
	for name, gate := range map[string]*Gate{"the same process": g, "after a restart": gateOn(t, cells, abroad)} {
		if v := pass(t, gate, aCall("b", ada), noon.Add(1000*24*time.Hour)); !v.Passes() || v.NewCountry != "" {
			t.Errorf("%s: %+v", name, v)
		}
	}
	if _, err := cells.PruneCells(t.Context(), noon.Add(1000*24*time.Hour), 100); err != nil {
		t.Fatal(err)
	}
	after := gateOn(t, cells, abroad)
	if v := pass(t, after, aCall("c", ada), noon); v.NewCountry != "" {
		t.Errorf("it is forgotten: %+v", v)
	}
	if v := pass(t, after, aCall("d", bob), noon); v.NewCountry != "GB" {
		t.Errorf("another country: %+v", v)
	}
	if v := pass(t, after, aCall("e", front), noon); v.NewCountry != "US" {
		t.Errorf("a region of a shared calling code: %+v", v)
	}
	if v := pass(t, gateOn(t, newShelf()), aCall("f", ada), noon); v.NewCountry != "" {
		t.Errorf("nobody wants to know: %+v", v)
	}
	if country := CountryOf("+870" + "773100000"); country != "+870" {
		t.Errorf("a network of no region is %s", country)
	}
}

// Once it is known, a country costs nothing more.
func TestACountryIsReadAndWrittenOnce(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	g := gateOn(t, cells, abroad)
	for n := range 5 {
		pass(t, g, aCall(fmt.Sprint("n", n), ada), noon)
	}
	if cells.reads != 2 || cells.sets != 1 { // the switches, and the country
		t.Errorf("%d reads, %d writes", cells.reads, cells.sets)
	}
	if v, err := g.Look(t.Context(), aCall("look", bob), plainProfile, noon); err != nil || v.NewCountry != "" || cells.sets != 1 {
		t.Errorf("a look tells or writes: %+v, %v", v, err)
	}
}

func TestOneOfManyProcessesTellsOfACountry(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	var told atomic.Int64
	var wg sync.WaitGroup
	for n := range 16 {
		g := gateOn(t, cells, abroad)
		wg.Go(func() {
			for i := range 4 {
				v, err := g.Pass(t.Context(), aCall(fmt.Sprint("n", n, "-", i), ada), plainProfile, noon)
				if err != nil {
					t.Error(err)
				}
				if v.NewCountry != "" {
					told.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if told.Load() != 1 {
		t.Errorf("it is told %d times", told.Load())
	}
}

// A lost answer is recognized as one's own, and never as that of another process at the same instant; a store that does not answer keeps no call.
func TestACountryIsToldAlsoWhereTheStoreFails(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	cells.fault = func(n int) (bool, bool) { return false, n == 1 }
	if v := pass(t, gateOn(t, cells, abroad), aCall("a", ada), noon); v.NewCountry != "JP" {
		t.Errorf("its answer was lost: %+v", v)
	}
	cells = newShelf()
	cells.fault = func(n int) (bool, bool) { return n == 1, false }
	other := gateOn(t, cells, abroad)
	cells.meanwhile = func() {
		cells.fault = nil
		if v := pass(t, other, aCall("b", ada), noon); v.NewCountry != "JP" {
			t.Errorf("the other one is first: %+v", v)
		}
		cells.fault = func(n int) (bool, bool) { return n == 2, false }
	}
	if v := pass(t, gateOn(t, cells, abroad), aCall("a", ada), noon); v.NewCountry != "" {
		t.Errorf("its write was lost, and another process was first: %+v", v)
	}
	cells = newShelf()
	g := gateOn(t, cells, abroad)
	mustPass(t, g, aCall("warm", ""), noon) // the switches are known
	cells.die(true)
	if v := pass(t, g, aCall("a", ada), noon); !v.Passes() || v.NewCountry != "JP" {
		t.Errorf("the store is away: %+v", v)
	}
	if v := pass(t, g, aCall("b", ada), noon); !v.Passes() || v.NewCountry != "" {
		t.Errorf("this process has told it: %+v", v)
	}
}

// Two calls of one process meet at a country: the second one does not wait for the write of the first, and one of them is told.
func TestNoCallWaitsForTheFirstOneToACountry(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	g := gateOn(t, cells, abroad)
	var second string
	cells.meanwhile = func() { second = pass(t, g, aCall("b", ada), noon).NewCountry }
	if first := pass(t, g, aCall("a", ada), noon).NewCountry; first != "" || second != "JP" {
		t.Errorf("the first call is told %q, the second one, which wrote before it, %q", first, second)
	}
}

func TestACallThatIsKeptMakesNoCountryKnown(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	g := gateOn(t, cells, abroad, capped(Cap{1, time.Hour}))
	if _, err := Pause(t.Context(), cells, Switch{Target: Target{Kind: TargetAll}, By: "a", At: noon, Why: "w"}); err != nil {
		t.Fatal(err)
	}
	if v := pass(t, g, aCall("a", ada), noon); v.NewCountry != "" {
		t.Errorf("%+v", v)
	}
	if _, err := Resume(t.Context(), cells, Switch{Target: Target{Kind: TargetAll}, At: noon}); err != nil {
		t.Fatal(err)
	}
	if v := pass(t, g, aCall("a", ada), noon.Add(time.Second)); v.NewCountry != "JP" {
		t.Errorf("%+v", v)
	}
}
