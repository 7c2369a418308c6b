package lambda

import (
	"encoding/json"
	"slices"
	"testing"
)

// queueKeeps reads a response as an event source mapping with ReportBatchItemFailures does (facts/event-envelopes.md section 4): it
// returns the ids that stay on the queue. A null or empty response or list is success; an error, invalid JSON, an empty or null
// identifier, a misspelled identifier or an id that was not in the batch keeps the whole batch.
func queueKeeps(response []byte, err error, batch []string) []string {
	if err != nil {
		return batch
	}
	if text := string(response); text == "" || text == "null" {
		return nil
	}
	var decoded struct {
		Failures []map[string]any `json:"batchItemFailures"`
	}
	if json.Unmarshal(response, &decoded) != nil {
		return batch
	}
	var kept []string
	for _, item := range decoded.Failures {
		id, isText := item["itemIdentifier"].(string)
		if !isText || !slices.Contains(batch, id) {
			return batch
		}
		kept = append(kept, id)
	}
	return kept
}

func TestTheQueueReadsAResponseAsTheTableSays(t *testing.T) {
	t.Parallel()
	all := []string{"a", "b", "c"}
	cases := map[string][]string{
		``:                           nil,
		`null`:                       nil,
		`{}`:                         nil,
		`{"batchItemFailures":null}`: nil,
		`{"batchItemFailures":[]}`:   nil,
		`{"batchitemfailure":[]}`:    nil,
		`{"batchItemFailures":[{"itemIdentifier":"b"}]}`:                           {"b"},
		`{"batchItemFailures":[{"itemIdentifier":"a"},{"itemIdentifier":"c"}]}`:    {"a", "c"},
		`{"batchItemFailures":[{"itemIdentifier":""}]}`:                            all,
		`{"batchItemFailures":[{"itemIdentifier":null}]}`:                          all,
		`{"batchItemFailures":[{"itemidentifier":"b"}]}`:                           all,
		`{"batchItemFailures":[{"itemIdentifier":"b"},{"itemIdentifier":"none"}]}`: all,
		`{"batchItemFailures":[`:                                                   all,
	}
	for response, want := range cases {
		equal(t, response, queueKeeps([]byte(response), nil, all), want...)
	}
}
