//go:build integration

package crashtest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// mountsVariable marks a test that runs once more, as root of a user namespace, where it may mount a small file system that nobody else sees.
const mountsVariable = "RINGONCE_CRASH_MOUNTS"

// withDisk runs a test where it can have file systems of its own, with the shipped binary.
func withDisk(t *testing.T, test func(t *testing.T, shipped string)) {
	t.Helper()
	if os.Getenv(mountsVariable) != "" {
		test(t, os.Getenv(binaryVariable))
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	build(t)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, self, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), mountsVariable+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed {
		t.Fatalf("this test mounts a file system of 4 MB in a user namespace, which this machine does not permit: %v", err)
	}
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("%v\n%s", err, out)
	}
}

// start starts the shipped binary and lets it live.
func (w *world) start() *process {
	w.queue.touch()
	return w.serve(true, point{})
}

// until waits for something that must come.
func (w *world) until(what string, done func() bool) {
	w.t.Helper()
	for begun := time.Now(); !done(); time.Sleep(quiet) {
		if time.Since(begun) > 20*time.Second {
			w.t.Fatalf("%s: that does not come; %d rings, %d messages left, the process says: %s", what, w.emulator.RingCount(), w.queue.left(), w.running.log)
		}
	}
}

func (w *world) silent() bool { return w.queue.idle(2 * quiet) }

// deliveries returns how many there were.
func (w *world) deliveries() int {
	w.queue.mu.Lock()
	defer w.queue.mu.Unlock()
	return w.queue.received
}

// fill leaves no byte free where the ledger is.
func (w *world) fill() {
	w.t.Helper()
	file, err := os.Create(w.path("ledger/filler"))
	if err != nil {
		w.t.Fatal(err)
	}
	for block := make([]byte, 4096); err == nil; {
		_, err = file.Write(block)
	}
	if closeErr := file.Close(); !errors.Is(err, syscall.ENOSPC) || closeErr != nil {
		w.t.Fatal(err, closeErr)
	}
}

func (w *world) free() {
	w.t.Helper()
	if err := os.Remove(w.path("ledger/filler")); err != nil {
		w.t.Fatal(err)
	}
}

// rang compares the number of rings.
func (w *world) rang(want int, when string) {
	w.t.Helper()
	if n := w.emulator.RingCount(); n != want {
		w.t.Errorf("%s: %d rings instead of %d", when, n, want)
	}
}

// says looks for a sentence in the log of a process.
func (p *process) says(t *testing.T, text string) {
	t.Helper()
	if !strings.Contains(p.log.String(), text) {
		t.Errorf("the process does not say %q, only: %s", text, p.log)
	}
}

// lives reports a process that has ended.
func (p *process) lives(t *testing.T) {
	t.Helper()
	if p.dead() {
		t.Errorf("the process has ended (%s): %s", p.cmd.ProcessState, p.log)
	}
}

func (w *world) sentence() {
	w.t.Helper()
	w.settle()
	for _, found := range w.verdict() {
		w.t.Error(found)
	}
}

// TestAFullDiskAcknowledgesAndDialsNothingAndTheProcessGoesOn meets ENOSPC of the kernel: first before anything is written for a request, then between
// a ring and the record of its answer, when the spool beside the ledger has no room either.
func TestAFullDiskAcknowledgesAndDialsNothingAndTheProcessGoesOn(t *testing.T) {
	withDisk(t, func(t *testing.T, shipped string) {
		w := newWorld(t, setting{seed: 11, shipped: shipped, pacing: "{per_second: 200, burst: 50}", disk: "4m"})
		p := w.start()
		w.publish(5, kindPlain)
		w.until("five rings", func() bool { return w.emulator.RingCount() == 5 && w.silent() })

		w.fill()
		before := w.deliveries()
		w.publish(5, kindPlain)
		w.until("many deliveries", func() bool { return w.deliveries() > before+30 })
		w.rang(5, "on a full disk")
		if left := w.queue.left(); left != 5 {
			t.Errorf("%d of 5 requests wait in the queue", left)
		}
		p.says(t, "The disk of the ledger is full")
		p.lives(t)
		w.free()
		w.until("the other five rings", func() bool { return w.emulator.RingCount() == 10 && w.silent() })

		w.onSend = w.fill
		w.publish(1, kindPlain)
		w.until("a ring whose answer cannot be kept", func() bool { return strings.Contains(p.log.String(), "fact-logged") })
		w.rang(11, "with an answer that nothing kept")
		w.onSend = nil
		w.free()
		p.lives(t)
		if err := p.end(); err != nil {
			t.Error(err)
		}
		w.sentence()
		w.rang(11, "in the end")
	})
}

