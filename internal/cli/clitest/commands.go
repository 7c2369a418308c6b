package clitest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// A Command is one word of a script.
type Command = func(ts *testscript.TestScript, neg bool, args []string)

// Commands returns the words that this package adds:
//
//	exits CODE PROGRAM ARG...       run a program and compare its exit code; stdout and stderr look at what it printed
//	expand FILE...                  replace $NAME in files by the script's variables
//	replace OLD NEW FILE            replace a text in a file
//	emulator [A1']                  serve the emulator; sets EMULATOR, EMULATOR_ADDR and MANAGEMENT
//	faults PLAN                     set the emulator's faults
//	configure JSON                  change the emulator's switches, as PUT /config does
//	rings N [NUMBER]                compare the number of rings the emulator heard, of all numbers or of one
//	serve REGEXP PROGRAM ARG...     start a program and wait until it printed a line that matches; sets SERVED to the address of its API
//	end [CODE]                      interrupt the served program (SIGTERM), wait for it, and compare its exit code with CODE, by default 0
//	ask METHOD PATH STATUS          send a request to the served program, at the address behind the word api of its output; stdout is the body
//	runtimeapi                      serve the Lambda Runtime API; sets AWS_LAMBDA_RUNTIME_API
//	invoke FILE                     hand an event to the function and wait; stdout is its response, stderr its error
func Commands() map[string]Command {
	return map[string]Command{
		"exits": exits, "expand": expand, "replace": replace, "emulator": emulator, "faults": faults, "configure": configure, "rings": rings, "serve": serve, "end": end,
		"runtimeapi": runtimeAPI, "invoke": invoke, "ask": ask,
	}
}

// Setup points every script at a state directory of its own and away from the configuration of the machine.
func Setup(env *testscript.Env) error {
	state := filepath.Join(env.WorkDir, "state")
	env.Setenv("XDG_STATE_HOME", state)
	env.Setenv("XDG_DATA_HOME", filepath.Join(env.WorkDir, "data-home"))
	env.Setenv("AWS_ACCESS_KEY_ID", "test")
	env.Setenv("AWS_SECRET_ACCESS_KEY", "test")
	env.Setenv("TZ", "UTC")
	return os.MkdirAll(state, 0o700)
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("run %s: %v", args[1], err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("%s ended with %d, not %d", strings.Join(args[1:], " "), got, want)
	}
}

func expand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: expand FILE...")
	}
	for _, file := range args {
		text := os.Expand(ts.ReadFile(file), ts.Getenv)
		ts.Check(os.WriteFile(ts.MkAbs(file), []byte(text), 0o600))
	}
}

func replace(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: replace OLD NEW FILE")
	}
	text := ts.ReadFile(args[2])
	if !strings.Contains(text, args[0]) {
		ts.Fatalf("%s does not hold %q", args[2], args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(strings.ReplaceAll(text, args[0], args[1])), 0o600))
}

// without returns args without a word, and whether it was there.
func without(args []string, word string) ([]string, bool) {
	i := slices.Index(args, word)
	if i < 0 {
		return args, false
	}
	return slices.Delete(slices.Clone(args), i, i+1), true
}
