package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// verdict is what became of one mutant.
type verdict struct {
	mutant  mutant
	test    test    // that caught it
	by      string  // the first test in it that did not pass
	seconds float64 // until then, compilation included
	seeds   map[string]sighting
	err     error // the data is wrong
}

func (v verdict) caught() bool { return v.err == nil && v.by != "" }

// campaign runs mutants against their tests.
type campaign struct {
	tool goTool
	jobs int
	bare *planting // the tree as it is

	mu   sync.Mutex
	done map[string]*baseline // what was run without a mutant; guarded by mu
}

// baseline is a run on the tree as it is. It is done once, whoever asks first.
type baseline struct {
	once sync.Once
	err  error
}

// without proves once that a run of this name passes without any mutant.
func (c *campaign) without(name string, run func() (outcome, error)) error {
	c.mu.Lock()
	if c.done == nil {
		c.done = map[string]*baseline{}
	}
	if c.done[name] == nil {
		c.done[name] = &baseline{}
	}
	b := c.done[name]
	c.mu.Unlock()
	b.once.Do(func() {
		out, err := run()
		switch {
		case err != nil:
			b.err = err
		case out.fate == empty:
			b.err = fmt.Errorf("%s: no test has such a name", name)
		case out.fate != passed:
			b.err = fmt.Errorf("%s does not pass without any mutant:\n%s", name, tail(out.output))
		}
	})
	return b.err
}

// all judges each mutant, several at a time, and tells the verdicts as they come.
func (c *campaign) all(
	ctx context.Context, mutants []mutant, judge func(context.Context, *planting, *verdict) error, tell func(verdict),
) (verdicts []verdict, err error) {
	if c.bare, err = plant(c.tool, mutant{}); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.bare.uproot()) }()
	verdicts = make([]verdict, len(mutants))
	waiting := make(chan int)
	var telling sync.Mutex
	var running sync.WaitGroup
	for range max(c.jobs, 1) {
		running.Go(func() {
			for i := range waiting {
				verdicts[i] = c.one(ctx, mutants[i], judge)
				telling.Lock()
				tell(verdicts[i])
				telling.Unlock()
			}
		})
	}
	for i := range mutants {
		waiting <- i
	}
	close(waiting)
	running.Wait()
	return verdicts, nil
}

func (c *campaign) one(ctx context.Context, m mutant, judge func(context.Context, *planting, *verdict) error) verdict {
	v := verdict{mutant: m}
	p, err := plant(c.tool, m)
	if err == nil {
		err = errors.Join(judge(ctx, p, &v), p.uproot())
	}
	if err != nil {
		v.err = fmt.Errorf("mutant %s: %w", m.ID, err)
	}
	return v
}

// byTests runs the tests of a mutant until one sees it.
func (c *campaign) byTests(ctx context.Context, p *planting, v *verdict) error {
	begun := time.Now()
	for _, t := range v.mutant.Tests {
		if err := c.without(t.String(), func() (outcome, error) { return c.bare.test(ctx, t, nil, true) }); err != nil {
			return err
		}
		if v.test == (test{}) {
			begun = time.Now()
		}
		v.test = t
		out, err := p.test(ctx, t, nil, true)
		if err != nil {
			return err
		}
		switch {
		case out.fate == failed:
			v.by = out.by
		case out.fate == hung && v.mutant.Hangs:
			v.by = "the time limit of " + t.Run
		case out.fate == passed, out.fate == hung:
			continue
		default:
			return fmt.Errorf("%s ended and no test says why:\n%s", t, tail(out.output))
		}
		v.seconds = time.Since(begun).Seconds()
		return nil
	}
	return nil
}
