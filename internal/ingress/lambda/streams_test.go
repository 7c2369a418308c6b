package lambda

import (
	"errors"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
)

func TestAStreamIsToldItsLowestFailedSequenceNumberAlone(t *testing.T) {
	t.Parallel()
	c := &core{}
	h, _ := handlerOn(t, c)
	poison := `{"notificationId":"n-9"}`
	list := []stream{{"99", wish(1)}, {"100", poison}, {"101", wish(2)}, {"102", poison}, {"0098", poison}}
	for name, c := range map[string]struct {
		list []stream
		want []string
	}{
		"in order":            {list[:4], []string{"100"}},
		"not in order":        {list, []string{"0098"}},
		"shorter is lower":    {[]stream{list[1], {"99", poison}}, []string{"99"}},
		"nothing failed":      {list[:1], []string{}},
		"the last one failed": {list[2:4], []string{"102"}},
	} {
		equal(t, name, invoke(t.Context(), t, h, kinesisDocument(t, published, c.list...)), c.want...)
	}
	if len(c.started()) != 6 {
		t.Errorf("placed %q: a failed record holds its neighbors up", c.started())
	}
}

func TestKafkaIsToldEveryFailedPosition(t *testing.T) {
	t.Parallel()
	h, _ := handlerOn(t, &core{})
	response, err := h.Invoke(t.Context(), kafkaDocument(t, published, 9007199254740993, "{", wish(1), "[]"))
	want := `{"batchItemFailures":[{"itemIdentifier":{"partition":"call-requests-2","offset":9007199254740993}},` +
		`{"itemIdentifier":{"partition":"call-requests-2","offset":9007199254740995}}]}`
	if err != nil || string(response) != want {
		t.Errorf("got %s, %v", response, err)
	}
}

func TestAnEmptyBatchOfEverySourceIsASuccess(t *testing.T) {
	t.Parallel()
	h, _ := handlerOn(t, &core{})
	for _, document := range []string{
		`{"Records":[]}`, `[]`, `{"eventSource":"aws:kafka","records":{}}`, `{"eventSource":"SelfManagedKafka","records":{"calls-0":[]}}`,
	} {
		if response, err := h.Invoke(t.Context(), []byte(document)); err != nil || string(response) != noFailures {
			t.Errorf("%s: got %s, %v", document, response, err)
		}
	}
}

// A mapping that does not report batch item failures takes every response for a success; only an error keeps its records.
func TestAMappingWithoutPartialResponsesKeepsTheWholeBatch(t *testing.T) {
	t.Parallel()
	h, _ := handlerOn(t, &core{place: failing("m-1")}, func(o *Options) { o.WholeBatches = true })
	for name, document := range map[string][]byte{
		"SQS":     queueBatch(t, standardQueue, messages(wish(1), wish(2))...),
		"Kinesis": kinesisDocument(t, published, stream{"1", wish(1)}, stream{"2", "{"}),
		"Kafka":   kafkaDocument(t, published, 1, wish(1), "{"),
	} {
		response, err := h.Invoke(t.Context(), document)
		if failure, ok := errors.AsType[*NotAcknowledged](err); !ok || response != nil || failure.Failed != 1 || failure.Records != 2 {
			t.Errorf("%s: got %s, %v", name, response, err)
		}
	}
	if response, err := h.Invoke(t.Context(), queueBatch(t, standardQueue, messages(wish(1))...)); err != nil || string(response) != noFailures {
		t.Errorf("got %s, %v", response, err)
	}
}

// A batch of which one record is worth another try is no refusal, whatever the others are.
func TestOnlyWhatWouldEndTheSameWayIsCalledRefused(t *testing.T) {
	t.Parallel()
	h, _ := handlerOn(t, answering(call.ModeLedger, call.Outcome{Met: call.MetUnavailable}))
	for name, c := range map[string]struct {
		document []byte
		want     bool
	}{
		"unreadable":          {[]byte("{"), true},
		"ledger down":         {[]byte(wish(1)), false},
		"one of each":         {snsDocument(t, "{", wish(1)), false},
		"two unreadable ones": {snsDocument(t, "{", "["), true},
	} {
		_, err := h.Invoke(t.Context(), c.document)
		if _, refused := errors.AsType[*Refused](err); err == nil || refused != c.want {
			t.Errorf("%s: got %v (%T)", name, err, err)
		}
	}
}
