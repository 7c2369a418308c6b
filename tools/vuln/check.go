package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// Exit codes; findings is the code govulncheck itself uses for them in text mode.
const (
	clean    = 0
	broken   = 1
	findings = 3
)

// patience is how long the question for the database's date may take; behind a firewall that drops packets it never
// ends by itself.
const patience = 30 * time.Second

// dated stands before the database's date in the output of govulncheck -version, and is absent when govulncheck could
// not fetch it.
const dated = "DB updated:"

// fetching begins govulncheck's message when the database fails under it later.
const fetching = "fetching vulnerabilities"

// check returns the exit code of the command.
func check(ctx context.Context, govulncheck string, args []string, out io.Writer) int {
	reachable, err := probe(ctx, govulncheck)
	if err != nil {
		say(out, "vuln: govulncheck does not run: %v", err)
		return broken
	}
	if !reachable {
		return unreachable(out)
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, govulncheck, args...)
	cmd.Stdout, cmd.Stderr = out, io.MultiWriter(out, &stderr)
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return clean
	case errors.As(err, &exit) && exit.ExitCode() == findings:
		say(out, "vuln: known vulnerabilities are reachable from this module, see above")
		return findings
	case strings.Contains(stderr.String(), fetching):
		return unreachable(out)
	}
	say(out, "vuln: govulncheck failed: %v", err)
	return broken
}

// probe asks for the version, which names the database and, when it can be fetched, its date.
func probe(ctx context.Context, govulncheck string) (reachable bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, govulncheck, "-version").Output()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("%s -version: %w", govulncheck, err)
	}
	return strings.Contains(string(out), dated), nil
}

func unreachable(out io.Writer) int {
	say(out, "vuln: NOT CHECKED: the vulnerability database cannot be reached from here (GOVULNDB names another one)")
	return clean
}

// say writes a line to the terminal; where that fails there is nobody left to tell.
func say(out io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(out, format+"\n", args...) }
