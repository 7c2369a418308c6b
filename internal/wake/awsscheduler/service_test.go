package awsscheduler

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// fate is what becomes of one request.
type fate int

const (
	answered   fate = iota
	lostBefore      // not applied, no answer
	lostAfter       // applied, no answer
	throttled       // not applied
	broken          // applied, 500
	denied          // not applied, for good
)

// service is SQS and EventBridge Scheduler: it keeps what it was sent and lets each request have its fate.
type service struct {
	t     *testing.T
	fates []fate // of the next requests; afterwards all are answered

	mu sync.Mutex
	kept
}

// kept is what a service was sent.
type kept struct {
	requests  int
	messages  []map[string]any
	schedules map[string]map[string]any // by name; as in the group
	order     []map[string]any
}

// seen returns what was sent until now.
func (s *service) seen() kept {
	s.mu.Lock()
	defer s.mu.Unlock()
	return kept{s.requests, slices.Clone(s.messages), maps.Clone(s.schedules), slices.Clone(s.order)}
}

func newService(t *testing.T, fates ...fate) *service {
	t.Helper()
	return &service{t: t, fates: fates, kept: kept{schedules: map[string]map[string]any{}}}
}

// ServeHTTP implements http.Handler.
func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if lost := s.serve(w, r); lost {
		panic(http.ErrAbortHandler)
	}
}

func (s *service) serve(w http.ResponseWriter, r *http.Request) (lost bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	become := answered
	if len(s.fates) > 0 {
		become, s.fates = s.fates[0], s.fates[1:]
	}
	var body map[string]any
	text, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(text, &body)
	}
	if err != nil || !strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 ") {
		s.t.Errorf("%s %s is no signed JSON request: %v: %s", r.Method, r.URL, err, text)
	}
	schedules := strings.HasPrefix(r.URL.Path, "/schedules/")
	switch become {
	case lostBefore:
		return true
	case throttled:
		reject(w, schedules, map[bool]string{true: "ThrottlingException", false: "RequestThrottled"}[schedules], map[bool]int{true: 429, false: 400}[schedules])
		return false
	case denied:
		reject(w, schedules, "AccessDeniedException", 400)
		return false
	case answered, lostAfter, broken:
	}
	var status int
	var answer any
	if schedules {
		status, answer = s.create(strings.TrimPrefix(r.URL.Path, "/schedules/"), body)
	} else {
		status, answer = s.send(r.Header.Get("X-Amz-Target"), body)
	}
	switch {
	case become == lostAfter:
		return true
	case become == broken:
		reject(w, schedules, "InternalServerException", 500)
	case status != http.StatusOK:
		reject(w, schedules, "ConflictException", status)
	default:
		reply(w, status, answer)
	}
	return false
}

func (s *service) create(name string, body map[string]any) (int, any) {
	if _, exists := s.schedules[name]; exists {
		return http.StatusConflict, nil
	}
	s.schedules[name] = body
	s.order = append(s.order, body)
	return http.StatusOK, map[string]any{"ScheduleArn": "arn:aws:scheduler:us-east-1:111122223333:schedule/default/" + name}
}

func (s *service) send(target string, body map[string]any) (int, any) {
	if target != "AmazonSQS.SendMessage" {
		s.t.Errorf("an unexpected operation: %s", target)
	}
	s.messages = append(s.messages, body)
	text, _ := body["MessageBody"].(string)
	sum := md5.Sum([]byte(text))
	return http.StatusOK, map[string]any{"MessageId": "m-1", "MD5OfMessageBody": hex.EncodeToString(sum[:])}
}

func reject(w http.ResponseWriter, rest bool, code string, status int) {
	if rest {
		w.Header().Set("X-Amzn-ErrorType", code)
	}
	reply(w, status, map[string]any{"__type": "com.amazonaws.sqs#" + code, "message": "planted", "Message": "planted"})
}

func reply(w http.ResponseWriter, status int, answer any) {
	text, _ := json.Marshal(answer)
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

var now = time.Date(2026, 11, 29, 3, 0, 0, 0, time.UTC)

// clock is virtual: sleeping moves it.
type clock struct {
	mu    sync.Mutex
	now   time.Time
	slept []time.Duration
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now, c.slept = c.now.Add(d), append(c.slept, d)
	return ctx.Err()
}

const (
	queueURL = "https://sqs.us-east-1.amazonaws.com/111122223333/ringonce-wake"
	queueARN = "arn:aws:sqs:us-east-1:111122223333:ringonce-wake"
	roleARN  = "arn:aws:iam::111122223333:role/ringonce-wake"
	row      = "LqohfnX3vLjSIAolRW5VYebgp0HJItKBdU5xYm2lsyc"
)

func options() Options {
	return Options{
		QueueURL: queueURL, QueueARN: queueARN, RoleARN: roleARN, Region: "us-east-1", Clock: &clock{now: now}, Random: bytes.NewReader(make([]byte, 1<<16)),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
		}),
	}
}

// on returns a Waker that talks to the service over loopback.
func on(t *testing.T, s *service, change ...func(*Options)) *Waker {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	o := options()
	o.Endpoint = server.URL
	for _, f := range change {
		f(&o)
	}
	w, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}
