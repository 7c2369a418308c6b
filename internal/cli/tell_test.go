package cli

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app/stores"
	"github.com/ringonce/ringonce/internal/webhook"
)

// hooked is the receiver of a producer.
type hooked struct {
	mu    sync.Mutex
	down  bool
	asked int
	taken []string // ids
}

func (h *hooked) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked++
	if h.down {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	h.taken = append(h.taken, r.Header.Get(webhook.HeaderID))
}

// waits until the receiver was asked so often, and returns what it took.
func (h *hooked) waits(t *testing.T, asked int) []string {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		h.mu.Lock()
		there, taken := h.asked >= asked, h.taken
		h.mu.Unlock()
		if there {
			return taken
		}
	}
	t.Fatalf("the receiver was not asked %d times", asked)
	return nil
}

// asks runs a command line that asks the service, and compares its exit code.
func (s *served) asks(want int, args ...string) (stdout string) {
	s.t.Helper()
	var out, told bytes.Buffer
	p := Process{
		Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &told, Clock: connectemu.WallClock{}, Random: rand.Reader, Stores: stores.All(),
		LookupEnv: func(name string) (string, bool) {
			url, known := map[string]string{ServerVariable: s.url}[name]
			return url, known
		},
	}
	if code := p.Run(s.t.Context()); code != want {
		s.t.Fatalf("%q ended with %d, want %d\n%s%s", args, code, want, &out, &told)
	}
	return out.String()
}

// TestAnOperatorHasWhatAReceiverDidNotTakeToldAgain: the receiver is away, then there again, then it has lost what it took.
func TestAnOperatorHasWhatAReceiverDidNotTakeToldAgain(t *testing.T) {
	t.Parallel()
	h := &hooked{down: true}
	hook := httptest.NewServer(h)
	t.Cleanup(hook.Close)
	d := newDesk(t, "")
	d.write("hook.key", "0123456789abcdef0123456789abcdef")
	d.add(fmt.Sprintf("wake: {engine: river}\nwebhooks: [{url: %q, secret_file: %q}]\n", hook.URL, filepath.Join(d.dir, "hook.key")))
	s := d.serve()
	if status, body := s.place(1); status >= 300 {
		t.Fatal(status, body)
	}
	h.waits(t, 1) // the next try is a second later, and the one after it 16
	list := s.asks(ExitOK, "calls", "list", "--json")
	_, rest, _ := strings.Cut(list, `"id":"`)
	id, _, _ := strings.Cut(rest, `"`)
	if told := s.asks(ExitOK, "calls", "told", id); !strings.Contains(told, "call.accepted") || strings.Contains(told, " yes ") {
		t.Errorf("before anything was taken: %s", told)
	}
	h.waits(t, 2)
	h.mu.Lock()
	h.down = false
	h.mu.Unlock()
	if said := s.asks(ExitOK, "calls", "tell", id, "--reason", "it was away"); !strings.Contains(said, "are told to 127.0.0.1:") {
		t.Error(said)
	}
	first := h.waits(t, 4)
	s.tookAll(id)
	s.asks(ExitRefused, "calls", "tell", id, "--reason", "it was away")
	s.asks(ExitOK, "calls", "tell", id, "--reason", "it lost them", "--from", first[1])
	s.asks(ExitUsage, "calls", "tell", id, "--reason", "it lost them", "--from", first[1], "--all")
	d.run(ExitUsage, "calls", "tell", id, "--reason", "without a service")
	if taken := h.waits(t, 5); len(taken) < 3 || taken[2] != first[1] {
		t.Errorf("taken %v", taken)
	}
	s.tookAll(id)
}

// tookAll waits until the producer of a call has taken everything.
func (s *served) tookAll(id string) {
	s.t.Helper()
	told := ""
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if told = s.asks(ExitOK, "calls", "told", id); strings.Contains(told, " yes ") && !strings.Contains(told, " no ") {
			return
		}
	}
	s.t.Fatalf("not taken: %s", told)
}
