//go:build integration

package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/stores"
)

// watched is an output that is read while it is written.
type watched struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.Write(p)
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.String()
}

// polls adds a queue of its own to the station, which gives a message up after some receives, and a service that polls it.
func (s *station) polls(receives, lanes int, attributes map[string]string) {
	s.t.Helper()
	name := "polled"
	if attributes["FifoQueue"] == "true" {
		name += ".fifo"
	} else {
		attributes["RedrivePolicy"] = fmt.Sprintf(`{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:123456789012:calls-dlq","maxReceiveCount":%d}`, receives)
	}
	s.source = s.queue(name, attributes)
	file, err := os.OpenFile(s.config, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		s.t.Fatal(err)
	}
	_, err = fmt.Fprintf(file, "serve: {listen: \"127.0.0.1:0\", queues: [{url: %q, visibility: 10s, lanes: %d}]}\nsweep: {every: 1s}\n", s.source, lanes)
	if err := file.Close(); err != nil {
		s.t.Fatal(err)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// serves runs the service within this process until stop is called.
func (s *station) serves() (stop func(), out *watched) {
	s.t.Helper()
	out = &watched{}
	ctx, cancel := context.WithCancel(s.t.Context())
	ended := make(chan int, 1)
	go func() {
		ended <- Process{
			Args: []string{"--config", s.config, "serve"}, Stdout: out, Stderr: out, Clock: app.SystemClock{}, Random: rand.Reader, Stores: stores.All(),
			LookupEnv: func(name string) (string, bool) {
				value, set := map[string]string{"AWS_REGION": "us-east-1"}[name]
				return value, set
			},
		}.Run(ctx)
	}()
	return func() {
		s.t.Helper()
		cancel()
		if code := <-ended; code != ExitOK {
			s.t.Errorf("the service ended with %d\n%s", code, out)
		}
	}, out
}

// until waits for something that a service does in its own time.
func (s *station) until(what string, out fmt.Stringer, done func() bool) {
	s.t.Helper()
	for deadline := time.Now().Add(90 * time.Second); !done(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatalf("not within 90 s: %s\n%s", what, out)
		}
	}
}

// left returns how many messages of the source there are, visible or not.
func (s *station) left() int {
	s.t.Helper()
	out, err := s.client.GetQueueAttributes(s.t.Context(), &sqs.GetQueueAttributesInput{QueueUrl: &s.source, AttributeNames: []types.QueueAttributeName{"All"}})
	if err != nil {
		s.t.Fatal(err)
	}
	n := 0
	for _, name := range []string{"ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"} {
		part, err := strconv.Atoi(out.Attributes[name])
		if err != nil {
			s.t.Fatal(err)
		}
		n += part
	}
	return n
}

// Twenty requests come twice each, two through a topic of SNS, as a notification and raw, and one as EventBridge sends it; three messages can never ring.
func TestAServicePollsAQueueAndEachRequestRingsOnce(t *testing.T) {
	s := newStation(t)
	s.polls(2, 10, map[string]string{})
	for n := 1; n <= 20; n++ {
		s.send(wish(n))
		s.send(wish(n))
	}
	s.publishes(wish(21), wish(23))
	// By hand: what a rule of Moto delivers has no account, which every event of EventBridge has.
	s.send(fmt.Sprintf(`{"version":"0","id":"5f2f1c3e-0000-4000-8000-000000000022","detail-type":"CallRequested","source":"acme.calls","account":"123456789012","time":"2026-11-30T00:00:00Z","region":"us-east-1","resources":[],"detail":%s}`, wish(22)))
	for _, poison := range []string{`no json`, `{"notificationId":"n-1"}`, `{"notificationId":`} {
		s.send(poison)
	}
	stop, out := s.serves()
	s.until("the queue is empty and the poison lies in the dead-letter queue", out, func() bool { return s.left() == 0 && s.count(s.dlq) == 3 })
	stop()
	for n := 1; n <= 23; n++ {
		if rings := len(s.telephone.RingsFor(fmt.Sprintf("+120255501%02d", n))); rings != 1 {
			t.Errorf("request %d rang %d times", n, rings)
		}
	}
	if n := s.telephone.RingCount(); n != 23 || t.Failed() {
		t.Errorf("%d rings in all\n%s", n, out)
	}
	if strings.Contains(out.String(), "12025550") {
		t.Errorf("a number was logged:\n%s", out)
	}
	written := s.run(ExitOK, "audit", "export", "--writer", "serve")
	if placed, again := strings.Count(written, `"reason":"placed"`), strings.Count(written, `"reason":"duplicate"`); placed != 23 || again < 20 || strings.Contains(written, "12025550") {
		t.Errorf("%d placed and %d duplicates are in the audit log\n%s", placed, again, written)
	}
	s.run(ExitOK, "audit", "verify")
}

func TestGroupsOfAFIFOQueueRingInTheirOrder(t *testing.T) {
	s := newStation(t)
	s.polls(2, 10, map[string]string{"FifoQueue": "true"})
	for n := 1; n <= 12; n++ {
		body, group, id := wish(n), fmt.Sprintf("g-%d", n%3), fmt.Sprintf("d-%d", n)
		if _, err := s.client.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: &s.source, MessageBody: &body, MessageGroupId: &group, MessageDeduplicationId: &id}); err != nil {
			t.Fatal(err)
		}
	}
	stop, out := s.serves()
	s.until("twelve rings and an empty queue", out, func() bool { return s.telephone.RingCount() == 12 && s.left() == 0 })
	stop()
	last := map[int]int{}
	for _, r := range s.telephone.Rings() {
		n, err := strconv.Atoi(r.Number[len(r.Number)-2:])
		if err != nil || n < last[n%3] {
			t.Errorf("in group %d, %d rang after %d (%v)", n%3, n, last[n%3], err)
		}
		last[n%3] = n
	}
}

