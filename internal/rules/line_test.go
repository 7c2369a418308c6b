package rules

import (
	"slices"
	"sync"
	"testing"
	"time"
)

// turns has processes join one line at one instant, each from many goroutines.
func turns(cells *shelf, processes, each int) (all []time.Duration) {
	var running sync.WaitGroup
	var mu sync.Mutex
	for range processes {
		pace := NewSharedPace(cells, "", 2, 5)
		for range each {
			running.Go(func() {
				wait := pace.Join("us-east-1", noon, time.Hour, 0)
				mu.Lock()
				defer mu.Unlock()
				all = append(all, wait)
			})
		}
	}
	running.Wait()
	slices.Sort(all)
	return all
}

func TestProcessesShareOneLine(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	all := turns(cells, 4, 50)
	for i, wait := range all {
		if want := time.Hour + time.Duration(i)*500*time.Millisecond; wait < want {
			t.Fatalf("place %d of %d comes after %s, want %s", i, len(all), wait, want)
		}
	}
	// A try that another process was quicker than is no write: how many there are is the scheduler's affair.
	if written := cells.cells["pace/line/us-east-1"].Version; written > int64(len(all)) {
		t.Errorf("%d writes for %d places", written, len(all))
	}
}

func TestWhoJoinsTogetherTakesPlacesInOneWrite(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	pace := NewSharedPace(cells, "", 2, 5)
	line := pace.line("r")
	line.turn <- struct{}{} // somebody takes a place
	var running sync.WaitGroup
	for range 40 {
		running.Go(func() { pace.Join("r", noon, time.Hour, 0) })
	}
	for line.wanted.Load() < 40 {
		time.Sleep(time.Millisecond)
	}
	<-line.turn
	running.Wait()
	if cells.sets != 1 || line.left != 0 || line.wanted.Load() != 0 {
		t.Errorf("%d writes, %d places left, %d wanted", cells.sets, line.left, line.wanted.Load())
	}
}

func TestWhoWaitsNoLongerThanADeliveryTakesNoPlaceOfTheSharedLine(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	pace := NewSharedPace(cells, "", 2, 5)
	for range 9 {
		pace.Join("r", noon, 0, 2*time.Second)
	}
	if cells.sets != 0 {
		t.Errorf("%d writes", cells.sets)
	}
	if wait := pace.Join("r", noon, 0, 2*time.Second); wait != 2500*time.Millisecond || cells.sets != 1 {
		t.Errorf("the tenth waits %s after %d writes", wait, cells.sets)
	}
}

func TestWithoutItsCellALineIsThatOfTheProcess(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	cells.die(true)
	pace := NewSharedPace(cells, "", 2, 1)
	for i := range 4 {
		if wait := pace.Join("r", noon, 0, -1); wait != time.Duration(i)*500*time.Millisecond {
			t.Errorf("place %d comes after %s", i, wait)
		}
	}
	if again := pace.Rejoin("r", noon, 0); again != 0 || pace.Ahead("r", noon) != 2*time.Second || pace.Interval() != 500*time.Millisecond {
		t.Errorf("again after %s, ahead %s", again, pace.Ahead("r", noon))
	}
}

func TestALineIsReadOnceAndWhatAnotherProcessTookIsSeenWhenItIsJoined(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	here, other := NewSharedPace(cells, "", 2, 1), NewSharedPace(cells, "", 2, 1)
	for i, pace := range []*SharedPace{here, here, here, other, here, other} {
		if wait, want := pace.Join("r", noon, time.Hour, 0), time.Hour+time.Duration(i)*500*time.Millisecond; wait != want {
			t.Errorf("place %d comes after %s, want %s", i, wait, want)
		}
	}
	if cells.reads != 2 || cells.sets != 8 { // two compares are lost, to one another
		t.Errorf("%d reads by two processes, %d writes for 6 places", cells.reads, cells.sets)
	}
}

func TestALineThatMayHaveBeenPrunedIsReadAgain(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	here, other := NewSharedPace(cells, "", 2, 1), NewSharedPace(cells, "", 2, 1)
	here.Join("r", noon, time.Hour, 0)
	later := noon.Add(4 * time.Hour)
	if n, err := cells.PruneCells(t.Context(), later, 9); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if wait := other.Join("r", later, time.Minute, 0); wait != time.Minute { // its version is that which this process knows
		t.Fatal(wait)
	}
	if wait := here.Join("r", later, 0, -1); wait != time.Minute+500*time.Millisecond {
		t.Errorf("the next place comes after %s, as if nobody were in the line", wait)
	}
}
