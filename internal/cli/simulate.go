package cli

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/sim"
	"github.com/ringonce/ringonce/internal/sim/simrun"
)

// simulateCommand lives random lives of the whole program in virtual time. It needs no configuration and no account.
type simulateCommand struct {
	World     string   `default:"light" enum:"full,light" help:"full: SQLite, the SDK's client, the emulator. light: the ledger in memory and a telephone in the process, for volume."`
	Seeds     int      `default:"1000" help:"How many seeds to live."`
	First     uint64   `default:"1" help:"The first seed."`
	Lifetimes int      `default:"0" help:"Go on after --seeds until at least so many request lifetimes were met by three faults or more."`
	Days      int      `default:"60" help:"About how many virtual days the faults of a life last."`
	Reading   string   `default:"" enum:",A1,A1'" help:"Reading of the ClientToken for all lives; default: each its own."`
	Resend    string   `default:"" enum:",token,evidence,never" help:"Policy for an attempt whose answer was lost; default: each its own."`
	Faults    []string `placeholder:"KIND" help:"Kinds of faults that may happen, or none; default: all. Kinds: ${fault_kinds}."`
	Plain     bool     `help:"Nothing comes after a ring, and nothing keeps one: no outcomes, re-calls, lists, hours, caps and slots."`
	Wide      bool     `help:"Processes die at every effect, also in recoveries and at contact events, and clocks drift or are off by up to a year: another life of the same seed."`
	Requests  int      `default:"0" help:"How many requests each life has; default: 3 to 9, from the seed. A quarter of them are published at a time, so many wait together and share what goes wrong: another life of the same seed."`
	Once      bool     `help:"Live each seed once, instead of twice with the same trace."`
	Processes int      `default:"0" help:"How many processes; default: one for each core."`
	Record    string   `placeholder:"FILE" type:"path" help:"Keep what was lived in this file, and go on where it ends."`
	Tell      bool     `help:"Print what happened in each life: its setting, its acts and its story. For few seeds."`
	Shorten   bool     `help:"Shorten a life that the oracle has a finding for, and print it as a transcript."`
	FailFast  bool     `help:"End with the first life that the oracle has a finding for."`
	JSON      bool     `name:"json" help:"Print the summary as JSON."`
	Share     bool     `hidden:"" help:"Live the share that is read from standard input: a process of another simulate command."`
}

// Run implements the command: exit code 0 only when the oracle has no finding and the instruments were not blind.
func (c *simulateCommand) Run(ctx context.Context, env *environment) error {
	if c.Share {
		simrun.Serve(env.Stdin, env.Stdout, sim.Plant{}) // does not return
	}
	plan, err := c.plan()
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return failed("This program cannot find its own file: "+err.Error()+".", "Start it by its path.")
	}
	if c.Processes <= 0 {
		c.Processes = runtime.NumCPU()
	}
	record, err := simrun.OpenRecord(c.Record, plan, !c.Once)
	if err != nil {
		return failed("The record cannot be used: "+err.Error()+".", "Name another file with --record, or give the options that it was made with.")
	}
	bar := newSimulateBar(env.Stderr, c.Seeds)
	pool := simrun.Pool{
		Program: self, Arguments: []string{"ringonce", "simulate", "--share"}, Processes: c.Processes, Progress: bar.lived, Told: func(l simrun.Told) { c.tell(env, l) },
	}
	began := time.Now()
	total, err := c.live(ctx, record, pool, simrun.Job{Plan: plan, First: c.First, Count: c.Seeds, Twice: !c.Once, Tell: c.Tell, Shorten: c.Shorten, FailFast: c.FailFast})
	bar.end()
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return failed("The simulation ended early: "+err.Error()+".", "What was lived before is in the record, if there is one.")
	}
	return c.report(env, plan, total, time.Since(began))
}

// live lives the seeds, and more of them while too few lifetimes were met by faults.
func (c *simulateCommand) live(ctx context.Context, record *simrun.Record, pool simrun.Pool, j simrun.Job) (*sim.Tally, error) {
	total, err := record.Run(ctx, pool, j)
	for err == nil && total.Struck < c.Lifetimes && len(total.Failures) == 0 {
		j.First += uint64(j.Count) //nolint:gosec // a count is positive
		j.Count = stillToLive(total, c.Lifetimes, simrun.Stretch(c.World))
		var more *sim.Tally
		if more, err = record.Run(ctx, pool, j); err == nil {
			total.Add(more)
		}
	}
	return total, err
}

// stillToLive returns how many more seeds it takes until so many lifetimes were met, as far as the ones before tell, and at most a stretch.
func stillToLive(total *sim.Tally, lifetimes, stretch int) int {
	if total.Struck == 0 {
		return stretch
	}
	return min((lifetimes-total.Struck)*total.Seeds/total.Struck+1, stretch)
}

// mostRequests bounds the requests of one life: each key has ten numbers of its own, and there are 10,000.
const mostRequests = 500

// plan checks the options.
func (c *simulateCommand) plan() (sim.Plan, error) {
	p := sim.Plan{World: c.World, Days: c.Days, Reading: c.Reading, Resend: c.Resend, Plain: c.Plain, Wide: c.Wide, Requests: c.Requests}
	if c.Seeds < 1 || c.Days < 1 {
		return p, misused("There is nothing to simulate.", "Give --seeds and --days of 1 or more.")
	}
	if c.Requests < 0 || c.Requests > mostRequests {
		return p, misused(fmt.Sprintf("A life has at most %d requests.", mostRequests), "Give --requests between 1 and that, or leave it out.")
	}
	if c.Tell && c.Seeds > 100 {
		return p, misused("--tell prints hundreds of lines for each seed.", "Give --seeds of at most 100.")
	}
	if len(c.Faults) == 0 {
		return p, nil
	}
	p.Faults = []string{}
	for _, kind := range c.Faults {
		switch {
		case kind == "none":
		case !slices.Contains(sim.FaultKinds(), kind):
			return p, misused("There is no kind of fault "+kind+".", "Choose from "+strings.Join(sim.FaultKinds(), ", ")+".")
		default:
			p.Faults = append(p.Faults, kind)
		}
	}
	return p, nil
}

// tell prints a life.
func (c *simulateCommand) tell(env *environment, l simrun.Told) {
	if l.Transcript != "" {
		fmt.Fprintf(env.Stdout, "%s\n", l.Transcript)
		return
	}
	fmt.Fprintf(env.Stdout, "# seed %d, trace %s\n%s\n", l.Seed, l.Trace, l.Setting)
	for _, a := range l.Acts {
		fmt.Fprintln(env.Stdout, a)
	}
	fmt.Fprintf(env.Stdout, "\n%s\n", l.Story)
}
