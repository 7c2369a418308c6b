package clitest

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// patience bounds how long a script waits for a program; a hang is reported with what the program printed.
const patience = 60 * time.Second

// served is a program that keeps running beside the script.
type served struct {
	command *exec.Cmd
	exited  chan struct{} // closed when the program has ended
	err     error         // of Wait

	mu      sync.Mutex
	changed chan struct{} // closed and replaced at each write
	stdout  bytes.Buffer
	stderr  bytes.Buffer
}

// stream is one of the two outputs.
type stream struct {
	s  *served
	to *bytes.Buffer
}

// Write implements io.Writer.
func (w stream) Write(p []byte) (int, error) {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	close(w.s.changed)
	w.s.changed = make(chan struct{})
	return w.to.Write(p)
}

// printed returns everything printed so far and a channel that closes when there is more.
func (s *served) printed() (stdout, stderr string, more <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stdout.String(), s.stderr.String(), s.changed
}

func serve(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: serve REGEXP PROGRAM ARG...")
	}
	ready, err := regexp.Compile(args[0])
	ts.Check(err)
	s := &served{exited: make(chan struct{}), changed: make(chan struct{})}
	s.command = exec.Command(programOf(ts, args[1]), args[2:]...)
	s.command.Dir, s.command.Env = ts.MkAbs("."), environ(ts)
	s.command.Stdout, s.command.Stderr = stream{s, &s.stdout}, stream{s, &s.stderr}
	ts.Check(s.command.Start())
	go func() {
		defer close(s.exited)
		s.err = s.command.Wait()
	}()
	stateOf(ts).served = s
	ts.Defer(func() {
		_ = s.command.Process.Kill()
		<-s.exited
	})
	timeout := time.After(patience)
	for {
		stdout, stderr, more := s.printed()
		if ready.MatchString(stdout + stderr) {
			if at := apiAddress.FindStringSubmatch(stdout); at != nil {
				ts.Setenv("SERVED", at[1])
			}
			return
		}
		select {
		case <-more:
		case <-s.exited:
			ts.Fatalf("%s ended before it was ready: %s%s", args[1], stdout, stderr)
		case <-timeout:
			ts.Fatalf("%s is not ready: %s%s", args[1], stdout, stderr)
		}
	}
}

func end(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 {
		ts.Fatalf("usage: end [CODE]")
	}
	want := 0
	if len(args) == 1 {
		var err error
		want, err = strconv.Atoi(args[0])
		ts.Check(err)
	}
	s := stateOf(ts).served
	if s == nil {
		ts.Fatalf("serve a program first")
	}
	ts.Check(s.command.Process.Signal(syscall.SIGTERM))
	select {
	case <-s.exited:
	case <-time.After(patience):
		ts.Fatalf("the program does not end")
	}
	got := 0
	if exit, ok := errors.AsType[*exec.ExitError](s.err); ok {
		got = exit.ExitCode()
	}
	stdout, stderr, _ := s.printed()
	_, err := io.WriteString(ts.Stdout(), stdout)
	ts.Check(err)
	_, err = io.WriteString(ts.Stderr(), stderr)
	ts.Check(err)
	if got != want {
		ts.Fatalf("the program ended with %d, not %d: %s%s", got, want, stdout, stderr)
	}
}

// programOf finds a program on the script's own path.
func programOf(ts *testscript.TestScript, name string) string {
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path
		}
	}
	ts.Fatalf("there is no program %s", name)
	return ""
}

// passed are the variables of the script that a served program sees.
var passed = []string{"PATH", "HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "TZ", "TMPDIR", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_LAMBDA_RUNTIME_API", "AWS_LAMBDA_FUNCTION_NAME", "RINGONCE_CONFIG"}

func environ(ts *testscript.TestScript) []string {
	var env []string
	for _, name := range passed {
		if value := ts.Getenv(name); value != "" || strings.HasPrefix(name, "RINGONCE_") {
			env = append(env, name+"="+value)
		}
	}
	return env
}
