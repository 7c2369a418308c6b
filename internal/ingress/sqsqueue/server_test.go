package sqsqueue_test

import (
	"context"
	"crypto/md5" // SQS defines it
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ringonce/ringonce/internal/ingress/sqsqueue"
)

const (
	queueARN = "arn:aws:sqs:us-east-1:111122223333:calls-dlq"
	sourceID = "arn:aws:sqs:us-east-1:111122223333:calls"
)

// clock stands still until it is moved.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

func (c *clock) Sleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// server answers like SQS as far as this package asks it: the JSON protocol, visibility on a clock, and faults by request.
type server struct {
	clock *clock

	mu       sync.Mutex
	order    []string
	bodies   map[string]string
	hidden   map[string]time.Time // until when
	receives map[string]int
	policy   string
	fail     map[string]string // by request: "before" (not applied) or "after" (applied, the answer is lost)
	asked    map[string]int
	entries  [][]string // the entry ids of each batch

	serviceFault bool // entries that fail are not the sender's fault
}

func newServer(t *testing.T, n int) (*server, *sqsqueue.Queue) {
	t.Helper()
	s := &server{
		clock: &clock{now: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)}, bodies: map[string]string{}, hidden: map[string]time.Time{},
		receives: map[string]int{}, fail: map[string]string{}, asked: map[string]int{},
	}
	for i := range n {
		id := fmt.Sprintf("m-%03d", i)
		s.order, s.bodies[id] = append(s.order, id), fmt.Sprintf(`{"notificationId":"n-%d"}`, i)
	}
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	return s, s.open(t, web.URL)
}

func (s *server) open(t *testing.T, address string) *sqsqueue.Queue {
	t.Helper()
	q, err := sqsqueue.Open(t.Context(), sqsqueue.Options{
		URL: address + "/111122223333/calls-dlq", Region: "us-east-1", Endpoint: address, Clock: s.clock, Credentials: credentials(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func credentials() aws.CredentialsProvider {
	return aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
	})
}

// ServeHTTP implements http.Handler.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var in struct {
		MaxNumberOfMessages int
		VisibilityTimeout   int
		ReceiptHandle       string
		Entries             []struct {
			ID                string `json:"Id"`
			ReceiptHandle     string
			VisibilityTimeout int
		}
	}
	_, request, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.asked[request]++
	if s.fail[request] == "before" {
		s.lose(w)
		return
	}
	var out any
	switch request {
	case "GetQueueAttributes":
		out = map[string]any{"Attributes": map[string]string{"QueueArn": queueARN, "ApproximateNumberOfMessages": "7", "RedrivePolicy": s.policy}}
	case "ReceiveMessage":
		out = map[string]any{"Messages": s.receive(in.MaxNumberOfMessages, time.Duration(in.VisibilityTimeout)*time.Second)}
	case "DeleteMessage":
		id, _, _ := strings.Cut(in.ReceiptHandle, "/")
		delete(s.bodies, id)
		out = map[string]any{}
	case "ChangeMessageVisibilityBatch":
		failed := []map[string]any{}
		ids := []string{}
		for _, e := range in.Entries {
			ids = append(ids, e.ID)
			id, _, _ := strings.Cut(e.ReceiptHandle, "/")
			if _, there := s.bodies[id]; !there || !s.hidden[id].After(s.clock.now) || !strings.HasSuffix(e.ReceiptHandle, fmt.Sprint("/", s.receives[id])) {
				failed = append(failed, map[string]any{"Id": e.ID, "SenderFault": !s.serviceFault, "Code": "MessageNotInflight"})
				continue
			}
			s.hidden[id] = s.clock.now.Add(time.Duration(e.VisibilityTimeout) * time.Second)
		}
		s.entries = append(s.entries, ids)
		out = map[string]any{"Successful": []any{}, "Failed": failed}
	}
	if s.fail[request] == "after" {
		s.lose(w)
		return
	}
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	_ = json.NewEncoder(w).Encode(out)
}

// lose answers what proves nothing; the SDK does not ask again after a 4xx.
func (s *server) lose(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	w.WriteHeader(http.StatusForbidden)
	_, _ = w.Write([]byte(`{"__type":"com.amazonaws.sqs#AccessDenied","message":"no"}`))
}

func (s *server) receive(most int, visibility time.Duration) []map[string]any {
	out := []map[string]any{}
	for _, id := range s.order {
		body, there := s.bodies[id]
		if !there || s.hidden[id].After(s.clock.now) || len(out) == most {
			continue
		}
		s.hidden[id] = s.clock.now.Add(visibility)
		s.receives[id]++
		sum := md5.Sum([]byte(body)) // SQS defines it
		out = append(out, map[string]any{
			"MessageId": id, "ReceiptHandle": fmt.Sprintf("%s/%d", id, s.receives[id]), "Body": body, "MD5OfBody": hex.EncodeToString(sum[:]),
			"Attributes": map[string]string{"SentTimestamp": "1763784000000", "ApproximateReceiveCount": fmt.Sprint(s.receives[id]), "DeadLetterQueueSourceArn": sourceID},
			"MessageAttributes": map[string]any{
				"RULE_ARN": map[string]any{"StringValue": "arn:aws:events:us-east-1:111122223333:rule/r", "DataType": "String"},
				"trace":    map[string]any{"BinaryValue": []byte{1, 2}, "DataType": "Binary"},
			},
		})
	}
	return out
}

// visible returns the ids that somebody else could receive now.
func (s *server) visible() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids []string
	for _, id := range slices.Sorted(maps.Keys(s.bodies)) {
		if !s.hidden[id].After(s.clock.now) {
			ids = append(ids, id)
		}
	}
	return ids
}

func (s *server) breaks(request, how string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail[request] = how
}