// TestAReadOnlyFileSystemIsRefusedAtTheStart meets EROFS of the kernel. A file system with open files cannot be made read-only, so the process is
// started on it.
func TestAReadOnlyFileSystemIsRefusedAtTheStart(t *testing.T) {
	withDisk(t, func(t *testing.T, shipped string) {
		w := newWorld(t, setting{seed: 12, shipped: shipped, pacing: "{per_second: 200, burst: 50}", disk: "4m"})
		remount := func(flags uintptr) {
			if err := syscall.Mount("", w.path("ledger"), "", syscall.MS_REMOUNT|flags, "size=4m"); err != nil {
				t.Fatal(err)
			}
		}
		w.publish(3, kindPlain)
		p := w.start()
		w.until("three rings", func() bool { return w.emulator.RingCount() == 3 && w.silent() })
		p.kill()

		remount(syscall.MS_RDONLY)
		w.publish(3, kindPlain)
		p = w.start()
		select {
		case <-p.done:
		case <-time.After(20 * time.Second):
			t.Fatal("it serves on a read-only file system")
		}
		if code := p.cmd.ProcessState.ExitCode(); code <= 0 {
			t.Errorf("it ended with %d", code)
		}
		p.says(t, "ledger.path")
		p.says(t, "read-only file system")
		w.rang(3, "on a read-only file system")
		if left := w.queue.left(); left != 3 {
			t.Errorf("%d of 3 requests wait in the queue", left)
		}

		remount(0)
		p = w.start()
		w.until("the other three rings", func() bool { return w.emulator.RingCount() == 6 && w.silent() })
		if err := p.end(); err != nil {
			t.Error(err)
		}
		w.sentence()
		w.rang(6, "in the end")
	})
}

// TestAnIOErrorEndsTheProcessAndItsSuccessorGoesOn makes writes to the running process's files fail, by a limit on their size (EFBIG, which SQLite
// reports as an I/O error as it does EIO). What is in the file is unknown then, so the process must end and be started again.
func TestAnIOErrorEndsTheProcessAndItsSuccessorGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setting{seed: 13, shipped: build(t), pacing: "{per_second: 200, burst: 50}"})
	w.publish(3, kindPlain)
	p := w.start()
	w.until("three rings", func() bool { return w.emulator.RingCount() == 3 && w.silent() })
	if err := unix.Prlimit(p.cmd.Process.Pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 1, Max: unix.RLIM_INFINITY}, nil); err != nil {
		t.Fatal(err)
	}
	w.ends(true) // what it does not start any more is returned
	w.publish(3, kindPlain)
	select {
	case <-p.done:
	case <-time.After(20 * time.Second):
		t.Fatalf("it goes on after an I/O error: %s", p.log)
	}
	w.ends(false)
	w.queue.lapse()
	if code := p.cmd.ProcessState.ExitCode(); code != 1 {
		t.Errorf("it ended with %d (%s)", code, p.cmd.ProcessState)
	}
	p.says(t, "I/O error")
	p.says(t, "can no longer be used by this process")
	w.rang(3, "after an I/O error")
	p = w.start()
	w.until("the other three rings", func() bool { return w.emulator.RingCount() == 6 && w.silent() })
	if err := p.end(); err != nil {
		t.Error(err)
	}
	w.sentence()
	w.rang(6, "in the end")
}
