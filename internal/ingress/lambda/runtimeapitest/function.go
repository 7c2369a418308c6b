package runtimeapitest

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Function is a child process that asks a [Server] for its events.
type Function struct {
	server *Server
	cmd    *exec.Cmd
	log    *tail
	ended  chan struct{}
	state  error
}

// Launch is what a function is started with.
type Launch struct {
	Binary string
	Args   []string
	Dir    string            // working directory and home of the process
	Env    map[string]string // in addition to what Lambda sets
}

// Start starts the function. The context ends it; so does Kill.
func (s *Server) Start(ctx context.Context, l Launch) (*Function, error) {
	f := &Function{server: s, cmd: exec.CommandContext(ctx, l.Binary, l.Args...), log: &tail{}, ended: make(chan struct{})}
	f.cmd.Dir = l.Dir
	f.cmd.Env = []string{
		"AWS_LAMBDA_RUNTIME_API=" + s.addr, "AWS_LAMBDA_FUNCTION_NAME=ringonce", "AWS_LAMBDA_FUNCTION_MEMORY_SIZE=128",
		"AWS_REGION=us-east-1", "AWS_EXECUTION_ENV=AWS_Lambda_provided.al2023", "HOME=" + l.Dir, "TMPDIR=" + l.Dir,
	}
	for name, value := range l.Env {
		f.cmd.Env = append(f.cmd.Env, name+"="+value)
	}
	f.cmd.Stdout, f.cmd.Stderr = f.log, f.log
	if err := f.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", filepath.Base(l.Binary), err)
	}
	go func() {
		f.state = f.cmd.Wait()
		close(f.ended)
	}()
	return f, nil
}

// Kill ends the process at once, as a crash or the end of an execution environment does (SIGKILL), and waits until it is gone and
// the server has noticed.
func (f *Function) Kill(ctx context.Context) error {
	_ = f.cmd.Process.Signal(syscall.SIGKILL) // fails only when it has ended
	select {
	case <-f.ended:
	case <-ctx.Done():
		return fmt.Errorf("the function does not end: %w", ctx.Err())
	}
	return f.server.Quiet(ctx)
}

// Ended is closed when the process has ended; Err is valid from then on.
func (f *Function) Ended() <-chan struct{} { return f.ended }

// Err returns how the process ended: nil for exit code 0.
func (f *Function) Err() error {
	<-f.ended
	return f.state
}

// Log returns the newest lines that the function wrote to its standard streams.
func (f *Function) Log() string { return f.log.String() }

// PeakMemory returns the largest resident size so far, in bytes: VmHWM of /proc/<pid>/status. It works on Linux while the process
// lives.
func (f *Function) PeakMemory() (int64, error) {
	status, err := os.Open(filepath.Join("/proc", strconv.Itoa(f.cmd.Process.Pid), "status"))
	if err != nil {
		return 0, fmt.Errorf("read the peak memory: %w", err)
	}
	defer status.Close()
	for lines := bufio.NewScanner(status); lines.Scan(); {
		if value, ok := strings.CutPrefix(lines.Text(), "VmHWM:"); ok {
			kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			return kib << 10, err
		}
	}
	return 0, fmt.Errorf("read the peak memory: %s has no VmHWM", status.Name())
}

// maxLog is how much of a function's output is kept.
const maxLog = 256 << 10

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if extra := len(t.text) - maxLog; extra > 0 {
		t.text = append(t.text[:0], t.text[extra:]...)
	}
	return len(p), nil
}

// String returns what is kept.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}

// Timing is how long a function took from the start of its process.
type Timing struct {
	FirstResponse time.Duration
	PeakMemory    int64 // bytes
}

// Measure starts the function, invokes it once, and kills it. The event is waiting when the process starts, so the time covers
// everything a cold start pays inside the process.
func (s *Server) Measure(ctx context.Context, l Launch, in Invocation) (Timing, Result, error) {
	type reply struct {
		result Result
		err    error
		at     time.Time
	}
	replies := make(chan reply, 1)
	go func() {
		result, err := s.Invoke(ctx, in)
		replies <- reply{result, err, time.Now()}
	}()
	began := time.Now()
	f, err := s.Start(ctx, l)
	if err != nil {
		return Timing{}, Result{}, err
	}
	var got reply
	select {
	case got = <-replies:
	case <-f.ended:
		return Timing{}, Result{}, fmt.Errorf("the function ended without an answer: %w: %s", f.state, f.Log())
	}
	timing := Timing{FirstResponse: got.at.Sub(began)}
	peak, peakErr := f.PeakMemory()
	timing.PeakMemory = peak
	if err := f.Kill(ctx); err != nil {
		return timing, got.result, err
	}
	if got.err != nil {
		return timing, got.result, got.err
	}
	return timing, got.result, peakErr
}
