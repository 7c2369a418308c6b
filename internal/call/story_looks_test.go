package call_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// TestLooksTakeNoPlaceFromCallsThatWait sweeps three rows at a time while nine placed calls were due before the one that waits: without contact
// events an account places more calls a minute than a sweep takes rows.
func TestLooksTakeNoPlaceFromCallsThatWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	keepsOutcomes(w)
	w.engine = w.start()
	for n := range 9 {
		w.deliver(request(fmt.Sprint("placed ", n), start))
	}
	w.clock.advance(170 * time.Second)
	w.phones.script = append(w.phones.script, waitsLong)
	w.deliver(request("waits", start))
	w.state("waits", 0, call.Received, "")
	w.clock.advance(time.Hour)
	swept := w.sweepOf(3)
	w.state("waits", 0, call.Placed, "")
	if swept.Due != 10 {
		t.Errorf("%d rows were taken, want the one that waits and nine looks", swept.Due)
	}
	if n := w.sweepOf(3).Due; n != 0 {
		t.Errorf("%d rows are due again at once", n)
	}
}

// TestLooksOfOneSweepAreBounded sees that a heap of looks neither takes the whole sweep nor is forgotten.
func TestLooksOfOneSweepAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	keepsOutcomes(w)
	w.engine = w.start()
	for n := range 9 {
		w.deliver(request(fmt.Sprint("placed ", n), start))
	}
	w.clock.advance(time.Hour)
	for _, want := range []int{4, 4, 1, 0} {
		if got := w.sweepOf(1).Due; got != want {
			t.Errorf("%d looks, want %d", got, want)
		}
	}
}
