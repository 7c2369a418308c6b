package awstest

import (
	"bytes"
	"net"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"
)

// startTime is how long a server may take until it answers; a cold Python start on a busy machine takes seconds.
const startTime = time.Minute

// stopTime is how long a server may take to stop the processes that it started, before it is killed.
const stopTime = 5 * time.Second

// start runs a server and returns its address, http://127.0.0.1:PORT, when it takes connections. arguments gets the port. The server ends
// with the test.
func start(t testing.TB, program string, arguments func(port string) []string) string {
	t.Helper()
	address, _ := startWith(t, program, arguments, nil)
	return address
}

// startWith is start with the whole environment of the server, in which environment gets the port and an empty directory. A nil
// environment is that of the test. What the server prints is in the buffer.
func startWith(t testing.TB, program string, arguments func(port string) []string, environment func(port, dir string) []string) (string, *safeBuffer) {
	t.Helper()
	address := freeAddress(t)
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatalf("split %s: %v", address, err)
	}
	cmd := exec.CommandContext(t.Context(), program, arguments(port)...)
	cmd.Dir = t.TempDir()
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // of this process alone, by its id
	cmd.WaitDelay = stopTime
	if environment != nil {
		cmd.Env = environment(port, cmd.Dir)
	}
	output := &safeBuffer{}
	cmd.Stdout, cmd.Stderr = output, output
	if err := cmd.Start(); err != nil {
		t.Fatalf("start %s: %v", program, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() { // the context of the test has ended by now, and the process with it
		err := <-ended
		if t.Failed() {
			t.Logf("%s ended (%v), its last output:\n%s", program, err, output.tail())
		}
	})
	deadline := time.Now().Add(startTime)
	for !answers(t, address) {
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("%s ended: %v\n%s", program, err, output.tail())
		case <-time.After(50 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s does not answer on %s\n%s", program, address, output.tail())
		}
	}
	return "http://" + address, output
}

func freeAddress(t testing.TB) string {
	t.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("find a free port: %v", err)
	}
	defer func() { _ = listener.Close() }()
	address, ok := listener.Addr().(*net.TCPAddr)
	if !ok {
		t.Fatalf("find a free port: %v", listener.Addr())
	}
	return "127.0.0.1:" + strconv.Itoa(address.Port)
}

func answers(t testing.TB, address string) bool {
	t.Helper()
	dialer := net.Dialer{Timeout: time.Second}
	conn, err := dialer.DialContext(t.Context(), "tcp", address)
	if err != nil {
		return false
	}
	return conn.Close() == nil
}

// safeBuffer keeps what a server prints, for the report of a failed test.
type safeBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write implements io.Writer.
func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *safeBuffer) text() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func (b *safeBuffer) tail() string {
	text := b.text()
	return text[max(0, len(text)-4000):]
}
