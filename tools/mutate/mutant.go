package main

import (
	"fmt"
	"strings"
)

// mutant is one deliberate bug.
type mutant struct {
	ID     string `yaml:"id"`     // of protocol.md sections 15 and 16, or a name of its own
	What   string `yaml:"what"`   // what goes wrong, in one sentence
	Breaks string `yaml:"breaks"` // promises (G) and invariants (I)
	Edits  []edit `yaml:"edits"`
	Tests  []test `yaml:"tests"` // that must see it, cheapest first
	Hangs  bool   `yaml:"hangs"` // a test that does not end counts as caught

	Unseen map[string]string `yaml:"unseen"` // by simulation: why it does not see the mutant; "any" for all of them
}

// edit replaces one text of one file. Old occurs in it exactly once.
type edit struct {
	File string `yaml:"file"` // from the root of the module
	Old  code   `yaml:"old"`
	New  code   `yaml:"new"`
}

// code is a piece of a Go file. In YAML, where tabs are no indentation, two leading spaces of a line stand for one tab.
type code string

// UnmarshalYAML reads a text and puts the tabs back.
func (c *code) UnmarshalYAML(unmarshal func(any) error) error {
	var text string
	if err := unmarshal(&text); err != nil {
		return err
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		rest := strings.TrimLeft(line, " ")
		lines[i] = strings.Repeat("\t", (len(line)-len(rest))/2) + rest
	}
	*c = code(strings.Join(lines, "\n"))
	return nil
}

// test is one run of `go test`: a package, and the pattern of the tests in it. In YAML it is "PACKAGE PATTERN".
type test struct {
	Package string
	Run     string // empty runs all
}

// UnmarshalYAML reads the one-line form.
func (t *test) UnmarshalYAML(unmarshal func(any) error) error {
	var text string
	if err := unmarshal(&text); err != nil {
		return err
	}
	t.Package, t.Run, _ = strings.Cut(text, " ")
	if !strings.HasPrefix(t.Package, "./") || strings.Contains(t.Run, " ") {
		return fmt.Errorf("the test %q is not of the form ./PACKAGE PATTERN", text)
	}
	return nil
}

// String returns the test as one would type it.
func (t test) String() string {
	if t.Run == "" {
		return "go test " + t.Package
	}
	return "go test -run '" + t.Run + "' " + t.Package
}
