package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/sim"
	"github.com/ringonce/ringonce/internal/sim/simrun"
)

// simulate runs the command and returns what it prints. Its processes live with the planted defect.
func simulate(t *testing.T, plant string, exit int, args ...string) (stdout, stderr string) {
	t.Helper()
	t.Setenv(plantVariable, plant)
	var out, complaint bytes.Buffer
	simulateInto(t, &out, &complaint, exit, args...)
	return out.String(), complaint.String()
}

func simulateInto(t *testing.T, out, complaint io.Writer, exit int, args ...string) {
	t.Helper()
	p := Process{Args: append([]string{"simulate"}, args...), Stdout: out, Stderr: complaint, LookupEnv: os.LookupEnv}
	if got := p.Run(t.Context()); got != exit {
		t.Fatalf("%v ends with %d, want %d:\n%s%s", args, got, exit, out, complaint)
	}
}

func TestASimulationOfSoundLivesSucceeds(t *testing.T) {
	stdout, stderr := simulate(t, "", ExitOK, "--seeds", "8", "--processes", "2")
	says(t, stdout, "light, 8 seeds from 1", "violations 0")
	if stderr != "" {
		t.Errorf("it complains: %s", stderr)
	}
}

// TestASimulationThatSeesADefectFails plants one, and follows the command that it gives.
func TestASimulationThatSeesADefectFails(t *testing.T) {
	stdout, stderr := simulate(t, "acknowledge", ExitRefused, "--seeds", "30", "--once", "--processes", "2", "--days", "50")
	says(t, stderr, "is not in the ledger", "replay with: ringonce simulate --world light --first")
	if strings.Contains(stdout, "violations             0\n") {
		t.Errorf("the summary has no violation:\n%s", stdout)
	}
	replay := regexp.MustCompile(`seed (\d+): (.*)\n(?:seed .*\n)*replay with: ringonce simulate (.*)\n`).FindStringSubmatch(stderr)
	if replay == nil {
		t.Fatalf("no seed and its command: %s", stderr)
	}
	stdout, stderr = simulate(t, "acknowledge", ExitRefused, strings.Fields(replay[3])...)
	says(t, stdout, "# seed "+replay[1]+", trace", "violations 1")
	if !strings.Contains(stderr, "seed "+replay[1]+": "+replay[2]) {
		t.Errorf("the replay of seed %s says something else than %q:\n%s", replay[1], replay[2], stderr)
	}
	stdout, _ = simulate(t, "acknowledge", ExitRefused, "--seeds", "1000", "--once", "--processes", "1", "--fail-fast", "--shorten", "--first", replay[1], "--days", "50")
	says(t, stdout, "# Seed "+replay[1]+":", "world light", "light, 1 seeds", "violations 1")
	stdout, _ = simulate(t, "acknowledge", ExitRefused, "--seeds", "1", "--once", "--first", replay[1], "--days", "50", "--json")
	var tally sim.Tally
	if err := json.Unmarshal([]byte(stdout), &tally); err != nil || len(tally.Failures) != 1 {
		t.Errorf("%v: %s", err, stdout)
	}
}

func TestASimulationSeesLivesOfASeedThatDiffer(t *testing.T) {
	_, stderr := simulate(t, "clock", ExitRefused, "--seeds", "4", "--processes", "1")
	says(t, stderr, "two lives of one seed differ:", "replay with:")
	simulate(t, "clock", ExitOK, "--seeds", "4", "--processes", "1", "--once") // nothing but the comparison can see it
}

func TestASimulationWhoseProcessEndsEarlyFails(t *testing.T) {
	_, stderr := simulate(t, "die", ExitEnvironment, "--seeds", "4", "--processes", "1", "--fail-fast")
	says(t, stderr, "The simulation ended early: seed 1:", "ended early", "planted: the process ends in the middle of a life")
}

// recorded keeps tallies as if the seeds had been lived, one range after the other, so that what the command makes of thousands of lives costs none.
func recorded(t *testing.T, tallies ...*sim.Tally) (file string) {
	t.Helper()
	var lines []byte
	first := uint64(1)
	for _, tally := range tallies {
		line, err := json.Marshal(simrun.Line{Plan: sim.Plan{World: sim.Light, Days: 60}, First: first, Count: tally.Seeds, Twice: true, Tally: tally})
		if err != nil {
			t.Fatal(err)
		}
		lines = append(append(lines, line...), '\n')
		first += uint64(tally.Seeds)
	}
	file = filepath.Join(t.TempDir(), "record.jsonl")
	if err := os.WriteFile(file, lines, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// rich is a tally of enough lives, which reached everything together.
func rich() *sim.Tally {
	tally := sim.NewTally()
	tally.Seeds, tally.Cornered, tally.Corners = enoughSeeds, enoughCorners, 1
	for _, name := range sim.Required() {
		tally.Counts[name] = 1
		if kind, fault := strings.CutPrefix(name, "fault "); fault {
			tally.Faults[kind] = 1
		}
	}
	return tally
}

func TestASimulationThatIsBlindFails(t *testing.T) {
	few := rich()
	few.Seeds--
	delete(few.Counts, "restored")
	for _, c := range []struct {
		name   string
		change func(*sim.Tally)
		exit   int
		want   []string
	}{
		{"it saw everything", func(*sim.Tally) {}, ExitOK, nil},
		{"the corner was never seen", func(t *sim.Tally) { t.Corners = 0 }, ExitRefused, []string{"80 lives under A1' with resend: token", "the simulation is blind there"}},
		{"too few lives for the corner", func(t *sim.Tally) { t.Corners, t.Cornered = 0, enoughCorners-1 }, ExitOK, nil},
		{"something was never reached", func(t *sim.Tally) { delete(t.Counts, "restored") }, ExitRefused, []string{"no life reached: restored"}},
		{"a kind of fault never struck", func(t *sim.Tally) { delete(t.Counts, "fault skew"); delete(t.Faults, "skew") }, ExitRefused, []string{"no life reached: fault skew"}},
		{"too few lives to reach everything", func(t *sim.Tally) { *t = *few }, ExitOK, nil},
		{"many seeds have findings", func(t *sim.Tally) {
			for seed := range uint64(mostFailures + 3) {
				t.Failures = append(t.Failures, sim.Failure{Seed: seed + 1, Findings: []string{"one", "two", "three", "four", "five"}})
			}
		}, ExitRefused, []string{"seed 10: four replay with: ringonce simulate --world light --first 10 --seeds 1 --days 60 --tell", "and 3 more seeds"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tally := rich()
			c.change(tally)
			file := recorded(t, tally)
			_, stderr := simulate(t, "die", c.exit, "--seeds", strconv.Itoa(tally.Seeds), "--record", file) // and lives none
			says(t, stderr, c.want...)
			if strings.Contains(stderr, "five") || (c.want == nil && stderr != "") {
				t.Errorf("it says too much:\n%s", stderr)
			}
		})
	}
}
