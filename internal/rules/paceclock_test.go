package rules

import (
	"context"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// Three processes whose clocks are hours apart share one bucket for some minutes. One of them is repaired halfway. None waits for a clock, and
// together they dial no faster than one, but for a burst of each at most when it comes with a clock that is ahead of what the bucket knows.
func TestProcessesWhoseClocksDisagreeShareOneRate(t *testing.T) {
	t.Parallel()
	for seed := range uint64(5) {
		random := rand.New(rand.NewPCG(seed, 1))
		cells := newShelf()
		off := []time.Duration{6 * time.Hour, 0, -10 * time.Minute}
		var processes []*SharedPace
		for range off {
			processes = append(processes, NewSharedPace(cells, "", 2, 5))
		}
		now := noon
		dials, each := 0, make([]int, len(off))
		for now.Before(noon.Add(10 * time.Minute)) {
			if now = now.Add(time.Duration(random.Int64N(int64(300 * time.Millisecond)))); now.Sub(noon) > 5*time.Minute {
				off[0] = 0
			}
			i := random.IntN(len(off))
			wait, ok := processes[i].Reserve("r", now.Add(off[i]), 0)
			if wait > time.Second {
				t.Fatalf("process %d waits %s", i, wait)
			}
			if !ok {
				continue
			}
			dials++
			each[i]++
			if most := 5*len(off) + int(2*now.Sub(noon).Seconds()); dials > most {
				t.Fatalf("%d dials in %s, want at most %d", dials, now.Sub(noon), most)
			}
		}
		for i, n := range each {
			if n < dials/12 { // who is a little ahead of the others comes first
				t.Errorf("process %d dialed %d of %d", i, n, dials)
			}
		}
		if dials < 1100 {
			t.Errorf("%d dials in ten minutes", dials)
		}
	}
}

// silent is a store that died without a word.
type silent struct{ call.Cells }

func (silent) Cell(ctx context.Context, _ string) (call.Cell, error) {
	<-ctx.Done()
	return call.Cell{}, ctx.Err()
}

func TestAStoreThatAnswersNothingKeepsNobodyForLong(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pace := NewSharedPace(silent{}, "", 2, 5)
		for name, ask := range map[string]func(){
			"a slot": func() {
				if wait, ok := pace.Reserve("r", noon, 0); !ok || wait != 0 {
					t.Errorf("the process does not pace itself: %s %t", wait, ok)
				}
			},
			"a slot that comes back": func() { pace.Return("r", call.PaceSlot{At: noon}, noon) },
			"turns for many at once": func() {
				done := make(chan time.Duration)
				for range 20 {
					go func() { done <- pace.Join("r", noon, time.Minute, time.Second) }()
				}
				for range 20 {
					if wait := <-done; wait < time.Minute {
						t.Errorf("a turn in %s", wait)
					}
				}
			},
		} {
			began := time.Now()
			ask()
			if took := time.Since(began); took > paceTime {
				t.Errorf("%s took %s", name, took)
			}
		}
	})
}
