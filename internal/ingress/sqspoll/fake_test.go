package sqspoll_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/auditlog"
	"github.com/ringonce/ringonce/internal/ingress/sqspoll"
)

// clock is that of the bubble a test runs in.
type clock struct{}

func (clock) Now() time.Time { return time.Now() }

func (clock) Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// queue is SQS as far as a poller meets it: visibility, receive counts, FIFO groups, a dead-letter queue, and faults.
type queue struct {
	mu       sync.Mutex
	messages []*stored
	dead     []string // bodies
	most     int      // receives before a message is moved to the dead-letter queue; 0 means never
	handles  int
	asked    map[string]int
	fail     map[string]func(n int) fault // by request, for its n-th
	waits    map[string][]time.Duration   // by body: every change of its visibility
	slow     time.Duration                // of a deletion, before it is done or not
}

type stored struct {
	id, body, group, handle string
	visible, received       time.Time
	receives                int
}

// fault is how a request fails: not applied, applied with its answer lost, or every entry refused.
type fault int

const (
	works fault = iota
	notApplied
	answerLost
	refusesEntries
	refusesForGood
)

var errFault = errors.New("planted")

func newQueue(bodies ...string) *queue {
	q := &queue{asked: map[string]int{}, fail: map[string]func(int) fault{}, waits: map[string][]time.Duration{}}
	for _, body := range bodies {
		q.send(body, "")
	}
	return q
}

func (q *queue) send(body, group string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.messages = append(q.messages, &stored{id: fmt.Sprintf("m-%d", len(q.messages)), body: body, group: group, visible: time.Now()})
}

func (q *queue) begin(request string) fault {
	q.asked[request]++
	if f := q.fail[request]; f != nil {
		return f(q.asked[request])
	}
	return works
}

func (q *queue) Receive(ctx context.Context, n int, wait, visibility time.Duration) ([]sqspoll.Message, error) {
	until := time.Now().Add(wait)
	for {
		got, err := q.show(n, visibility)
		if err != nil || len(got) > 0 {
			return got, err
		}
		if !time.Now().Before(until) {
			return nil, nil
		}
		if err := (clock{}).Sleep(ctx, time.Second); err != nil {
			return nil, err
		}
	}
}

func (q *queue) show(n int, visibility time.Duration) ([]sqspoll.Message, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	blocked := map[string]bool{}
	var got []sqspoll.Message
	for _, m := range slices.Clone(q.messages) {
		if m.visible.After(now) {
			blocked[m.group] = m.group != ""
			continue
		}
		if len(got) == n || blocked[m.group] {
			continue
		}
		if q.most > 0 && m.receives >= q.most {
			q.dead = append(q.dead, m.body)
			q.remove(m.handle)
			continue
		}
		q.handles++
		m.receives++
		m.handle, m.visible, m.received = fmt.Sprintf("h-%d", q.handles), now.Add(visibility), now
		got = append(got, sqspoll.Message{ID: m.id, Handle: m.handle, Group: m.group, Receives: m.receives, Document: []byte(m.body)})
	}
	if len(got) == 0 {
		return nil, nil
	}
	if q.begin("receive") != works {
		return nil, errFault
	}
	return got, nil
}

func (q *queue) remove(handle string) {
	q.messages = slices.DeleteFunc(q.messages, func(m *stored) bool { return m.handle == handle })
}

func (q *queue) Delete(ctx context.Context, handles []string) (sqspoll.Failed, error) {
	if err := (clock{}).Sleep(ctx, q.slow); err != nil {
		return nil, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.apply("delete", len(handles), func(i int) { q.remove(handles[i]) })
}

func (q *queue) Change(_ context.Context, changes []sqspoll.Change) (sqspoll.Failed, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	beyond := sqspoll.Failed{}
	failed, err := q.apply("change", len(changes), func(i int) {
		for _, m := range q.messages {
			if m.handle != changes[i].Handle {
				continue
			}
			until := time.Now().Add(changes[i].For)
			if until.Sub(m.received) > 12*time.Hour { // from its receipt, however often it was extended
				beyond[i] = struct{ Final bool }{true}
				continue
			}
			m.visible = until
			q.waits[m.body] = append(q.waits[m.body], changes[i].For)
		}
	})
	if err == nil {
		maps.Copy(failed, beyond)
	}
	return failed, err
}

func (q *queue) apply(request string, n int, each func(i int)) (sqspoll.Failed, error) {
	f := q.begin(request)
	failed := sqspoll.Failed{}
	for i := range n {
		switch f {
		case works, answerLost:
			each(i)
		case refusesEntries, refusesForGood:
			failed[i] = struct{ Final bool }{f == refusesForGood}
		case notApplied:
		}
	}
	if f == notApplied || f == answerLost {
		return nil, errFault
	}
	return failed, nil
}

func (q *queue) left() string {
	q.mu.Lock()
	defer q.mu.Unlock()
	var bodies []string
	for _, m := range q.messages {
		bodies = append(bodies, m.body)
	}
	return strings.Join(bodies, " ")
}

// worker records what it took, and answers by body.
type worker struct {
	mu    sync.Mutex
	took  []string
	notes map[string]int
	takes func(ctx context.Context, body string, n int) bool // n counts the takes of the body, from 1
}

func (w *worker) take(ctx context.Context, document []byte) sqspoll.Taken {
	w.mu.Lock()
	body := string(document)
	w.took = append(w.took, body)
	n := 0
	for _, other := range w.took {
		if other == body {
			n++
		}
	}
	w.mu.Unlock()
	return sqspoll.Taken{Acknowledged: w.takes == nil || w.takes(ctx, body, n), Acts: []auditlog.Act{{Action: "placeCall", Target: body}}}
}

func (w *worker) note(n sqspoll.Note) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notes[n.What] += n.Count
}

func (w *worker) order() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.took, " ")
}

// poll runs a poller for a time of the bubble, then stops it and waits until it has ended.
func poll(t *testing.T, q *queue, w *worker, d time.Duration, change func(*sqspoll.Options)) (ended time.Duration) {
	t.Helper()
	w.notes = map[string]int{}
	o := sqspoll.Options{Queue: q, Take: w.take, Clock: clock{}, Random: func() float64 { return 0.5 }, Note: w.note}
	if change != nil {
		change(&o)
	}
	p, err := sqspoll.New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), d)
	defer stop()
	p.Run(ctx)
	if n := p.Held(); n != 0 {
		t.Errorf("%d messages are held after the end", n)
	}
	deadline, _ := ctx.Deadline()
	return time.Since(deadline)
}
