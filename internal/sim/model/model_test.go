package model

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
)

// smallBound is how many of the nearest states of a configuration the tests visit. make model visits all.
const smallBound = 60_000

func TestTheShippedProtocolBreaksNothingInTheNearestStates(t *testing.T) {
	t.Parallel()
	for _, c := range Configurations() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			c.Limit = smallBound
			r := Explore(c)
			if r.Found != "" {
				t.Errorf("%s: %s", r.Found, r.Detail)
				for _, line := range r.Story {
					t.Log(line)
				}
			}
		})
	}
}

func TestEveryVariantOfTheProtocolIsFoundAndTheControlIsClean(t *testing.T) {
	t.Parallel()
	named := map[Variant]bool{}
	for _, c := range Variants() {
		named[c.Variant] = true
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			r := Explore(c)
			for _, failure := range r.failures() {
				t.Error(failure)
			}
			if c.Breaks != "" && len(r.Story) == 0 {
				t.Error("it is found, and its story is not told")
			}
			if slices.Contains(r.Story, "(cannot be repeated)") {
				t.Error("its story cannot be repeated")
			}
		})
	}
	for _, id := range variantIDs() {
		if !named[id] {
			t.Errorf("variant %s of protocol.md is not planted", id)
		}
	}
}

// variantIDs lists the variants of protocol.md sections 15 and 16.
func variantIDs() []Variant {
	ids := []Variant{"N4a", "N4b", "N11a", "N11b", "N16", "N16b", "N16c"}
	for n := 1; n <= 25; n++ {
		if n != 4 && n != 11 && n != 16 {
			ids = append(ids, Variant(fmt.Sprintf("N%d", n)))
		}
	}
	for n := 1; n <= 32; n++ {
		ids = append(ids, Variant(fmt.Sprintf("R%d", n)))
	}
	return ids
}

func TestAVariantIsCleanWithoutItsDefect(t *testing.T) {
	t.Parallel()
	for _, c := range Variants() {
		switch c.Variant {
		case "N10", "N11b", "N13", "N16b": // a switch, a reading or an operator's act, which no step replaces
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			c.Variant, c.Limit = Shipped, smallBound
			if r := Explore(c); r.Found != "" {
				t.Errorf("the world of the variant breaks %s without the defect, so finding it proves nothing: %s", r.Found, r.Detail)
			}
		})
	}
}

func TestAKindThatIsNeverReachedIsReported(t *testing.T) {
	t.Parallel()
	if missing := newCoverage().missing(); len(missing) < 50 {
		t.Errorf("an exploration that did nothing misses only %v", missing)
	}
	r := Result{Config: &Config{Budget: Budget{Crash: 1}}, seen: newCoverage()}
	if got := r.unused(); !reflect.DeepEqual(got, []string{"crash"}) {
		t.Errorf("unused faults: %v", got)
	}
}

func TestALimitThatIsReachedIsAFailure(t *testing.T) {
	t.Parallel()
	c := Configurations()[0]
	c.Limit = 100
	r := Explore(c)
	if failures := r.failures(); !r.Partial || len(failures) != 1 {
		t.Errorf("partial %t, failures %v", r.Partial, failures)
	}
}
