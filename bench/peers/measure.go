package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"
)

// round is one measurement of a system.
type round struct{ fresh, again phase }

// result is a system with all its rounds.
type result struct {
	system system
	rounds []round
}

// measure opens a system on an empty store, asks for new keys and for the same keys again, and counts after each. As many keys as there are lanes are
// asked for before, unmeasured, so that connections are open and code is warm.
func measure(ctx context.Context, sys system, where *place, s settings) (r round, err error) {
	number := s.items
	if sys.store == onDynamoDB {
		number = s.tableItems
	}
	subject, err := sys.open(ctx, where)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, subject.close()) }()
	if _, err := subject.ask(ctx, 0, s.lanes, s.lanes); err != nil {
		return r, fmt.Errorf("warm up: %w", err)
	}
	for _, p := range []struct {
		name string
		into *phase
	}{{"new keys", &r.fresh}, {"the same keys again", &r.again}} {
		runtime.GC()
		limited, cancel := context.WithTimeout(ctx, s.most)
		*p.into, err = subject.ask(limited, s.lanes, number, s.lanes)
		cancel()
		if err != nil {
			return r, fmt.Errorf("%s: %w", p.name, err)
		}
		got, err := subject.kept(ctx)
		if err != nil {
			return r, fmt.Errorf("%s: count: %w", p.name, err)
		}
		if err := sys.judge(*p.into, p.into == &r.again, number, s.lanes+number, got); err != nil {
			return r, fmt.Errorf("%s: %w", p.name, err)
		}
		slices.Sort(p.into.times)
	}
	return r, nil
}

// judge compares what a phase of so many keys said, and what the store holds after it, with what must be: every key once.
func (sys system) judge(p phase, again bool, number, keys int, got tally) error {
	runs := 0
	if sys.works {
		runs = keys
	}
	switch {
	case len(p.times) != number:
		return fmt.Errorf("%d keys were asked for and %d were answered", number, len(p.times))
	case again && p.fresh > 0:
		return fmt.Errorf("%d of %d repeats were answered as new", p.fresh, number)
	case !again && p.old > 0:
		return fmt.Errorf("%d of %d new keys were answered as repeats", p.old, number)
	case got.rows != keys:
		return fmt.Errorf("%d keys were accepted and the store holds %d", keys, got.rows)
	case got.runs != runs:
		return fmt.Errorf("the work of %d keys was done %d times", runs, got.runs)
	}
	return nil
}

// rate returns answers a second.
func (p phase) rate() float64 { return float64(len(p.times)) / p.took.Seconds() }

// at returns a quantile of the sorted times in milliseconds.
func (p phase) at(q float64) float64 {
	return float64(p.times[int(q*float64(len(p.times)-1))]) / float64(time.Millisecond)
}

// each returns the microseconds of processor time for one answer.
func (p phase) each() float64 { return float64(p.cpu.Microseconds()) / float64(len(p.times)) }

// asked returns the requests to the emulator for one answer.
func (p phase) asked() float64 { return float64(p.requests) / float64(len(p.times)) }

// median returns the middle of what f makes of each round.
func (r *result) median(f func(round) float64) float64 {
	var all []float64
	for _, one := range r.rounds {
		all = append(all, f(one))
	}
	return middle(all)
}

func middle(all []float64) float64 {
	slices.Sort(all)
	if n := len(all); n%2 == 0 {
		return (all[n/2-1] + all[n/2]) / 2
	}
	return all[len(all)/2]
}
