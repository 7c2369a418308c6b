package lambda

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/ingress/lambda/runtimeapitest"
)

// TestTheBuiltBinaries drives both binaries as Lambda does: real processes, the real Runtime API loop of aws-lambda-go, the real
// AWS SDK against an emulator on loopback. Only the Runtime API and the telephone are stand-ins.
func TestTheBuiltBinaries(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	build(t, dir, "./cmd/ringonce-lambda", "./cmd/ringonce")
	bootstraps := []bootstrap{
		{name: "ringonce-lambda, no ledger", binary: filepath.Join(dir, "ringonce-lambda")},
		{name: "ringonce lambda-runtime, no ledger", binary: filepath.Join(dir, "ringonce"), args: []string{"lambda-runtime"}},
		{name: "ringonce lambda-runtime, SQLite", binary: filepath.Join(dir, "ringonce"), args: []string{"lambda-runtime"}, sqlite: true},
	}
	stories := map[string]func(*testing.T, *stage){
		"each source is answered in its own form":                 tellEachSource,
		"a poison record is returned alone":                       tellPoison,
		"what Amazon Connect throttles comes back":                tellThrottled,
		"a kill between dial and acknowledgement rings once":      tellKilledWhileDialing,
		"a kill between invocations forgets nothing":              tellKilledBetween,
		"a sweep trigger is served exactly where a ledger stands": tellSweep,
		"a start that cannot succeed names the setting":           tellRefusedStart,
	}
	for _, b := range bootstraps {
		for name, story := range stories {
			t.Run(b.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				story(t, newStage(t, b))
			})
		}
	}
	t.Run("the kill story can see a second ring", func(t *testing.T) {
		t.Parallel()
		tellChangedRecipe(t, newStage(t, bootstraps[0]))
	})
}

func build(t *testing.T, dir string, packages ...string) {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "go", append([]string{"build", "-o", dir + string(filepath.Separator)}, packages...)...)
	command.Dir = root
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("build the binaries: %v\n%s", err, out)
	}
}

func tellEachSource(t *testing.T, s *stage) {
	f := s.start()
	n := 0
	for name, source := range everySource {
		n++
		for range 2 {
			result := s.invoke(f, source.document(t, time.Now(), wish(n)))
			if result.Err != nil || !strings.Contains(string(result.Body), source.says()) || !json.Valid(result.Body) {
				t.Errorf("%s: got %s, %v", name, result.Body, result.Err)
			}
		}
		s.rings(n, name+", delivered twice")
	}
	for name, source := range everySource {
		if result := s.invoke(f, source.document(t, time.Now(), wish(1))); result.Err != nil || !strings.Contains(string(result.Body), source.says()) {
			t.Errorf("%s: got %s, %v", name, result.Body, result.Err)
		}
	}
	s.rings(n, "one request through every source")
	for source, document := range map[string][]byte{"SNS": s.sns(`{}`), "EventBridge": s.bus(`{"notificationId":"n-1"}`), "direct": []byte(`[`)} {
		if result := s.invoke(f, document); result.Err == nil || result.Err.Type != "Refused" || result.Err.Message == "" {
			t.Errorf("%s: got %s, %v; want an error", source, result.Body, result.Err)
		}
	}
	s.rings(n, "after documents without a request")
}

func tellPoison(t *testing.T, s *stage) {
	f := s.start()
	document := s.sqs(standardQueue, messages(wish(1), `{"notificationId":`, wish(2))...)
	for range 2 {
		equal(t, "kept", s.kept(f, document), "m-1")
	}
	s.rings(2, "good, poison, good, delivered twice")
}

func tellThrottled(t *testing.T, s *stage) {
	s.plan("throttle nth=1 times=1")
	f := s.start()
	document := s.sqs(standardQueue, messages(wish(1))...)
	if !s.sqlite {
		equal(t, "kept", s.kept(f, document), "m-0")
		s.rings(0, "throttled")
		equal(t, "kept", s.kept(f, document))
		s.rings(1, "delivered again")
		return
	}
	s.invoke(f, []byte(sweepTrigger)) // the heartbeat: from now on unfinished calls are acknowledged
	equal(t, "kept", s.kept(f, document))
	for deadline := time.Now().Add(time.Minute); s.emulator.RingCount() == 0 && time.Now().Before(deadline); {
		s.invoke(f, []byte(sweepTrigger))
	}
	s.rings(1, "swept when it was due again")
}

