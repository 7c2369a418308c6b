package rules

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

func TestASlotIsFreedByTheEndOfItsContact(t *testing.T) {
	t.Parallel()
	g := gateOn(t, newShelf(), slotted(2))
	a, b, c := aCall("a", ada), aCall("b", bob), aCall("c", "+447700900002")
	mustPass(t, g, a, noon)
	mustPass(t, g, b, noon)
	until := mustKeep(t, g, c, noon.Add(time.Second), call.HeldConcurrency)
	if wait := until.Sub(noon.Add(time.Second)); wait < leastSlotWait || wait > mostSlotWait {
		t.Errorf("it waits for %s", wait)
	}
	g.Free(t.Context(), a, noon.Add(time.Minute))
	g.Free(t.Context(), a, noon.Add(time.Minute)) // the event was delivered twice
	mustPass(t, g, c, until)
	mustKeep(t, g, a, until, call.HeldConcurrency)
}

// The engine keeps the slot of a dial whose write may be in the ledger.
func TestACallWhoseSlotWasKeptPassesWithItAndCountsOnce(t *testing.T) {
	t.Parallel()
	g := gateOn(t, newShelf(), slotted(2))
	a, b, c := aCall("a", ada), aCall("b", bob), aCall("c", "+447700900002")
	mustPass(t, g, a, noon)
	mustPass(t, g, a, noon.Add(time.Minute)) // again, as its write was lost
	mustPass(t, g, b, noon.Add(time.Minute))
	mustPass(t, g, a, noon.Add(2*time.Minute)) // although all are taken
	mustKeep(t, g, c, noon.Add(2*time.Minute), call.HeldConcurrency)
	g.Free(t.Context(), a, noon.Add(3*time.Minute))
	mustPass(t, g, c, noon.Add(3*time.Minute))
}

func TestASlotOfAnotherRegionIsAnother(t *testing.T) {
	t.Parallel()
	g := gateOn(t, newShelf(), slotted(1))
	a, b := aCall("a", ada), aCall("b", bob)
	b.Target.Region = "eu-west-2"
	mustPass(t, g, a, noon)
	mustPass(t, g, b, noon)
}

func TestTheLeaseOfASlotIsRenewedByNothing(t *testing.T) {
	t.Parallel()
	g := gateOn(t, newShelf(), slotted(1), ruled(Policy{Lease: 10 * time.Minute}))
	mustPass(t, g, aCall("a", ada), noon)
	for i := range 9 {
		mustKeep(t, g, aCall("b", bob), noon.Add(time.Duration(i+1)*time.Minute), call.HeldConcurrency)
	}
	mustPass(t, g, aCall("b", bob), noon.Add(10*time.Minute))
}

func TestTheConcurrencyLimitHoldsForAllWhoAskAtOnce(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	var all sync.WaitGroup
	var mu sync.Mutex
	inUse, most := 0, 0
	for worker := range 12 {
		g := gateOn(t, cells, slotted(3))
		all.Go(func() {
			for i := range 20 {
				c := aCall(fmt.Sprint(worker, "-", i), fmt.Sprintf("+4477009%05d", worker))
				v, err := g.Pass(t.Context(), c, plainProfile, noon)
				if err != nil || !v.Passes() {
					continue
				}
				mu.Lock()
				inUse++
				most = max(most, inUse)
				mu.Unlock()
				runtime.Gosched()
				mu.Lock()
				inUse--
				mu.Unlock()
				g.Free(t.Context(), c, noon)
			}
		})
	}
	all.Wait()
	if most > 3 {
		t.Errorf("%d at once, want at most 3", most)
	}
	for i := range 3 {
		mustPass(t, gateOn(t, cells, slotted(3)), aCall(fmt.Sprint("end", i), ada), noon)
	}
}
