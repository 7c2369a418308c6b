package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/ringonce/ringonce/internal/sim"
)

// simulateBar shows how far a simulation is, on a terminal only.
type simulateBar struct{ bar *progressbar.ProgressBar }

func newSimulateBar(w io.Writer, seeds int) simulateBar {
	if terminalSize(w) == nil {
		return simulateBar{}
	}
	return simulateBar{progressbar.NewOptions(seeds, progressbar.OptionSetWriter(w), progressbar.OptionShowCount(), progressbar.OptionShowIts(),
		progressbar.OptionSetItsString("seeds"), progressbar.OptionSetPredictTime(true), progressbar.OptionClearOnFinish())}
}

func (b simulateBar) lived(t *sim.Tally) {
	if b.bar != nil {
		_ = b.bar.Add(t.Seeds) // a bar that cannot be drawn is no reason to stop
	}
}

func (b simulateBar) end() {
	if b.bar != nil {
		_ = b.bar.Finish() // as above
	}
}

// report prints the summary and decides how the command ends.
func (c *simulateCommand) report(env *environment, plan sim.Plan, t *sim.Tally, took time.Duration) error {
	blind := t.Cornered >= enoughCorners && t.Corners == 0 && plan.Faults == nil
	if c.JSON {
		encoder := json.NewEncoder(env.Stdout)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(t); err != nil {
			return err
		}
	} else {
		c.print(env.Stdout, t, took)
	}
	for i, f := range t.Failures {
		if i == mostFailures {
			fmt.Fprintf(env.Stderr, "and %d more seeds\n", len(t.Failures)-i)
			break
		}
		for _, finding := range f.Findings[:min(len(f.Findings), 4)] {
			fmt.Fprintf(env.Stderr, "seed %d: %s\n", f.Seed, finding)
		}
		fmt.Fprintf(env.Stderr, "replay with: %s\n", c.replay(f.Seed))
	}
	if blind {
		fmt.Fprintf(env.Stderr, "%d lives under A1' with resend: token, and none shows the promised corner: the simulation is blind there\n", t.Cornered)
	}
	missing := c.missing(plan, t)
	for _, name := range missing {
		fmt.Fprintf(env.Stderr, "no life reached: %s\n", name)
	}
	if len(t.Failures) > 0 || blind || len(missing) > 0 {
		return ended(ExitRefused)
	}
	return nil
}

const (
	mostFailures  = 10
	enoughCorners = 80   // lives in which the corner must have been seen
	enoughSeeds   = 2000 // light lives that must have reached everything together, or all that is plain
	enoughFull    = 1000 // full lives that must have reached nearly everything
)

// missing returns what a run of many seeds and all faults must have reached, and did not.
func (c *simulateCommand) missing(plan sim.Plan, t *sim.Tally) []string {
	switch chosen := plan.Faults != nil || plan.Reading != "" || plan.Resend != ""; {
	case chosen:
		return nil
	case plan.World == sim.Full && !plan.Plain && t.Seeds >= enoughFull:
		return t.Missing(sim.RequiredFull())
	case plan.World == sim.Light && plan.Plain && t.Seeds >= enoughSeeds:
		return t.Missing(sim.RequiredPlain())
	case plan.World == sim.Light && plan.Wide && t.Seeds >= enoughSeeds:
		return t.Missing(sim.RequiredWide())
	case plan.World == sim.Light && !plan.Plain && t.Seeds >= enoughSeeds:
		return t.Missing(sim.Required())
	}
	return nil
}

// replay is the command that lives one seed again and tells its story.
func (c *simulateCommand) replay(seed uint64) string {
	var command strings.Builder
	fmt.Fprintf(&command, "ringonce simulate --world %s --first %d --seeds 1 --days %d --tell", c.World, seed, c.Days)
	if c.Reading != "" {
		fmt.Fprintf(&command, " --reading %q", c.Reading)
	}
	if c.Resend != "" {
		command.WriteString(" --resend " + c.Resend)
	}
	if c.Plain {
		command.WriteString(" --plain")
	}
	if c.Wide {
		command.WriteString(" --wide")
	}
	if c.Requests > 0 {
		fmt.Fprintf(&command, " --requests %d", c.Requests)
	}
	for _, kind := range c.Faults {
		command.WriteString(" --faults " + kind)
	}
	return command.String()
}

// print writes the summary.
func (c *simulateCommand) print(w io.Writer, t *sim.Tally, took time.Duration) {
	line := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%-22s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("world", "%s, %d seeds from %d, trace sum %016x", c.World, t.Seeds, c.First, t.Traces)
	line("took", "%s, %.1f seeds/s", took.Round(time.Millisecond), float64(t.Seeds)/max(took.Seconds(), 1e-9))
	line("virtual time", "%.1f years", t.Years)
	line("request lifetimes", "%d, of which at least three faults met %d", t.Lifetimes, t.Struck)
	line("deliveries", "%d", t.Deliveries)
	line("rings", "%d", t.Rings)
	line("in doubt at the end", "%d", t.Doubts)
	line("promised corner", "%d of %d lives under A1' with resend: token", t.Corners, t.Cornered)
	for _, kind := range slices.Sorted(maps.Keys(t.Faults)) {
		line("fault "+kind, "%d", t.Faults[kind])
	}
	line("violations", "%d", len(t.Failures))
}