// tellKilledWhileDialing is the story that protocol.md section 9 promises without a ledger: Amazon Connect has placed the contact,
// its answer is under way, the process dies, the queue delivers again.
func tellKilledWhileDialing(t *testing.T, s *stage) {
	s.killWhileDialing()
	f := s.start()
	if s.sqlite {
		s.invoke(f, []byte(sweepTrigger)) // the heartbeat
	}
	// Without a ledger the token answers. With one the row says that an attempt is open, and the sweeper resolves it once the lease
	// of the dead process has ended.
	equal(t, "kept", s.kept(f, s.sqs(standardQueue, messages(wish(1))...)))
	s.rings(1, "killed between dial and acknowledgement, then delivered again")
}

// killWhileDialing lets a process place a call and kills it before the answer arrives.
func (s *stage) killWhileDialing() {
	s.t.Helper()
	s.plan("place-then-delay(1h) nth=1 times=1")
	f := s.start()
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	answered := make(chan error, 1)
	go func() {
		_, err := s.runtime.Invoke(ctx, runtimeapitest.Invocation{Payload: s.sqs(standardQueue, messages(wish(1))...), Timeout: time.Minute})
		answered <- err
	}()
	for s.emulator.RingCount() == 0 {
		select {
		case <-f.Ended():
			s.t.Fatalf("the function ended by itself: %v\n%s", f.Err(), f.Log())
		case err := <-answered:
			s.t.Fatalf("the function answered before the phone rang: %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	s.kill(f)
	cancel()
	if err := <-answered; err == nil {
		s.t.Fatal("the killed function acknowledged the batch")
	}
	s.rings(1, "before the redelivery")
}

// tellChangedRecipe breaks what the mode none asks for, an unchanged configuration, and sees the second ring.
func tellChangedRecipe(t *testing.T, s *stage) {
	s.killWhileDialing()
	s.recipe = "call-{notificationId}-{recipientId}"
	equal(t, "kept", s.kept(s.start(), s.sqs(standardQueue, messages(wish(1))...)))
	s.rings(2, "killed between dial and acknowledgement, then delivered to another token recipe")
}

func tellKilledBetween(t *testing.T, s *stage) {
	bodies := []string{wish(1), wish(2), wish(3), wish(2)}
	for n := range 3 {
		f := s.start()
		equal(t, "kept", s.kept(f, s.sqs(standardQueue, messages(bodies...)...)))
		s.rings(3, fmt.Sprintf("delivery %d", n+1))
		result := s.invoke(f, []byte(wish(2)))
		var answer Answer
		if result.Err != nil || json.Unmarshal(result.Body, &answer) != nil || answer.ContactID == "" || answer.Replayed != s.sqlite {
			t.Errorf("got %s, %v", result.Body, result.Err)
		}
		s.kill(f)
	}
	requests := map[bool]int{true: 3, false: 12}[s.sqlite] // a ledger answers by itself; without one each flight asks again
	if got := len(s.emulator.Requests()); got != requests {
		t.Errorf("%d wire requests, want %d", got, requests)
	}
}

func tellSweep(t *testing.T, s *stage) {
	f := s.start()
	result := s.invoke(f, []byte(sweepTrigger))
	if s.sqlite {
		var counts map[string]int
		if result.Err != nil || json.Unmarshal(result.Body, &counts) != nil || !maps.Equal(counts, map[string]int{"due": 0, "moved": 0, "failed": 0}) {
			t.Errorf("got %s, %v", result.Body, result.Err)
		}
		return
	}
	if result.Err == nil || !strings.HasPrefix(result.Err.Message, "needs_ledger: ") {
		t.Errorf("got %s, %v", result.Body, result.Err)
	}
}

func tellRefusedStart(t *testing.T, s *stage) {
	refused := map[string]string{
		"RINGONCE_CONFIG:5:15":       strings.Replace(s.config(), "per_second: 1000", "per_second: fast", 1),
		"profiles.alert.instance_id": strings.Replace(s.config(), connectemu.DefaultInstance, instanceARN, 1),
	}
	for named, config := range refused {
		f := s.startWith(config)
		if err := f.Err(); err == nil || !strings.Contains(f.Log(), named) {
			t.Errorf("want a refusal that names %s; ended with %v and %s", named, err, f.Log())
		}
	}
	s.rings(0, "a refused start")
}
