package sim_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/cryptotest"
	"testing/synctest"

	"github.com/ringonce/ringonce/internal/sim"
)

// The seeds of `make test`. RINGONCE_SEEDS asks for more, RINGONCE_SEED for one.
const (
	lightSeeds   = 1000
	fullSeeds    = 40
	plantedSeeds = 1500
	plantedFull  = 200
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

// live lives one seed in a bubble of its own. Randomness of crypto is seeded for the whole process, so no test here is parallel.
func live(t *testing.T, p sim.Plan, seed uint64, dir string, tell bool) (l sim.Life) {
	t.Helper()
	cryptotest.SetGlobalRandom(t, seed)
	synctest.Test(t, func(t *testing.T) {
		var err error
		if l, err = p.Live(t.Context(), seed, filepath.Join(dir, "life"), tell); err != nil {
			t.Fatal(err)
		}
	})
	if err := os.RemoveAll(filepath.Join(dir, "life")); err != nil {
		t.Fatal(err)
	}
	return l
}

// twice lives a seed twice, and says when the traces differ.
func twice(t *testing.T, p sim.Plan, seed uint64, dir string, tell bool) (l sim.Life, differs string) {
	t.Helper()
	l = live(t, p, seed, dir, tell)
	if again := live(t, p, seed, dir, false); again.Trace != l.Trace {
		differs = fmt.Sprintf("seed %d: two lives of it differ: %s and %s", seed, l.Trace, again.Trace)
	}
	return l, differs
}

// explore lives seeds twice each and complains of every finding.
func explore(t *testing.T, p sim.Plan, first uint64, count int) *sim.Tally {
	t.Helper()
	tally, dir := sim.NewTally(), t.TempDir()
	for seed := first; seed < first+uint64(count) && len(tally.Failures) < 5; seed++ {
		l, differs := twice(t, p, seed, dir, count == 1)
		if differs != "" {
			t.Error(differs)
		}
		tally.AddLife(l)
		for i, finding := range l.Findings {
			if i == 4 {
				break
			}
			t.Errorf("seed %d: %s", seed, finding)
		}
		if len(l.Findings) > 0 {
			t.Errorf("replay with: RINGONCE_SEED=%d go test -run '^%s$' -v ./internal/sim", seed, t.Name())
		}
		if count == 1 {
			t.Logf("%s\n%v\n%s", l.Setting, l.Acts, l.Story)
		}
	}
	return tally
}

func TestNoSeedRingsTwiceLosesARequestOrLies(t *testing.T) {
	first, count := seeds(t, lightSeeds)
	tally := explore(t, sim.Plan{World: sim.Light, Days: 60}, first, count)
	if count >= lightSeeds {
		for _, name := range tally.Missing(sim.Required()) {
			t.Errorf("no seed reached: %s", name)
		}
	}
	t.Logf("%d lifetimes, %d met by three faults\n%s", tally.Lifetimes, tally.Struck, tally.Faults)
}

func TestNoSeedDoesSoWithSQLiteTheSDKAndTheEmulator(t *testing.T) {
	first, count := seeds(t, fullSeeds)
	tally := explore(t, sim.Plan{World: sim.Full, Days: 60}, first, count)
	if count >= fullSeeds && (tally.Counts["restored"] == 0 || tally.Counts["audited"] == 0) {
		t.Error("no seed restored a ledger, or none was audited")
	}
	if count >= fullSeeds && tally.Counts["killed with a log"] == 0 {
		t.Error("no seed killed a process whose log the next one had to recover")
	}
	t.Logf("%d lifetimes, %d met by three faults, stops %d held %d\n%s", tally.Lifetimes, tally.Struck, tally.Counts["stops"], tally.Counts["event held"], tally.Faults)
}

// TestThePromisedCornerIsFound asks under A1' with resend: token. A simulation that never sees the second ring there is blind.
func TestThePromisedCornerIsFound(t *testing.T) {
	for _, world := range []string{sim.Light, sim.Full} {
		p, dir := sim.Plan{World: world, Days: 30, Reading: "A1'", Resend: "token"}, t.TempDir()
		for seed := uint64(1); ; seed++ {
			l := live(t, p, seed, dir, false)
			if len(l.Findings) > 0 {
				t.Fatalf("%s seed %d: %s", world, seed, l.Findings[0])
			}
			if l.Counts[sim.Corner] > 0 {
				t.Logf("%s: seed %d", world, seed)
				break
			}
			if seed == 200 {
				t.Fatalf("%s: 200 seeds are blind to it", world)
			}
		}
	}
}

func TestEachPlantedDefectIsSeen(t *testing.T) {
	for _, d := range plants() {
		t.Run(d.name, func(t *testing.T) { seeDefect(t, d) })
	}
}

// seeDefect lives seeds with a defect until one sees it.
func seeDefect(t *testing.T, d planted) {
	t.Helper()
	seed, finding := firstSight(t, sim.Plan{World: sim.Light, Days: 60}, d, plantedSeeds)
	if finding == "" {
		t.Fatalf("%d seeds do not see %q", plantedSeeds, d.sees)
	}
	t.Logf("seed %d: %s", seed, finding)
	if !d.full {
		return
	}
	if seed, finding = firstSight(t, sim.Plan{World: sim.Full, Days: 60}, d, plantedFull); finding == "" {
		t.Fatalf("%d full seeds do not see %q", plantedFull, d.sees)
	}
	t.Logf("full seed %d: %s", seed, finding)
}

// firstSight returns the first seed whose findings show the defect.
func firstSight(t *testing.T, p sim.Plan, d planted, most int) (seed uint64, finding string) {
	t.Helper()
	dir := t.TempDir()
	for seed := uint64(1); seed <= uint64(most); seed++ {
		p.Plant = d.plant()
		for _, finding := range live(t, p, seed, dir, false).Findings {
			if strings.Contains(finding, d.sees) {
				return seed, finding
			}
		}
	}
	return 0, ""
}
