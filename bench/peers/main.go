// Command peers measures, side by side in one run on one machine, how many idempotency keys a second ringonce and its neighbors accept once and
// durably, and how many repeats of the same keys they answer: DBOS Transact for Go on SQLite and PostgreSQL, River's unique insert on PostgreSQL,
// Powertools for AWS Lambda (TypeScript) on the same DynamoDB emulator.
//
//	go -C bench/peers run . [-items 10000] [-table-items 2000] [-lanes 32] [-rounds 3] [-time 4m] [-emulator dynalite|moto] [-only TEXT]
//
// It starts every server that it needs on loopback, from the package registries of Python and Node.js, and ends them. After each phase the keys are
// counted in the store itself, and what ran is counted where it ran: a system with a wrong count fails the run. It is a module of its own, so
// that the peers are no dependency of ringonce. docs/benchmarks.md has figures and what differs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
)

// settings are the flags.
type settings struct {
	items, tableItems, lanes, rounds int
	most                             time.Duration // of one phase
	emulator, only                   string
}

// The bounds of a run, whatever the flags say. A sweeper counts as alive for five minutes after its beat, which ringonce writes before each phase.
const (
	mostItems = 1_000_000
	mostLanes = 50 // as many connections as the client of Powertools keeps
	mostTime  = 4 * time.Minute
)

func main() {
	var s settings
	flag.IntVar(&s.items, "items", 10_000, "keys on SQLite and PostgreSQL")
	flag.IntVar(&s.tableItems, "table-items", 2_000, "keys on the DynamoDB emulator")
	flag.IntVar(&s.lanes, "lanes", 32, "askers at the same time, each with one request in flight")
	flag.IntVar(&s.rounds, "rounds", 3, "how often everything is measured; the table shows the median")
	flag.DurationVar(&s.most, "time", mostTime, "longest time of one phase")
	flag.StringVar(&s.emulator, "emulator", "dynalite", "dynalite or moto")
	flag.StringVar(&s.only, "only", "", "measure only systems whose store or name contains this")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := s.check(); err != nil {
		fmt.Fprintln(os.Stderr, "bench/peers:", err)
		os.Exit(2)
	}
	err := with(ctx, func(tb testing.TB) error {
		before := load()
		results, err := run(&place{tb: tb, emulator: s.emulator}, s, func(line string) { fmt.Fprintln(os.Stderr, line) })
		if err == nil {
			err = write(os.Stdout, s, results, before, load())
		}
		return err
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench/peers:", err)
		os.Exit(1)
	}
}

func (s settings) check() error {
	switch {
	case s.items < 1 || s.items > mostItems || s.tableItems < 1 || s.tableItems > mostItems:
		return fmt.Errorf("-items and -table-items must be 1 to %d", mostItems)
	case s.lanes < 1 || s.lanes > mostLanes:
		return fmt.Errorf("-lanes must be 1 to %d", mostLanes)
	case s.rounds < 1 || s.rounds > 100:
		return errors.New("-rounds must be 1 to 100")
	case s.most < time.Second || s.most > mostTime:
		return fmt.Errorf("-time must be 1s to %s", mostTime)
	case s.emulator != "dynalite" && s.emulator != "moto":
		return errors.New("-emulator must be dynalite or moto")
	}
	return nil
}

// run measures all systems in each round, every second time from the last to the first, so that none always comes before another and what is compared
// stays close together.
func run(where *place, s settings, tell func(line string)) ([]*result, error) {
	var results []*result
	for _, one := range systems() {
		if strings.Contains(one.store+" "+one.name, s.only) {
			results = append(results, &result{system: one})
		}
	}
	for round := range s.rounds {
		for i := range results {
			r := results[i]
			if round%2 == 1 {
				r = results[len(results)-1-i]
			}
			m, err := measure(where.tb.Context(), r.system, where, s)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", r.system.store, r.system.name, err)
			}
			r.rounds = append(r.rounds, m)
			tell(fmt.Sprintf("round %d, %-10s %-34s new %7.0f/s, again %7.0f/s", round+1, r.system.store, r.system.name, m.fresh.rate(), m.again.rate()))
		}
	}
	return results, nil
}
