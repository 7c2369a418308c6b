package rules

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// gated are cells whose reads wait, and count.
type gated struct {
	*shelf

	begun chan struct{}
	pass  chan error
}

func (g *gated) Cell(ctx context.Context, name string) (call.Cell, error) {
	g.begun <- struct{}{}
	if err := <-g.pass; err != nil {
		return call.Cell{}, err
	}
	return g.shelf.Cell(ctx, name)
}

func newGated() *gated {
	return &gated{shelf: newShelf(), begun: make(chan struct{}), pass: make(chan error)}
}

// waiting returns how many wait for the next read.
func waiting(s *peeks) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == nil {
		return 0
	}
	return s.next.asked
}

// until waits for what another goroutine does next.
func until(t *testing.T, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it never comes")
		}
	}
}

func TestWhoLooksTogetherReadsABucketOnceAndNeverAnOlderOne(t *testing.T) {
	t.Parallel()
	cells := newGated()
	pace := NewSharedPace(cells, "", 1, 1)
	waits := make(chan time.Duration, 9)
	look := func() {
		wait, _ := pace.Reserve("r", noon, -1)
		waits <- wait
	}
	go look()
	<-cells.begun
	for range 8 { // they ask after the first read was begun, so it is not theirs
		go look()
	}
	until(t, func() bool { return waiting(pace.peeksOf("r")) == 8 })
	cells.pass <- nil
	if wait := <-waits; wait != 0 {
		t.Errorf("the first one waits %s for a full bucket", wait)
	}
	<-cells.begun
	if _, ok := NewSharedPace(cells.shelf, "", 1, 1).Reserve("r", noon, 0); !ok { // another process takes the slot meanwhile
		t.Fatal("no slot")
	}
	cells.pass <- nil
	for range 8 {
		if wait := <-waits; wait != time.Second {
			t.Errorf("who asked later waits %s: the slot was taken before the read", wait)
		}
	}
}

func TestAReadOfABucketThatFailsIsTriedAgainAndThenEachIsPacedAlone(t *testing.T) {
	t.Parallel()
	cells := newGated()
	pace := NewSharedPace(cells, "", 1, 1)
	if _, ok := NewSharedPace(cells.shelf, "", 1, 1).Reserve("r", noon, 0); !ok {
		t.Fatal("no slot")
	}
	for name, errs := range map[string][]error{"twice": {errContended, errContended, nil}, "for good": {errContended, errContended, errContended}} {
		var running sync.WaitGroup
		var wait time.Duration
		running.Go(func() { wait, _ = pace.Reserve("r", noon, -1) })
		for _, err := range errs {
			<-cells.begun
			cells.pass <- err
		}
		running.Wait()
		if shared := wait == time.Second; shared != (errs[2] == nil) {
			t.Errorf("failed %s: it waits %s", name, wait)
		}
	}
}

func TestWhoGivesUpALookKeepsNobodyElseFromIt(t *testing.T) {
	t.Parallel()
	cells := newGated()
	s := newPeeks()
	first, other := make(chan error, 1), make(chan error, 1)
	look := func(ctx context.Context, told chan<- error) {
		_, err := s.look(ctx, cells, "pace/r")
		told <- err
	}
	go look(t.Context(), first)
	<-cells.begun
	ctx, giveUp := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go look(ctx, gone)
	until(t, func() bool { return waiting(s) == 1 })
	go look(t.Context(), other)
	until(t, func() bool { return waiting(s) == 2 })
	giveUp()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("who gave up got %v", err)
	}
	cells.pass <- nil
	<-cells.begun
	cells.pass <- nil
	if err := errors.Join(<-first, <-other); err != nil {
		t.Errorf("the others got %v", err)
	}
}

func TestALookSeesEachSlotThatAnotherProcessTakes(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	here, other := NewSharedPace(cells, "", 1, 1), NewSharedPace(cells, "", 1, 1)
	for i := range 4 {
		for range 2 { // what it remembers of the cell changes nothing
			if wait, ok := here.Reserve("r", noon, -1); ok || wait != time.Duration(i)*time.Second {
				t.Errorf("after %d slots: %s, %t", i, wait, ok)
			}
		}
		if _, ok := other.Reserve("r", noon, time.Hour); !ok {
			t.Fatal("no slot")
		}
	}
}
