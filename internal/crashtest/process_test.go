package crashtest

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"
)

// process is one life of ringonce.
type process struct {
	cmd  *exec.Cmd
	log  *output
	done chan struct{} // closed when it has ended
}

// output keeps what a process writes.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

// String returns what was written.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// startProcess starts a binary with nothing but the given environment.
func startProcess(t testing.TB, dir, binary string, env []string, args ...string) *process {
	t.Helper()
	p := &process{cmd: exec.CommandContext(context.Background(), binary, args...), log: &output{}, done: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = dir, env, p.log, p.log
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait() // how it ended is in its state
		close(p.done)
	}()
	return p
}

// kill ends the process at once and returns when it is gone.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // fails only when it has ended
	<-p.done
}

// dead reports whether the process has ended.
func (p *process) dead() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// killed reports whether the process ended by SIGKILL. It is called when done is closed.
func (p *process) killed() bool {
	status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// end asks the process to end, as a deployment does, and says how it did not.
func (p *process) end() error {
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // fails only when it has ended
	select {
	case <-p.done:
	case <-time.After(30 * time.Second):
		p.kill()
		return fmt.Errorf("it does not end when it is told to: %s", p.log)
	}
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		return fmt.Errorf("it ended with %d when it was told to: %s", code, p.log)
	}
	return nil
}
