package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// fate is how a run of tests ended.
type fate int

const (
	passed  fate = iota
	failed       // a test reported something
	hung         // the time limit passed
	empty        // no test ran
	unclear      // it failed and nothing says why
)

// outcome is a run with what it said.
type outcome struct {
	fate    fate
	by      string // failed: the first test that did
	output  string
	seconds float64
}

// goTool runs the go command in the root of a module, and what it builds.
type goTool struct {
	root  string
	limit time.Duration // of one run
}

// broken says that code does not compile.
type broken struct{ output string }

// Error returns the end of what the compiler said.
func (b broken) Error() string { return "it does not compile:\n" + tail(b.output) }

// build compiles a package with an overlay: its tests, or its command.
func (g goTool) build(ctx context.Context, verb []string, overlay, pkg, out string) error {
	args := append(slices.Clip(verb), "-ldflags=-s -w", "-overlay="+overlay, "-o="+out, pkg)
	said, err := g.run(ctx, g.root, nil, false, "go", args...)
	if err != nil {
		return err
	}
	if said.fate != passed {
		return broken{said.output}
	}
	if _, err := os.Stat(out); err != nil {
		return fmt.Errorf("%s has no tests", pkg)
	}
	return nil
}

// tests runs the compiled tests of a package and ends with the first that fails.
func (g goTool) tests(ctx context.Context, binary string, t test, env []string, atOnce bool) (outcome, error) {
	args := []string{"-test.failfast", "-test.timeout=" + g.limit.String()}
	if t.Run != "" {
		args = append(args, "-test.run="+t.Run)
	}
	return g.run(ctx, filepath.Join(g.root, filepath.FromSlash(t.Package)), env, atOnce, binary, args...)
}

// run runs a program and reads what it says on both outputs. That it exits with a failure is no error here.
func (g goTool) run(parent context.Context, dir string, env []string, atOnce bool, name string, args ...string) (outcome, error) {
	ctx, cancel := context.WithTimeout(parent, 3*g.limit) // the tests have their own limit
	defer cancel()
	command := exec.CommandContext(ctx, name, args...)
	// rapid would leave the failing case in testdata, that is in the tree.
	command.Dir, command.WaitDelay = dir, 5*time.Second
	command.Env = append(append(os.Environ(), "RAPID_NOFAILFILE=1"), env...)
	said := &listener{}
	if atOnce {
		said.failed = cancel
	}
	command.Stdout, command.Stderr = said, said
	begun := time.Now()
	err := command.Run()
	_, exited := errors.AsType[*exec.ExitError](err)
	switch {
	case parent.Err() != nil, err != nil && !exited && ctx.Err() == nil:
		return outcome{}, fmt.Errorf("%s %s: %w", filepath.Base(name), strings.Join(args, " "), errors.Join(err, parent.Err()))
	}
	out := judge(said.text.String(), err == nil)
	out.seconds = time.Since(begun).Seconds()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		out.fate = hung
	}
	return out, nil
}

// listener keeps what a program says, and tells when a test has failed.
type listener struct {
	mu     sync.Mutex
	text   bytes.Buffer
	failed func()
}

// Write implements io.Writer.
func (l *listener) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, err := l.text.Write(p)
	if l.failed != nil && failLine.Match(l.text.Bytes()) {
		l.failed()
	}
	return n, err
}

// failLine is what a test prints that failed, at the end of a line: only then it is whole.
var failLine = regexp.MustCompile(`(?m)^\s*--- FAIL: ([^\s/]+)\S* .*\n`)

// judge reads what tests said.
func judge(text string, ok bool) outcome {
	out := outcome{fate: passed, output: text}
	fails := failLine.FindStringSubmatch(text)
	switch {
	case strings.Contains(text, "panic: test timed out after "):
		out.fate = hung
	case len(fails) > 0:
		out.fate, out.by = failed, fails[1]
	case ok && strings.Contains(text, "no tests to run"):
		out.fate = empty
	case !ok && strings.Contains(text, "panic: "):
		out.fate, out.by = failed, "a panic beside the tests"
	case !ok:
		out.fate = unclear
	}
	return out
}

// tail returns the last lines of an output.
func tail(text string) string {
	const most = 25
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}

// moduleRoot returns the folder of the go.mod at or above a folder.
func moduleRoot(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("there is no go.mod here or above")
		}
		dir = parent
	}
}
