package cli

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/guards"
	"github.com/ringonce/ringonce/internal/auditlog"
	"github.com/ringonce/ringonce/internal/ingress/sqsevent"
	"github.com/ringonce/ringonce/internal/ingress/sqspoll"
	"github.com/ringonce/ringonce/internal/service"
)

const polledARN = "arn:aws:sqs:us-east-1:123456789012:calls"

// line is a queue that gives each message out once, in order, and keeps what was not deleted.
type line struct {
	mu      sync.Mutex
	waiting []sqspoll.Message
	left    map[string]bool // by handle
	settled chan struct{}   // one for each message that was deleted or returned
}

func (q *line) Receive(ctx context.Context, _ int, _, _ time.Duration) ([]sqspoll.Message, error) {
	q.mu.Lock()
	if len(q.waiting) > 0 {
		first := q.waiting[0]
		q.waiting = q.waiting[1:]
		q.mu.Unlock()
		return []sqspoll.Message{first}, nil
	}
	q.mu.Unlock()
	<-ctx.Done()
	return nil, ctx.Err()
}

func (q *line) Delete(_ context.Context, handles []string) (sqspoll.Failed, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, handle := range handles {
		delete(q.left, handle)
		q.settled <- struct{}{}
	}
	return sqspoll.Failed{}, nil
}

func (q *line) Change(_ context.Context, changes []sqspoll.Change) (sqspoll.Failed, error) {
	for range changes {
		q.settled <- struct{}{}
	}
	return sqspoll.Failed{}, nil
}

// polling returns a service that has only begun to poll, and what it logs.
func (d *desk) polling() (s *serving, out *bytes.Buffer, end func()) {
	d.t.Helper()
	e := d.environment(d.clock)
	out = &bytes.Buffer{}
	e.Stderr = out
	c, err := e.config()
	if err != nil {
		d.t.Fatal(err)
	}
	metrics := service.NewMetrics("test")
	a, err := e.openWith(d.t.Context(), c, opening{service: true, facts: metrics})
	if err != nil {
		d.t.Fatal(err)
	}
	if _, err := a.Sweep(d.t.Context()); err != nil {
		d.t.Fatal(err)
	}
	return &serving{environment: e, app: a, config: c, metrics: metrics, log: e.log(c.Log, true)}, out, func() { _ = a.Close() }
}

// message is a body as SQS hands it out.
func (d *desk) message(id, body string) []byte {
	d.t.Helper()
	document, err := sqsevent.Document(types.Message{
		MessageId: &id, Body: &body, Attributes: map[string]string{"SentTimestamp": strconv.FormatInt(d.clock.Now().UnixMilli(), 10), "ApproximateReceiveCount": "1"},
	}, polledARN, "us-east-1")
	if err != nil {
		d.t.Fatal(err)
	}
	return document
}

// polled lets a service poll the bodies, one after the other, and returns which were not deleted, by their place, and what it logged.
func (d *desk) polled(log *auditlog.Log, bodies ...string) (left []int, logged string) {
	d.t.Helper()
	s, out, end := d.polling()
	defer end()
	q := &line{left: map[string]bool{}, settled: make(chan struct{}, len(bodies))}
	for i, body := range bodies {
		id := fmt.Sprintf("m-%d", i)
		q.left[id] = true
		q.waiting = append(q.waiting, sqspoll.Message{ID: id, Handle: id, Receives: 1, Document: d.message(id, body)})
	}
	p, err := s.poller(app.ServeQueue{Lanes: 1}, "calls", q, log)
	if err != nil {
		d.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(d.t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); p.Run(ctx) }()
	for range bodies {
		<-q.settled
	}
	stop()
	<-ended
	for i := range bodies {
		if q.left[fmt.Sprintf("m-%d", i)] {
			left = append(left, i)
		}
	}
	return left, out.String()
}

func (d *desk) serveLog() *auditlog.Log {
	d.t.Helper()
	e := d.environment(d.clock)
	c, err := e.config()
	if err != nil {
		d.t.Fatal(err)
	}
	log, err := guards.OpenAudit(c, guards.WriterService, d.clock, e.Random, false)
	if err != nil {
		d.t.Fatal(err)
	}
	return log
}

func wanted(id, number, more string) string {
	return fmt.Sprintf(`{"notificationId":%q,"recipientId":"r-1","destinationPhoneNumber":%q%s}`, id, number, more)
}
