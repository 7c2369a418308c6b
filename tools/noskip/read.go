package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// event is one line of `go test -json` (the documentation of cmd/test2json) or of the build that precedes it (go help
// buildjson).
type event struct {
	Action     string
	Package    string
	ImportPath string
	Test       string
	Output     string
	Elapsed    float64
}

// reader folds events into a summary and prints as it goes.
type reader struct {
	out io.Writer
	sum summary
	// held is the output of tests still running, by package and test: shown only for those that fail or skip.
	held map[string]*strings.Builder
	// errored tells a package that fails by itself (a panic outside a test, a build error) from one whose tests failed.
	errored map[string]bool
}

// read consumes the whole stream. Lines that are no JSON, such as the go command's own errors, are printed as they are
// and count as a failure of the run: they say something the events do not.
func read(in io.Reader, out io.Writer) (summary, error) {
	r := &reader{out: out, held: map[string]*strings.Builder{}, errored: map[string]bool{}}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			r.line(line)
		}
		if err == io.EOF {
			return r.sum, nil
		}
		if err != nil {
			return r.sum, fmt.Errorf("read the test output: %w", err)
		}
	}
}

func (r *reader) line(line string) {
	var e event
	if json.Unmarshal([]byte(line), &e) != nil {
		r.print(strings.TrimSuffix(line, "\n") + "\n")
		r.sum.stray++
		return
	}
	switch {
	case strings.HasPrefix(e.Action, "build-"):
		r.build(e)
	case e.Test == "":
		r.packageEvent(e)
	default:
		r.testEvent(e)
	}
}

func (r *reader) build(e event) {
	r.print(e.Output)
	if e.Action == "build-fail" {
		r.sum.failed = append(r.sum.failed, "build of "+e.ImportPath)
	}
}

// packageEvent prints what belongs to no test, among it go test's closing line, which others look for.
func (r *reader) packageEvent(e event) {
	switch e.Action {
	case "output":
		if e.Output != "PASS\n" {
			r.print(e.Output)
		}
	case "fail":
		if !r.errored[e.Package] {
			r.sum.failed = append(r.sum.failed, e.Package)
		}
	}
}

func (r *reader) testEvent(e event) {
	id := e.Package + "." + e.Test
	switch e.Action {
	case "output":
		if r.held[id] == nil {
			r.held[id] = &strings.Builder{}
		}
		r.held[id].WriteString(e.Output)
	case "pass":
		r.sum.passed++
		if !strings.Contains(e.Test, "/") {
			r.print(fmt.Sprintf("--- PASS: %s (%.2fs)\n", e.Test, e.Elapsed))
		}
		delete(r.held, id)
	case "fail":
		r.errored[e.Package] = true
		r.sum.failed = append(r.sum.failed, id)
		r.show(id)
	case "skip":
		r.sum.skipped = append(r.sum.skipped, id)
		r.show(id)
	}
}

// show prints and forgets what a test wrote.
func (r *reader) show(id string) {
	if text := r.held[id]; text != nil {
		r.print(text.String())
	}
	delete(r.held, id)
}

// print writes to the terminal; where that fails there is nobody left to tell.
func (r *reader) print(text string) { _, _ = io.WriteString(r.out, text) }
