package crashtest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"
)

const queueARN = "arn:aws:sqs:us-east-1:111122223333:calls"

// message is one message of the queue. It is delivered until it is acknowledged, and sometimes once more after that.
type message struct {
	id       string
	body     string
	sent     time.Time
	received int
	deleted  bool // acknowledged once
	late     int  // deliveries after that
}

// queue delivers at least once and in no order, as a standard queue of SQS does to a function: a batch that is not answered comes back when its
// visibility lapses, which here is when its receiver is dead. It is safe for concurrent use.
type queue struct {
	mu       sync.Mutex
	rng      *rand.Rand
	waiting  []*message
	flights  map[string][]*message // by invocation
	arrived  chan struct{}         // closed by the next message
	touched  time.Time             // of the last thing that happened
	seq      int
	received int      // deliveries, all in all
	again    int      // of them: of a message that was delivered before
	hides    bool     // what comes back stays hidden until it lapses
	kept     []string // bodies of acknowledged messages, for replays
	poisoned []string // what was delivered far too often
}

func newQueue(rng *rand.Rand) *queue {
	return &queue{rng: rng, flights: map[string][]*message{}, arrived: make(chan struct{}), touched: time.Now()}
}

// send puts a message into the queue.
func (q *queue) send(body string, at time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.seq++
	q.waiting = append(q.waiting, &message{id: fmt.Sprintf("m-%d", q.seq), body: body, sent: at})
	q.wake()
}

// replay sends an acknowledged message once more under a new id, as a redrive or a replay does.
func (q *queue) replay(at time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.kept) == 0 {
		return
	}
	q.seq++
	q.waiting = append(q.waiting, &message{id: fmt.Sprintf("m-%d", q.seq), body: q.kept[q.rng.IntN(len(q.kept))], sent: at})
	q.wake()
}

// wake is called with mu held.
func (q *queue) wake() {
	close(q.arrived)
	q.arrived = make(chan struct{})
	q.touched = time.Now()
}

// tooOften is far above what kills and lost answers can explain: such a message is never acknowledged.
const tooOften = 200

// take hands up to ten messages to an invocation; the document is nil when none waits, and arrived is closed when one comes.
func (q *queue) take(invocation string) (document []byte, arrived <-chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		return nil, q.arrived
	}
	q.touched = time.Now()
	q.rng.Shuffle(len(q.waiting), func(i, j int) { q.waiting[i], q.waiting[j] = q.waiting[j], q.waiting[i] })
	n := min(1+q.rng.IntN(10), len(q.waiting))
	batch := q.waiting[:n:n]
	q.waiting = q.waiting[n:]
	q.flights[invocation] = batch
	records := make([]map[string]any, n)
	for i, m := range batch {
		m.received++
		q.received++
		if m.received > 1 {
			q.again++
		}
		if m.received == tooOften {
			q.poisoned = append(q.poisoned, m.body)
		}
		records[i] = map[string]any{
			"messageId": m.id, "receiptHandle": "h", "body": m.body, "messageAttributes": map[string]any{},
			"attributes":  map[string]string{"ApproximateReceiveCount": strconv.Itoa(m.received), "SentTimestamp": strconv.FormatInt(m.sent.UnixMilli(), 10)},
			"eventSource": "aws:sqs", "eventSourceARN": queueARN, "awsRegion": "us-east-1",
		}
	}
	document, err := json.Marshal(map[string]any{"Records": records})
	if err != nil {
		panic(err) // strings and numbers always encode
	}
	return document, q.arrived
}

// settle takes the answer to an invocation: what its partial batch response does not name is deleted. One in eight deletions comes too
// late, and the message is delivered once more.
func (q *queue) settle(invocation string, response []byte) error {
	var partial struct {
		BatchItemFailures []struct {
			ItemIdentifier string `json:"itemIdentifier"`
		} `json:"batchItemFailures"`
	}
	if err := json.Unmarshal(response, &partial); err != nil {
		return fmt.Errorf("the response of a batch cannot be read: %w", err)
	}
	failed := map[string]bool{}
	for _, f := range partial.BatchItemFailures {
		failed[f.ItemIdentifier] = true
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	var hidden []*message
	for _, m := range q.flights[invocation] {
		switch {
		case failed[m.id] && q.hides:
			hidden = append(hidden, m)
			continue
		case failed[m.id]:
			q.waiting = append(q.waiting, m)
			continue
		case !m.deleted:
			q.kept = append(q.kept, m.body)
			m.deleted = true
		}
		if m.late < 2 && q.rng.IntN(8) == 0 {
			m.late++
			q.waiting = append(q.waiting, m)
		}
	}
	delete(q.flights, invocation)
	if len(hidden) > 0 {
		q.flights[invocation] = hidden
	}
	q.wake()
	return nil
}

// hide keeps what comes back hidden until it lapses, as visibility timeouts do: a process that is ending returns everything at once, and would be handed
// it again hundreds of times.
func (q *queue) hide(hides bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.hides = hides
}

// lapse returns everything that is in flight, as visibility timeouts do.
func (q *queue) lapse() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for invocation, batch := range q.flights {
		q.waiting = append(q.waiting, batch...)
		delete(q.flights, invocation)
	}
}

// touch notes that something happened that is not the queue's.
func (q *queue) touch() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.touched = time.Now()
}

// idle reports whether nothing waits, nothing is in flight, and nothing has happened for so long.
func (q *queue) idle(d time.Duration) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting) == 0 && len(q.flights) == 0 && time.Since(q.touched) >= d
}

// left returns how many messages are not acknowledged.
func (q *queue) left() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := 0
	for _, m := range q.waiting {
		if !m.deleted {
			n++
		}
	}
	for _, batch := range q.flights {
		n += len(batch)
	}
	return n
}
