package lambda

import (
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
)

const deadLetterQueue = "arn:aws:sqs:us-east-1:111122223333:calls-dlq"

// decoded reads a document as the handler would.
func decoded(content []byte) envelope.Document {
	return envelope.Decode(content, envelope.Options{Now: time.Now()})
}

// inDLQ marks the records of a batch as read from the dead-letter queue of a queue.
func inDLQ(tb testing.TB, document []byte, source string) []byte {
	tb.Helper()
	var batch struct{ Records []map[string]any }
	if err := json.Unmarshal(document, &batch); err != nil {
		tb.Fatal(err)
	}
	for _, record := range batch.Records {
		record["eventSourceARN"] = deadLetterQueue
		if attributes, ok := record["attributes"].(map[string]any); ok && source != "" {
			attributes["DeadLetterQueueSourceArn"] = source
		}
	}
	return marshal(tb, map[string]any{"Records": batch.Records})
}

// results takes every record of the documents, one after the other.
func results(tb testing.TB, s *Sequence, documents ...[]byte) []Result {
	tb.Helper()
	var all []Result
	for _, content := range documents {
		doc := decoded(content)
		for _, record := range doc.Records {
			all = append(all, s.Record(tb.Context(), doc, record))
		}
	}
	return all
}

func spaces(c *call.Config) {
	c.KeySpace = func(producer string) string { return map[string]string{standardQueue: "calls"}[producer] }
	bare := c.Token
	c.Token = func(in call.TokenInput) (string, error) {
		token, err := bare(in)
		return in.KeySpace + token, err
	}
}

func TestAMessageOfADeadLetterQueueHasTheKeySpaceOfItsQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		original := queueBatch(t, standardQueue, messages(wish(1))...)
		for name, again := range map[string]func(h *Handler){
			"a function on the dead-letter queue": func(h *Handler) { equal(t, "returned", invoke(t.Context(), t, h, inDLQ(t, original, standardQueue))) },
			"a sequence":                          func(h *Handler) { results(t, h.Sequence(""), inDLQ(t, original, standardQueue)) },
			"a sequence that is told the queue":   func(h *Handler) { results(t, h.Sequence(standardQueue), inDLQ(t, original, "")) },
		} {
			w := newWorld(t, call.ModeLedger, newNetwork(), spaces)
			equal(t, "returned", invoke(t.Context(), t, w.Handler, original))
			again(w.Handler)
			if w.network.total() != 1 {
				t.Errorf("%s: %d rings for one request", name, w.network.total())
			}
		}
		// The control: without either word the message has another key space, and is another call.
		w := newWorld(t, call.ModeLedger, newNetwork(), spaces)
		invoke(t.Context(), t, w.Handler, original)
		results(t, w.Sequence(""), inDLQ(t, original, ""))
		if w.network.total() != 2 {
			t.Errorf("%d rings for two key spaces", w.network.total())
		}
	})
}

func TestASequenceIsOneBatchOfManyDocuments(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, mode call.Mode) {
		w := newWorld(t, mode, newNetwork())
		all := results(t, w.Sequence(""), queueBatch(t, standardQueue, messages(wish(1))...), requestEvent(t, wish(1)), []byte(elsewhere(1)), []byte(wish(2)))
		want := []call.Situation{call.MetPlaced, call.MetPlaced, call.MetConflict, call.MetPlaced}
		for i, result := range all {
			if result.Outcome.Met != want[i] {
				t.Errorf("%s: record %d met %s, want %s", mode, i, result.Outcome.Met, want[i])
			}
		}
		if all[1].Outcome.By == "" || w.network.total() != 2 || w.network.requests != 2 {
			t.Errorf("%s: by %q, %d rings, %d wire requests", mode, all[1].Outcome.By, w.network.total(), w.network.requests)
		}
	})
}

