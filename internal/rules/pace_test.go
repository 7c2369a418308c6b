package rules

import (
	"sync"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// slotsIn returns how many slots many processes get at one instant.
func slotsIn(cells *shelf) int {
	var all sync.WaitGroup
	var mu sync.Mutex
	n := 0
	for range 12 {
		pace := NewSharedPace(cells, "", 2, 5)
		all.Go(func() {
			for range 5 {
				if _, ok := pace.Reserve("us-east-1", noon, 0); ok {
					mu.Lock()
					n++
					mu.Unlock()
				}
			}
		})
	}
	all.Wait()
	return n
}

func TestProcessesShareOneBucket(t *testing.T) {
	t.Parallel()
	if n := slotsIn(newShelf()); n != 5 {
		t.Errorf("%d slots of a burst of 5", n)
	}
}

func TestPlantedAStoreThatDoesNotCompareExceedsTheBurst(t *testing.T) {
	t.Parallel()
	for range 50 {
		cells := newShelf()
		cells.naive = true
		if slotsIn(cells) > 5 {
			return
		}
	}
	t.Error("without compare-and-set the burst held 50 times: the test above proves nothing")
}

func TestASharedSlotThatIsNotUsedIsGivenBack(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	a, b := NewSharedPace(cells, "", 1, 1), NewSharedPace(cells, "", 1, 1)
	if wait, ok := a.Reserve("r", noon, 0); !ok || wait != 0 {
		t.Fatal(wait, ok)
	}
	if wait, ok := b.Reserve("r", noon, -1); ok || wait != time.Second {
		t.Fatal(wait, ok)
	}
	b.Return("r", call.PaceSlot{At: noon}, noon)
	b.Return("r", call.PaceSlot{At: noon}, noon)
	if wait, ok := b.Reserve("r", noon, 0); !ok || wait != 0 {
		t.Fatal(wait, ok)
	}
}

func TestAProcessWithoutCellsPacesItself(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	cells.die(true)
	pace := NewSharedPace(cells, "", 2, 5)
	n := 0
	for range 20 {
		if _, ok := pace.Reserve("r", noon, 0); ok {
			n++
		}
	}
	if n != 5 {
		t.Errorf("%d slots of a burst of 5", n)
	}
}

func TestTheBucketsOfTwoOperationsAreTwo(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	dials, looks := NewSharedPace(cells, "", 1, 1), NewSharedPace(cells, "describe", 1, 1)
	others := NewSharedPace(cells, "describe", 1, 1) // another process
	if _, ok := dials.Reserve("us-east-1", noon, 0); !ok {
		t.Error("the first dial waits")
	}
	if _, ok := looks.Reserve("us-east-1", noon, 0); !ok {
		t.Error("a dial took the slot of a look")
	}
	if wait, ok := others.Reserve("us-east-1", noon, 0); ok || wait <= 0 {
		t.Errorf("two processes looked at once: wait %s", wait)
	}
}
