package transport

import (
	"bytes"
	"math"

	"github.com/go-json-experiment/json"
)

var nothingFailed = []byte(`{"batchItemFailures":[]}`)

// batchResponse has exact names: encoding/json would accept others.
type batchResponse struct {
	BatchItemFailures []struct {
		ItemIdentifier *string `json:"itemIdentifier"`
	} `json:"batchItemFailures"`
}

// readBatch reads an answer as an event source mapping with ReportBatchItemFailures does (facts/event-envelopes.md section 4): no response, no
// list and an empty list are a success; an identifier that is empty, null, misspelled or unknown, and a response that cannot be read, fail the whole
// batch. A misspelled batchItemFailures reads as no list. Of a stream the lowest failed sequence number counts, and all from there on is returned.
func readBatch(f *flight, body []byte, returned []bool) (failed string) {
	if len(body) == 0 || bytes.Equal(body, nothingFailed) {
		return ""
	}
	var response batchResponse
	if err := json.Unmarshal(body, &response); err != nil {
		return failedUnreadable
	}
	for _, failure := range response.BatchItemFailures {
		if failure.ItemIdentifier == nil || *failure.ItemIdentifier == "" {
			return failedUnreadable
		}
		known := false
		for i := range f.records {
			if f.records[i].Item == *failure.ItemIdentifier {
				known, returned[i] = true, true
			}
		}
		if !known {
			return failedUnknown
		}
	}
	if f.way.stream() {
		from := int64(math.MaxInt64)
		for i, p := range f.parcels {
			if returned[i] {
				from = min(from, p.ordinal)
			}
		}
		for i, p := range f.parcels { // a batch that was read again may hold an old record behind a newer one
			returned[i] = p.ordinal >= from
		}
	}
	return ""
}

// readStatus reads an HTTP answer. Without a statusCode a function URL answers 200 (Lambda Developer Guide, "Response payload format").
// A status that no client tries again makes the client give up.
func readStatus(f *flight, body []byte) (failed string) {
	var response struct {
		StatusCode *int `json:"statusCode"`
	}
	if err := json.Unmarshal(body, &response); err != nil || response.StatusCode == nil {
		return ""
	}
	if status := *response.StatusCode; status >= 300 {
		f.refused = !retryable(status)
		return statusText(status)
	}
	return ""
}
