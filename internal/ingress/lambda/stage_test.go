package lambda

import (
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/ingress/lambda/runtimeapitest"
)

type bootstrap struct {
	name   string
	binary string
	args   []string
	sqlite bool
}

// stage is a bootstrap with its world: an emulator, a Runtime API and a directory of its own.
type stage struct {
	bootstrap
	t        *testing.T
	emulator *connectemu.Server
	endpoint string
	runtime  *runtimeapitest.Server
	dir      string
	recipe   string // token.recipe, empty for the default
}

func newStage(t *testing.T, b bootstrap) *stage {
	t.Helper()
	emulator, err := connectemu.New(connectemu.Config{StartRate: connectemu.Unlimited, MaxConcurrentCalls: connectemu.Off})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(emulator)
	runtime, err := runtimeapitest.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		emulator.Close() // wakes faults that sleep
		server.Close()
		if err := runtime.Close(); err != nil {
			t.Error(err)
		}
	})
	return &stage{bootstrap: b, t: t, emulator: emulator, endpoint: server.URL, runtime: runtime, dir: t.TempDir()}
}

func (s *stage) config() string {
	lines := []string{
		"production: false", "connect:", "  endpoint: " + s.endpoint, "pacing:", "  per_second: 1000", "  burst: 100",
		"profiles:", "  alert:", "    region: " + connectemu.DefaultRegion, "    instance_id: " + connectemu.DefaultInstance,
		"    contact_flow_id: 22222222-3333-4444-8555-666666666666", "    queue_id: 33333333-4444-4555-8666-777777777777",
	}
	if s.recipe != "" {
		lines = append(lines, "token:", "  recipe: template", "  template: "+s.recipe)
	}
	if s.sqlite {
		lines = append(lines, "ledger:", "  driver: sqlite", "  path: "+filepath.Join(s.dir, "ledger", "calls.db"), "  witness: "+filepath.Join(s.dir, "witness"))
	}
	return strings.Join(lines, "\n") + "\n"
}

// start starts the binary with its configuration in a file.
func (s *stage) start() *runtimeapitest.Function {
	s.t.Helper()
	file := filepath.Join(s.dir, "ringonce.yaml")
	if err := os.MkdirAll(filepath.Join(s.dir, "ledger"), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(s.config()), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return s.startWith(file)
}

func (s *stage) startWith(config string) *runtimeapitest.Function {
	s.t.Helper()
	f, err := s.runtime.Start(s.t.Context(), runtimeapitest.Launch{
		Binary: s.binary, Args: s.args, Dir: s.dir, Env: map[string]string{"RINGONCE_CONFIG": config},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if s.t.Failed() {
			s.t.Logf("log of the function:\n%s", f.Log())
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // the test's own context has ended
		defer cancel()
		if err := f.Kill(ctx); err != nil {
			s.t.Error(err)
		}
	})
	return f
}

func (s *stage) kill(f *runtimeapitest.Function) {
	s.t.Helper()
	if err := f.Kill(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// invoke returns the answer to a document. The function must live to give one.
func (s *stage) invoke(f *runtimeapitest.Function, document []byte) runtimeapitest.Result {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	go func() {
		select {
		case <-f.Ended():
			cancel()
		case <-ctx.Done():
		}
	}()
	result, err := s.runtime.Invoke(ctx, runtimeapitest.Invocation{Payload: document, Timeout: time.Minute})
	if err != nil {
		s.t.Fatalf("invoke: %v", err)
	}
	return result
}

// kept returns the ids that the queue keeps after a batch.
func (s *stage) kept(f *runtimeapitest.Function, document []byte) []string {
	s.t.Helper()
	result := s.invoke(f, document)
	if result.Err != nil {
		s.t.Fatalf("the batch failed: %v", result.Err)
	}
	return failures(s.t, result.Body)
}

func (s *stage) rings(want int, when string) {
	s.t.Helper()
	if got := s.emulator.RingCount(); got != want {
		s.t.Errorf("%s: %d rings, want %d", when, got, want)
	}
}

func (s *stage) plan(text string) {
	s.t.Helper()
	plan, err := connectemu.ParsePlan(text)
	if err == nil {
		err = s.emulator.SetPlan(plan)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// sqs, sns and bus return documents that were sent now.
func (s *stage) sqs(queue string, list ...message) []byte {
	s.t.Helper()
	return queueBatchAt(s.t, time.Now(), queue, list...)
}

func (s *stage) sns(bodies ...string) []byte {
	s.t.Helper()
	return snsDocumentAt(s.t, time.Now(), bodies...)
}

func (s *stage) bus(detail string) []byte {
	s.t.Helper()
	return busEventAt(s.t, time.Now(), "com.example.reminders", "Call Requested", detail)
}
