package lambda

import (
	"strings"

	"github.com/ringonce/ringonce/internal/envelope"
)

// batchResponse is the partial batch response of an event source mapping or a pipe (facts/event-envelopes.md section 4). The list is never
// null: a misspelled or missing list reads as success.
type batchResponse struct {
	Failures []batchItemFailure `json:"batchItemFailures"`
}

type batchItemFailure struct {
	ID any `json:"itemIdentifier"` // a string, or a position of Kafka
}

// position names a record of Kafka. The offset is an integer that can exceed 2^53.
type position struct {
	Partition string `json:"partition"`
	Offset    int64  `json:"offset"`
}

// answersByItem reports whether the source takes a partial batch response.
func answersByItem(doc envelope.Document) bool {
	switch doc.Style {
	case envelope.StyleSQS, envelope.StyleSQSFIFO, envelope.StylePipesSQS, envelope.StyleStream, envelope.StyleKafka,
		envelope.StylePipesKinesis, envelope.StylePipesDynamoDB:
		return true
	case envelope.StyleNone, envelope.StyleCustomBus:
	}
	return false
}

// itemOf returns what a partial batch response names a record by; named is false when the record came without it.
func itemOf(record envelope.Record) (item any, named bool) {
	if p := record.Position; p != nil {
		return position{Partition: p.Partition, Offset: p.Offset}, true
	}
	return record.BatchItemFailureID, record.BatchItemFailureID != ""
}

// batch lists each id once, in the order of the document. Of a stream it lists the lowest sequence number alone: everything from there on is
// delivered again, also what was acknowledged. Process has refused documents with records that have no id.
func (r Report) batch() batchResponse {
	response := batchResponse{Failures: []batchItemFailure{}}
	listed := map[any]bool{}
	for _, result := range r.Results {
		item, named := itemOf(result.Record)
		if result.Acknowledged() || !named || listed[item] {
			continue
		}
		listed[item] = true
		switch {
		case r.Document.Style != envelope.StyleStream || len(response.Failures) == 0:
			response.Failures = append(response.Failures, batchItemFailure{ID: item})
		case isBefore(result.Record.BatchItemFailureID, response.Failures[0].ID):
			response.Failures[0].ID = item
		}
	}
	return response
}

// isBefore compares sequence numbers, which are decimal integers of up to 56 digits.
func isBefore(number string, other any) bool {
	than, _ := other.(string)
	number, than = strings.TrimLeft(number, "0"), strings.TrimLeft(than, "0")
	if len(number) != len(than) {
		return len(number) < len(than)
	}
	return number < than
}