func TestInASequenceAGroupWaitsForWhatIsTriedAgainAndNotForPoison(t *testing.T) {
	t.Parallel()
	h, _ := handlerOn(t, &core{place: failing("g-2")})
	all := results(t, h.Sequence(""),
		queueBatch(t, fifoQueue, message{"p-1", "p", `{"notificationId":"n-9"}`}), queueBatch(t, fifoQueue, message{"p-2", "p", wish(1)}),
		queueBatch(t, fifoQueue, message{"g-2", "g", wish(2)}), queueBatch(t, fifoQueue, message{"g-3", "g", wish(3)}),
		queueBatch(t, fifoQueue, message{"h-1", "h", wish(4)}))
	want := []call.Situation{call.MetUnreadable, call.MetPlaced, call.MetUnavailable, call.MetNotStarted, call.MetPlaced}
	for i, result := range all {
		if result.Outcome.Met != want[i] {
			t.Errorf("record %d met %s, want %s", i, result.Outcome.Met, want[i])
		}
	}
}

// A hint of a row that is due, from a queue and as the document itself, and a sweep trigger: none of them is a request that was previewed.
func TestInASequenceNothingButARequestDials(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, call.ModeLedger, newNetwork())
		row := w.waiting(t)
		time.Sleep(time.Hour) // it is due long since
		due := fmt.Sprintf(`{"ringonce":"wake","version":1,"call":%q,"due":"2026-11-29T03:00:00Z"}`, row)
		trigger := `{"ringonce":"sweep"}`
		inDLQ := inDLQ(t, queueBatch(t, standardQueue, messages(due)...), standardQueue)
		failed := `{"version":"1.0","timestamp":"2019-11-14T18:16:05.568Z","requestContext":{"requestId":"a","functionArn":"arn:aws:lambda:us-east-1:111122223333:function:f:$LATEST","condition":"RetriesExhausted","approximateInvokeCount":3},"requestPayload":%s,"responseContext":{"statusCode":200,"executedVersion":"$LATEST","functionError":"Unhandled"},"responsePayload":{}}`
		contact := `{"version":"0","id":"i","detail-type":"Amazon Connect Contact Event","source":"aws.connect","account":"111122223333","time":"2026-11-29T03:00:00Z","region":"us-east-1","resources":[],"detail":{"eventType":"INITIATED","contactId":"11111111-2222-4333-8444-555555555555","initiationMethod":"API","instanceArn":"arn:aws:connect:us-east-1:111122223333:instance/11111111-2222-4333-8444-555555555555"}}`
		documents := [][]byte{[]byte(due), inDLQ, []byte(trigger), []byte(contact), fmt.Appendf(nil, failed, due), fmt.Appendf(nil, failed, trigger)}
		for i, result := range results(t, w.Sequence(""), documents...) {
			want := call.MetIgnored
			if result.Record.Contact != nil {
				want = call.MetTaken
			}
			if result.Outcome.Met != want || !result.Acknowledged() {
				t.Errorf("record %d met %s, %s", i, result.Outcome.Met, result.Outcome.Ack)
			}
		}
		if w.network.requests != 1 {
			t.Errorf("%d wire requests, want the one from before", w.network.requests)
		}
		// The control: the same hint makes the function itself dial.
		equal(t, "returned", invoke(t.Context(), t, w.Handler, queueBatch(t, standardQueue, messages(due)...)))
		if w.network.requests != 2 {
			t.Errorf("%d wire requests after the hint", w.network.requests)
		}
	})
}

// waiting places a request whose first dial is throttled, and returns the id of its row.
func (w *world) waiting(tb testing.TB) string {
	tb.Helper()
	w.network.throttle = true
	report, err := w.Process(tb.Context(), queueBatch(tb, standardQueue, messages(wish(1))...))
	if err != nil || len(report.Results) != 1 || report.Results[0].Outcome.Met != call.MetReceived {
		tb.Fatalf("%+v, %v", report.Results, err)
	}
	w.network.throttle = false
	return report.Results[0].Outcome.Call.ID
}

func TestASequenceSweepsNothingAndTakesEverySource(t *testing.T) {
	t.Parallel()
	c := &core{}
	h, _ := handlerOn(t, c)
	met := results(t, h.Sequence(""), []byte(`{"ringonce":"sweep"}`))
	if met[0].Outcome.Met != call.MetIgnored || len(c.started()) > 0 {
		t.Errorf("a sweep trigger met %s, started %q", met[0].Outcome.Met, c.started())
	}
	for name, source := range everySource {
		for _, result := range results(t, h.Sequence(""), source.document(t, published, wish(1))) {
			if result.Outcome.Met != call.MetPlaced {
				t.Errorf("%s met %s (%s)", name, result.Outcome.Met, result.Outcome.Message)
			}
		}
	}
}