// The built program is killed while Amazon Connect has placed the call and has not answered yet: the message was not deleted, comes again, and
// nobody is rung again.
func TestAProcessThatIsKilledBetweenTheRingAndTheDeletionRingsNobodyTwice(t *testing.T) {
	s := newStation(t)
	s.polls(10, 1, map[string]string{})
	s.slow()
	// One lane, so that no receive waits when the process dies: moto goes on with the long poll of a client that is gone and gives it the message.
	first, out := s.starts()
	s.send(wish(1))
	s.until("the phone rings", out, func() bool { return s.telephone.RingCount() == 1 })
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait()
	if n := s.left(); n != 1 {
		t.Fatalf("%d messages are left of the one that was not answered", n)
	}
	second, out := s.starts()
	s.comesBack(out)
	s.until("the service is ready", out, func() bool { return strings.Contains(fetch(t, out, "/readyz"), `"ready":true`) })
	if text := fetch(t, out, "/metrics"); !deletions.MatchString(text) {
		t.Errorf("the deletion was not counted:\n%s", text)
	}
	if err := second.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := second.Wait(); err != nil {
		t.Errorf("SIGTERM: %v\n%s", err, out)
	}
	if n := s.telephone.RingCount(); n != 1 {
		t.Errorf("%d rings\n%s", n, out)
	}
}

// deletions is the line of metrics of a poller that has deleted one message, or the message and its copy.
var deletions = regexp.MustCompile(`(?m)^ringonce_queue_messages_total\{queue="polled",what="deleted"\} [12]$`)

// comesBack waits until the message of a dead process is answered by another. moto loses sight of one now and then after its visibility was
// extended, and gives it to nobody: then its producer sends it again, as producers do, and that copy must be answered.
func (s *station) comesBack(out *watched) {
	s.t.Helper()
	for end := time.Now().Add(40 * time.Second); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if s.left() == 0 {
			return
		}
	}
	s.t.Log("moto has not given the message back in 40 s; its producer sends it again")
	s.send(wish(1))
	s.until("the copy is answered", out, func() bool { return s.left() <= 1 && deletions.MatchString(fetch(s.t, out, "/metrics")) })
}

// fetch sends a request to the address that a service announced.
func fetch(t *testing.T, out *watched, path string) string {
	t.Helper()
	at := regexp.MustCompile(`(?m)^\s+api\s+(http://\S+)$`).FindStringSubmatch(out.String())
	if at == nil {
		t.Fatalf("no address: %s", out)
	}
	response, err := http.Get(at[1] + path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// slow makes Amazon Connect place the next call at once and answer late.
func (s *station) slow() {
	s.t.Helper()
	plan, err := connectemu.ParsePlan("place-then-delay(8s) nth=1")
	if err == nil {
		err = s.telephone.SetPlan(plan)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// starts builds the program and starts the service as a process of its own.
func (s *station) starts() (*exec.Cmd, *watched) {
	s.t.Helper()
	binary := filepath.Join(s.t.TempDir(), "ringonce")
	if text, err := exec.CommandContext(s.t.Context(), "go", "build", "-o", binary, "github.com/ringonce/ringonce/cmd/ringonce").CombinedOutput(); err != nil {
		s.t.Fatalf("%v\n%s", err, text)
	}
	out := &watched{}
	cmd := exec.CommandContext(s.t.Context(), binary, "--config", s.config, "serve")
	cmd.Env = []string{"AWS_REGION=us-east-1", "HOME=" + s.t.TempDir()}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.until("the process serves", out, func() bool { return strings.Contains(out.String(), `"msg":"serving"`) })
	return cmd, out
}

func TestAProcessThatIsToldToEndFinishesTheCallThatItIsPlacing(t *testing.T) {
	s := newStation(t)
	s.polls(10, 1, map[string]string{})
	s.slow()
	process, out := s.starts()
	s.send(wish(1))
	s.until("the phone rings", out, func() bool { return s.telephone.RingCount() == 1 })
	if err := process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := process.Wait(); err != nil {
		t.Errorf("SIGTERM: %v\n%s", err, out)
	}
	if n := s.left(); n != 0 || s.telephone.RingCount() != 1 {
		t.Errorf("%d messages are left after %d rings\n%s", n, s.telephone.RingCount(), out)
	}
	if said := s.run(ExitOK, "calls", "list"); !strings.Contains(said, "placed") {
		t.Errorf("the answer was not recorded:\n%s", said)
	}
}
