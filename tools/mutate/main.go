package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"
)

// The exit codes.
const (
	exitSurvived = 1 // a mutant survived
	exitWrong    = 2 // the data or the command line is wrong
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// flags are the command line.
type flags struct {
	only     string
	quick    int
	rotate   int
	sim      bool
	record   bool
	markdown string
	into     string
	jobs     int
	limit    time.Duration
}

func parse(args []string, errs io.Writer) (flags, error) {
	var f flags
	set := flag.NewFlagSet("mutate", flag.ContinueOnError)
	set.SetOutput(errs)
	set.StringVar(&f.only, "only", "", "ids of the mutants to plant, separated by commas")
	set.IntVar(&f.quick, "quick", 0, "plant this many of those that are caught within 5 s")
	set.IntVar(&f.rotate, "rotate", 0, "which of them: another number, other mutants")
	set.BoolVar(&f.sim, "sim", false, "ask the simulations instead of the tests")
	set.BoolVar(&f.record, "record", false, "write what was measured into the data")
	set.StringVar(&f.markdown, "markdown", "", "write the tables of the proof to this file, and plant nothing")
	set.StringVar(&f.into, "into", "", "with -markdown: the page that gets the short table between its marks")
	set.IntVar(&f.jobs, "jobs", 2, "how many mutants are planted at a time")
	set.DurationVar(&f.limit, "limit", 2*time.Minute, "how long one run of tests may take")
	if err := set.Parse(args); err != nil {
		return f, fmt.Errorf("read the command line: %w", err)
	}
	if set.NArg() > 0 {
		return f, errors.New("mutate takes no arguments, only flags")
	}
	return f, nil
}

func run(ctx context.Context, args []string, out, errs io.Writer) int {
	f, err := parse(args, errs)
	if err == nil {
		var d data
		if d, err = load(embedded); err == nil {
			return start(ctx, f, d, out, errs)
		}
	}
	_, _ = fmt.Fprintln(errs, "mutate:", err)
	return exitWrong
}

// start does what the flags ask of the data, on the module of the working folder.
func start(ctx context.Context, f flags, d data, out, errs io.Writer) int {
	code, err := act(ctx, f, d, out)
	if err != nil {
		_, _ = fmt.Fprintln(errs, "mutate:", err)
		return exitWrong
	}
	return code
}

func act(ctx context.Context, f flags, d data, out io.Writer) (int, error) {
	if f.markdown != "" {
		if err := os.WriteFile(f.markdown, []byte(d.markdown()), 0o600); err != nil {
			return 0, fmt.Errorf("write the tables: %w", err)
		}
		if f.into != "" {
			return 0, d.insert(f.into)
		}
		return 0, nil
	}
	root, err := moduleRoot(".")
	if err != nil {
		return 0, err
	}
	chosen, err := d.choose(f)
	if err != nil {
		return 0, err
	}
	c := &campaign{tool: goTool{root: root, limit: f.limit}, jobs: f.jobs}
	judge := c.byTests
	if f.sim {
		judge = c.bySimulations(d.simulations)
	}
	verdicts, err := c.all(ctx, chosen, judge, func(v verdict) { tell(out, v) })
	if err != nil {
		return 0, err
	}
	if f.record {
		if err := d.record(root, verdicts); err != nil {
			return 0, err
		}
	}
	return summarize(out, verdicts), nil
}

// quickSeconds is how long a mutant of the quick mode may have taken when it was measured.
const quickSeconds = 5

// choose returns the mutants that the flags ask for.
func (d data) choose(f flags) ([]mutant, error) {
	if f.only != "" {
		var chosen []mutant
		for id := range strings.SplitSeq(f.only, ",") {
			i := slices.IndexFunc(d.mutants, func(m mutant) bool { return m.ID == id })
			if i < 0 {
				return nil, fmt.Errorf("there is no mutant %q", id)
			}
			chosen = append(chosen, d.mutants[i])
		}
		return chosen, nil
	}
	if f.quick <= 0 {
		return d.mutants, nil
	}
	var fast []mutant
	for _, m := range d.mutants {
		if was := d.measured[m.ID]; was.By != "" && was.Seconds <= quickSeconds {
			fast = append(fast, m)
		}
	}
	if len(fast) <= f.quick {
		return fast, nil
	}
	var chosen []mutant
	for i := range f.quick { // spread over the data, which is sorted by part
		chosen = append(chosen, fast[(i*len(fast)/f.quick+f.rotate)%len(fast)])
	}
	return chosen, nil
}
