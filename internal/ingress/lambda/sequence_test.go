package lambda

import (
	"encoding/json"
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
