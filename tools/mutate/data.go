package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml"
)

//go:embed data/*.yaml
var embedded embed.FS

// The files of the data that hold no mutants.
const (
	variantsFile   = "data/variants.yaml"
	simulationFile = "data/simulation.yaml"
	measuredFile   = "data/measured.yaml"
)

// data is everything the tool knows.
type data struct {
	mutants     []mutant
	variants    []variant
	simulations []simulation
	measured    map[string]measured // by mutant
}

// load reads the data and checks it as far as that needs no source file.
func load(files fs.FS) (data, error) {
	var d data
	names, err := fs.Glob(files, "data/*.yaml")
	if err != nil {
		return d, fmt.Errorf("list the data: %w", err)
	}
	for _, name := range names {
		var err error
		switch name {
		case variantsFile:
			err = decode(files, name, &d.variants)
		case simulationFile:
			err = decode(files, name, &d.simulations)
		case measuredFile:
			err = decode(files, name, &d.measured)
		default:
			var more []mutant
			err = decode(files, name, &more)
			d.mutants = append(d.mutants, more...)
		}
		if err != nil {
			return d, err
		}
	}
	return d, d.check()
}

func decode(files fs.FS, name string, into any) error {
	text, err := fs.ReadFile(files, name)
	if err != nil {
		return fmt.Errorf("read the data: %w", err)
	}
	if err := yaml.UnmarshalWithOptions(text, into, yaml.Strict()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// check reports what is incomplete or doubled.
func (d data) check() error {
	var wrong []error
	report := func(id, what string) { wrong = append(wrong, fmt.Errorf("mutant %s: %s", id, what)) }
	seen := map[string]bool{}
	for _, m := range d.mutants {
		if m.ID == "" || strings.ContainsAny(m.ID, " ,|") || seen[m.ID] {
			report(m.ID, "the id is missing, used twice, or has a blank, a comma or a bar")
		}
		seen[m.ID] = true
		if !strings.HasSuffix(m.What, ".") || strings.ContainsAny(m.What, "|\n") {
			report(m.ID, "what goes wrong is one sentence on one line")
		}
		if m.Breaks == "" {
			report(m.ID, "it names no promise or invariant")
		}
		if len(m.Edits) == 0 || len(m.Tests) == 0 {
			report(m.ID, "it has no edit or no test")
		}
		for _, e := range m.Edits {
			if e.Old == "" || e.Old == e.New || !filepath.IsLocal(filepath.FromSlash(e.File)) || !strings.HasSuffix(e.File, ".go") || strings.HasSuffix(e.File, "_test.go") {
				report(m.ID, "an edit changes nothing, or is not of a Go file of this module that is no test")
			}
		}
	}
	return errors.Join(wrong...)
}

// mutate returns the changed files of a mutant, by their path from the root.
func (m mutant) mutate(root string) (map[string]string, error) {
	changed := map[string]string{}
	for _, e := range m.Edits {
		text, known := changed[e.File]
		if !known {
			content, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(e.File)))
			if err != nil {
				return nil, fmt.Errorf("mutant %s: %w", m.ID, err)
			}
			text = string(content)
		}
		if n := strings.Count(text, string(e.Old)); n != 1 {
			return nil, fmt.Errorf("mutant %s: its old text occurs %d times in %s instead of once:\n%s", m.ID, n, e.File, e.Old)
		}
		changed[e.File] = strings.Replace(text, string(e.Old), string(e.New), 1)
	}
	return changed, nil
}
