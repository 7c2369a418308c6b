package transport

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// The rules are those of facts/event-envelopes.md section 4.
func TestAnAnswerToABatchIsUnderstoodAsTheEventSourceMappingDoes(t *testing.T) {
	t.Parallel()
	none, all := []bool{true, true, true}, []bool{false, false, false}
	for _, c := range []struct {
		body string
		want []bool // acknowledged
	}{
		{"", none},
		{"null", none},
		{"{}", none},
		{`{"batchItemFailures":null}`, none},
		{`{"batchItemFailures":[]}`, none},
		{`{ "batchItemFailures" : [ ] }`, none},
		{`{"batchItemFailure":[{"itemIdentifier":"B"}]}`, none}, // a misspelled list reads as no list: failures are lost
		{`{"BatchItemFailures":[{"itemIdentifier":"B"}]}`, none},
		{`{"batchItemFailures":[{"itemIdentifier":"B"}]}`, []bool{true, false, true}},
		{`{"batchItemFailures":[{"itemIdentifier":"B"},{"itemIdentifier":"C"},{"itemIdentifier":"B"}]}`, []bool{true, false, false}},
		{`{"batchItemFailures":[{"itemIdentifier":""}]}`, all},
		{`{"batchItemFailures":[{"itemIdentifier":null}]}`, all},
		{`{"batchItemFailures":[{"messageId":"B"}]}`, all},
		{`{"batchItemFailures":[{}]}`, all},
		{`{"batchItemFailures":[{"itemIdentifier":"B"},{"itemIdentifier":"unknown"}]}`, all},
		{`{"batchItemFailures":[{"itemIdentifier":7}]}`, all},
		{`{"batchItemFailures":"B"}`, all},
		{`{"batchItemFailures":[`, all},
		{`"done"`, all},
		{`[]`, all},
	} {
		for _, form := range []Form{SQS, SQSFIFO} {
			n := calm(Options{})
			for _, id := range []string{"a", "b", "c"} {
				publish(t, n, Message{ID: id, Form: form}, start)
			}
			d, err := n.Force(start.Add(time.Second), "a", "b", "c")
			if err != nil {
				t.Fatal(err)
			}
			if got := answer(t, n, d, Response{Body: named(d, c.body)}, start).Acknowledged; !slices.Equal(got, c.want) {
				t.Errorf("%s: %s acknowledges %v, want %v", form, c.body, got, c.want)
			}
			for i, id := range []string{"a", "b", "c"} {
				if (state(t, n, id) == StateDone) != c.want[i] {
					t.Errorf("%s: %s: %v", form, c.body, n.Statuses())
				}
			}
		}
	}
}

// named writes the items of the delivery for "B" and "C".
func named(d Delivery, body string) []byte {
	out := body
	for i, letter := range []string{`"B"`, `"C"`} {
		out = strings.ReplaceAll(out, letter, `"`+d.Records[i+1].Item+`"`)
	}
	return []byte(out)
}

func TestAnErrorFailsTheWholeBatchWhateverTheListSays(t *testing.T) {
	t.Parallel()
	for _, r := range []Response{{Err: errNoFlight}, {Crashed: true}, {TimedOut: true}} {
		n := calm(Options{})
		publish(t, n, Message{ID: "a", Form: SQS}, start)
		d, now := mustNext(t, n)
		r.Body = nothingFailed
		if ruling := answer(t, n, d, r, now); ruling.Acknowledged[0] || ruling.Failed == "" {
			t.Errorf("%+v: %+v", r, ruling)
		}
	}
}
