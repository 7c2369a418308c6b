package main

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// measured is what the last recorded runs saw of a mutant.
type measured struct {
	By      string              `yaml:"by,omitempty"`      // the test that caught it
	Seconds float64             `yaml:"seconds,omitempty"` // on one of two cores, with its compilation
	Seeds   map[string]sighting `yaml:"seeds,omitempty"`   // by simulation
}

// record merges the verdicts into what was measured before, and writes it.
func (d *data) record(root string, verdicts []verdict) error {
	all := maps.Clone(d.measured)
	if all == nil {
		all = map[string]measured{}
	}
	for _, v := range verdicts {
		m := all[v.mutant.ID]
		if v.caught() {
			m.By, m.Seconds = v.by, math.Round(v.seconds*10)/10
		}
		if v.err == nil && len(v.seeds) > 0 {
			m.Seeds = v.seeds
		}
		all[v.mutant.ID] = m
	}
	known := map[string]bool{}
	for _, m := range d.mutants {
		known[m.ID] = true
	}
	maps.DeleteFunc(all, func(id string, _ measured) bool { return !known[id] })
	d.measured = all
	var text strings.Builder
	text.WriteString("# Written by `go run ./tools/mutate -record`; not edited by hand.\n")
	for _, id := range slices.Sorted(maps.Keys(all)) {
		one, err := yaml.Marshal(map[string]measured{id: all[id]})
		if err != nil {
			return fmt.Errorf("encode what was measured: %w", err)
		}
		text.Write(one)
	}
	path := filepath.Join(root, "tools", "mutate", filepath.FromSlash(measuredFile))
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		return fmt.Errorf("record what was measured: %w", err)
	}
	return nil
}
