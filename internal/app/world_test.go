package app_test

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/ringonce/ringonce/internal/call"
)

// The seeds of `make test`. RINGONCE_SEEDS asks for more of each test, RINGONCE_SEED for one.
const (
	defaultSeeds       = 320
	defaultSQLiteSeeds = 12
	defaultTableSeeds  = 60
)

// seeds returns the first seed and how many follow.
func seeds(t *testing.T, preset int) (first uint64, count int) {
	t.Helper()
	if text := os.Getenv("RINGONCE_SEED"); text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("RINGONCE_SEED is no number: %v", err)
		}
		return seed, 1
	}
	if text := os.Getenv("RINGONCE_SEEDS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			t.Fatalf("RINGONCE_SEEDS is no positive number: %q", text)
		}
		return 1, n
	}
	return 1, preset
}

// explore runs seeds in their own bubbles, on as many shards as pay off, and returns what they reached. Each finding is handed over
// with its seed; more reports false to stop early.
func explore(t *testing.T, plan plan, first uint64, count int, found func(seed uint64, findings []string) (more bool)) coverage {
	t.Helper()
	const shards = 2
	var mu sync.Mutex
	total, stopped := coverage{}, false
	t.Run("seeds", func(t *testing.T) {
		for shard := range uint64(shards) {
			t.Run(fmt.Sprintf("shard %d", shard), func(t *testing.T) {
				t.Parallel()
				for seed := first + shard; seed < first+uint64(count); seed += shards {
					mu.Lock()
					over := stopped
					mu.Unlock()
					if over {
						return
					}
					w := plan.live(t, seed)
					mu.Lock()
					total.add(w.coverage)
					if len(w.findings) > 0 && !found(seed, w.findings) {
						stopped = true
					}
					mu.Unlock()
				}
			})
		}
	})
	return total
}

// live plays one seed.
func (p plan) live(t *testing.T, seed uint64) *world {
	t.Helper()
	dir := t.TempDir()
	var w *world
	synctest.Test(t, func(t *testing.T) {
		w = newWorld(p, seed, dir)
		w.play(t.Context())
	})
	if os.Getenv("RINGONCE_SEED") != "" {
		t.Log(w.story)
	}
	return w
}

func complain(t *testing.T, name string) func(uint64, []string) bool {
	t.Helper()
	complaints := 0
	return func(seed uint64, findings []string) bool {
		for i, finding := range findings {
			if i == 6 {
				t.Errorf("seed %d: and %d more", seed, len(findings)-i)
				break
			}
			t.Errorf("seed %d: %s", seed, finding)
		}
		t.Errorf("replay with: RINGONCE_SEED=%d go test -run '^%s$' -v ./internal/app", seed, name)
		complaints++
		return complaints < 5
	}
}

func TestNoSeedRingsTwiceLosesARequestOrLies(t *testing.T) {
	t.Parallel()
	first, count := seeds(t, defaultSeeds)
	reached := explore(t, plan{}, first, count, complain(t, t.Name()))
	if count >= defaultSeeds {
		reached.require(t)
	}
	t.Log(reached)
}

func TestNoSeedDoesSoOnSQLite(t *testing.T) {
	t.Parallel()
	first, count := seeds(t, defaultSQLiteSeeds)
	reached := explore(t, plan{sqlite: true}, first, count, complain(t, t.Name()))
	if count >= defaultSQLiteSeeds && reached["restored"] == 0 {
		t.Error("no seed restored a ledger")
	}
	t.Log(reached)
}

// caught reports whether any of the default seeds sees the defect.
func (p plan) caught(t *testing.T) (seed uint64, finding string) {
	t.Helper()
	explore(t, p, 1, defaultSeeds, func(at uint64, findings []string) bool {
		if finding == "" {
			seed, finding = at, findings[0]
		}
		return false
	})
	return seed, finding
}

func TestEachPlantedDefectIsSeen(t *testing.T) {
	t.Parallel()
	for _, d := range defects() {
		t.Run(d.name, func(t *testing.T) {
			seed, finding := plan{defect: d}.caught(t)
			if finding == "" {
				t.Fatalf("%d seeds are blind to it", defaultSeeds)
			}
			t.Logf("seed %d: %s", seed, finding)
		})
	}
}

// allStates lists what a world must reach, beside its own marks.
func allStates() []string {
	var names []string
	for _, s := range call.States() {
		if !s.Final() {
			continue // a world ends when every call has
		}
		names = append(names, "state "+string(s))
	}
	return names
}
