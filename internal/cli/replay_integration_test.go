//go:build integration

package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/stores"
	"github.com/ringonce/ringonce/internal/awstest"
)

const sourceARN = "arn:aws:sqs:us-east-1:123456789012:calls"

// station is a telephone network, a ledger in a file, and the queues of moto.
type station struct {
	t         *testing.T
	telephone *connectemu.Server
	client    *sqs.Client
	aws       aws.Config // of everything else in the emulated account
	source    string     // URL of the queue that producers send to
	dlq       string     // URL of its dead-letter queue
	config    string
}

func newStation(t *testing.T) *station {
	t.Helper()
	telephone, err := connectemu.New(connectemu.Config{StartRate: connectemu.Unlimited, MaxConcurrentCalls: connectemu.Off, RingTime: time.Millisecond, TalkTime: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	connect := httptest.NewServer(telephone)
	t.Cleanup(func() { telephone.Close(); connect.Close() })
	moto := awstest.StartMoto(t)
	s := &station{t: t, telephone: telephone, config: filepath.Join(t.TempDir(), "ringonce.yaml")}
	s.aws = aws.Config{
		Region: "us-east-1", BaseEndpoint: &moto, Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
		}),
	}
	s.client = sqs.NewFromConfig(s.aws)
	s.dlq = s.queue("calls-dlq", nil)
	s.source = s.queue("calls", map[string]string{
		"RedrivePolicy": `{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:123456789012:calls-dlq","maxReceiveCount":1}`, "VisibilityTimeout": "0",
	})
	text := fmt.Sprintf(`
production: false
connect: {endpoint: %q}
sqs: {endpoint: %q}
ledger: {driver: sqlite, path: %q, witness: %q}
pacing: {per_second: 1000, burst: 100}
producers: [{arn: "arn:aws:sqs:us-east-1:123456789012:calls", key_space: calls}]
profiles:
  alert: {region: us-east-1, instance_id: 11111111-2222-4333-8444-555555555555, contact_flow_id: aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee, source_phone: "+12025550100"}
`, connect.URL, moto, filepath.Join(t.TempDir(), "calls.db"), filepath.Join(t.TempDir(), "calls.witness"))
	if err := os.WriteFile(s.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *station) queue(name string, attributes map[string]string) string {
	s.t.Helper()
	out, err := s.client.CreateQueue(s.t.Context(), &sqs.CreateQueueInput{QueueName: &name, Attributes: attributes})
	if err != nil {
		s.t.Fatal(err)
	}
	return *out.QueueUrl
}

func (s *station) send(body string) {
	s.t.Helper()
	if _, err := s.client.SendMessage(s.t.Context(), &sqs.SendMessageInput{QueueUrl: &s.source, MessageBody: &body}); err != nil {
		s.t.Fatal(err)
	}
}

// giveUp receives every message of the source often enough that its redrive policy moves it.
func (s *station) giveUp() {
	s.t.Helper()
	for range 100 {
		out, err := s.client.ReceiveMessage(s.t.Context(), &sqs.ReceiveMessageInput{QueueUrl: &s.source, MaxNumberOfMessages: 10})
		if err != nil {
			s.t.Fatal(err)
		}
		if len(out.Messages) == 0 && s.count(s.source) == 0 {
			return
		}
	}
	s.t.Fatal("the source keeps its messages")
}

// count returns how many messages of a queue can be received now.
func (s *station) count(queue string) int {
	s.t.Helper()
	out, err := s.client.GetQueueAttributes(s.t.Context(), &sqs.GetQueueAttributesInput{QueueUrl: &queue, AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameAll}})
	if err != nil {
		s.t.Fatal(err)
	}
	n := 0
	if _, err := fmt.Sscan(out.Attributes["ApproximateNumberOfMessages"], &n); err != nil {
		s.t.Fatal(err)
	}
	return n
}

// bodies returns what is left in the dead-letter queue.
func (s *station) bodies() []string {
	s.t.Helper()
	left := map[string]bool{}
	for range 20 {
		out, err := s.client.ReceiveMessage(s.t.Context(), &sqs.ReceiveMessageInput{QueueUrl: &s.dlq, MaxNumberOfMessages: 10, VisibilityTimeout: 600})
		if err != nil {
			s.t.Fatal(err)
		}
		for _, m := range out.Messages {
			left[*m.Body] = true
		}
	}
	return slices.Sorted(maps.Keys(left))
}

