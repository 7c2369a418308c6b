package simrun

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/ringonce/ringonce/internal/sim"
)

// mostTries bounds how many lives a transcript costs.
const mostTries = 1500

// shorten makes a transcript of a life with a finding: as short as it can be with the oracle still saying the same. A life whose acts alone do not
// show it, because its sources' luck was part of it, is written down as it was.
func (s Share) shorten(t *testing.T, l sim.Life, dir string) string {
	kind := sim.Kind(l.Findings[0])
	fails := func(acts []sim.Act) bool {
		var findings []string
		synctest.Test(t, func(*testing.T) {
			findings = s.Plan.Relive(context.Background(), l.Setting, l.Seed, filepath.Join(dir, "again"), acts)
		})
		return slices.ContainsFunc(findings, func(f string) bool { return sim.Kind(f) == kind })
	}
	acts := l.Acts
	comment := fmt.Sprintf("Seed %d: %s", l.Seed, l.Findings[0])
	if fails(acts) {
		acts = sim.Shrink(acts, mostTries, fails)
	} else {
		comment += "\nIts acts alone do not show this; replay the seed."
	}
	return sim.NewScript(comment, l.Setting, acts)
}
