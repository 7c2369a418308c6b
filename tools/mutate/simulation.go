package main

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// simulation is a simulated world that is asked for the first seed that sees a mutant. Exactly one of Test and Program is given.
type simulation struct {
	Name    string   `yaml:"name"`    // the title of its column
	Seeds   int      `yaml:"seeds"`   // how many it lives
	Test    test     `yaml:"test"`    // a test of the world
	Program []string `yaml:"program"` // or a command of this module with its arguments, whose exit code says whether a seed failed
	Env     []string `yaml:"env"`
	Found   string   `yaml:"found"` // what it prints of a failing seed, whose number is the first group

	// After names a simulation further up. This one is asked for what that one sees, all of which it has to see too, and for nothing else.
	After string `yaml:"after"`

	// Blind says by the beginning of a path what no seed of this simulation can see, and why.
	Blind []blindness `yaml:"blind"`
}

type blindness struct {
	Path   string `yaml:"path"`
	Reason string `yaml:"reason"`
}

// sighting is what a simulation saw of a mutant.
type sighting struct {
	Seed  int `yaml:"seed,omitempty"`  // the first that fails; zero for none
	Seeds int `yaml:"seeds,omitempty"` // how many were asked for
}

// blind returns why the simulation need not see the mutant, empty when it must.
func (s simulation) blind(m mutant) string {
	return cmp.Or(m.Unseen[s.Name], m.Unseen["any"], s.blindPath(m))
}

// blindPath returns why no seed can see what is in the file of the mutant, empty when one may.
func (s simulation) blindPath(m mutant) string {
	for _, b := range s.Blind {
		if strings.HasPrefix(m.Edits[0].File, b.Path) {
			return b.Reason
		}
	}
	return ""
}

// bySimulations asks every simulation for the first seed that sees the mutant, unless it cannot see it or need not.
func (c *campaign) bySimulations(all []simulation) func(context.Context, *planting, *verdict) error {
	return func(ctx context.Context, p *planting, v *verdict) error {
		v.seeds = map[string]sighting{}
		for _, s := range all {
			if s.After != "" && v.seeds[s.After].Seed == 0 || s.blindPath(v.mutant) != "" {
				continue
			}
			if err := c.without("simulation "+s.Name, func() (outcome, error) { return s.run(ctx, c.bare) }); err != nil {
				return err
			}
			seen, err := s.live(ctx, p)
			if err != nil {
				return fmt.Errorf("simulation %s: %w", s.Name, err)
			}
			v.seeds[s.Name] = seen
		}
		return nil
	}
}

// run lives the seeds.
func (s simulation) run(ctx context.Context, p *planting) (outcome, error) {
	if len(s.Program) > 0 {
		return p.program(ctx, s.Program, s.Env)
	}
	return p.test(ctx, s.Test, s.Env, false)
}

func (s simulation) live(ctx context.Context, p *planting) (sighting, error) {
	seen := sighting{Seeds: s.Seeds}
	out, err := s.run(ctx, p)
	if err != nil {
		return seen, err
	}
	found, err := regexp.Compile(s.Found)
	if err != nil {
		return seen, fmt.Errorf("read what a failing seed looks like: %w", err)
	}
	for _, match := range found.FindAllStringSubmatch(out.output, -1) {
		if seed, err := strconv.Atoi(match[1]); err == nil && (seen.Seed == 0 || seed < seen.Seed) {
			seen.Seed = seed
		}
	}
	if out.fate != passed && seen.Seed == 0 {
		return seen, fmt.Errorf("it does not pass and names no seed:\n%s", tail(out.output))
	}
	return seen, nil
}