func (s *station) run(want int, args ...string) string {
	s.t.Helper()
	stdout, stderr := &bytes.Buffer{}, &bytes.Buffer{}
	p := Process{
		Args: append([]string{"--config", s.config}, args...), Stdout: stdout, Stderr: stderr, Clock: app.SystemClock{},
		Random: rand.Reader, Stores: stores.All(),
		LookupEnv: func(name string) (string, bool) {
			if name == "AWS_REGION" {
				return "us-east-1", true
			}
			return "", false
		},
	}
	if code := p.Run(s.t.Context()); code != want {
		s.t.Fatalf("%q ended with %d, want %d\n%s%s", args, code, want, stdout, stderr)
	}
	return stdout.String()
}

func wish(n int) string {
	return fmt.Sprintf(`{"notificationId":"n-%d","recipientId":"r-1","destinationPhoneNumber":"+120255501%02d"}`, n, n)
}

// invocation is the event by which a Lambda function on the source was invoked with a request.
func (s *station) invocation(n int) string {
	s.t.Helper()
	path := filepath.Join(s.t.TempDir(), "event.json")
	event := fmt.Sprintf(`{"Records":[{"messageId":"first-%d","receiptHandle":"h","body":%q,"attributes":{"SentTimestamp":"1763784000000"},"messageAttributes":{},"eventSource":"aws:sqs","eventSourceARN":"arn:aws:sqs:us-east-1:123456789012:calls","awsRegion":"us-east-1"}]}`, n, wish(n))
	if err := os.WriteFile(path, []byte(event), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return path
}

// Ten of the thirty messages were placed before they came to the dead-letter queue, four can never ring, one repeats another and one is a
// conflict.
func TestADeadLetterQueueIsLookedAtAndThenReplayed(t *testing.T) {
	s := newStation(t)
	for n := 1; n <= 10; n++ {
		s.run(ExitOK, "lambda-invoke", s.invocation(n))
	}
	poison := []string{`{"notificationId":"n-25"}`, `{"notificationId":`, `no json`, `{"notificationId":"n-26","recipientId":"r-1","destinationPhoneNumber":"+12025550126","profile":"unknown"}`}
	for n := 1; n <= 24; n++ {
		s.send(wish(n))
	}
	for _, body := range append(poison, wish(24), `{"notificationId":"n-1","recipientId":"r-1","destinationPhoneNumber":"+12025550199"}`) {
		s.send(body)
	}
	s.giveUp()
	if n := s.count(s.dlq); n != 30 {
		t.Fatalf("%d messages in the dead-letter queue", n)
	}
	before := s.telephone.RingCount()

	// moto 5.2.5 leaves DeadLetterQueueSourceArn out of the messages of a dead-letter queue, so the queue is named. Without its name the
	// key space would be another one, and the command says so.
	if said := s.run(ExitOK, "replay", "--queue", s.dlq, "--dry-run"); !strings.Contains(said, "24 of 30 records would ring a phone.") || !strings.Contains(said, "--source-arn") {
		t.Errorf("without --source-arn:\n%s", said)
	}
	said := s.run(ExitOK, "replay", "--queue", s.dlq, "--source-arn", sourceARN, "--dry-run")
	for _, line := range []string{"14 of 30 records would ring a phone. Nothing was done.", "30 messages were received"} {
		if !strings.Contains(said, line) {
			t.Errorf("the dry run does not say %q:\n%s", line, said)
		}
	}
	if strings.Contains(said, "12025550") {
		t.Errorf("the dry run shows a number:\n%s", said)
	}
	if n := s.count(s.dlq); n != 30 || s.telephone.RingCount() != before || before != 10 {
		t.Errorf("after the dry run %d messages and %d rings, before it %d rings", n, s.telephone.RingCount(), before)
	}

	s.run(ExitRefused, "replay", "--queue", s.dlq, "--source-arn", sourceARN) // nobody confirms
	if n := s.count(s.dlq); n != 30 || s.telephone.RingCount() != before {
		t.Errorf("unconfirmed: %d messages and %d rings", n, s.telephone.RingCount())
	}

	said = s.run(ExitConflict, "replay", "--queue", s.dlq, "--source-arn", sourceARN, "--yes")
	for _, line := range []string{"26 messages were deleted from the queue, 4 return to it."} {
		if !strings.Contains(said, line) {
			t.Errorf("the replay does not say %q:\n%s", line, said)
		}
	}
	for n := 1; n <= 24; n++ {
		if rings := len(s.telephone.RingsFor(fmt.Sprintf("+120255501%02d", n))); rings != 1 {
			t.Errorf("request %d rang %d times", n, rings)
		}
	}
	if s.telephone.RingCount() != 24 || s.count(s.dlq) != 4 {
		t.Errorf("%d rings in all, %d messages left", s.telephone.RingCount(), s.count(s.dlq))
	}
	slices.Sort(poison)
	if left := s.bodies(); !slices.Equal(left, poison) {
		t.Errorf("left in the queue: %q", left)
	}
}
