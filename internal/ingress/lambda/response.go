package lambda

import (
	"encoding/json"
	"fmt"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
	"github.com/ringonce/ringonce/internal/flow"
)

// Answer is the JSON form of an outcome, for sources that read a return value. It holds no phone number.
type Answer struct {
	Path        string         `json:"path,omitempty"` // of the record, empty for the whole document
	Situation   call.Situation `json:"situation"`
	Acknowledge call.Ack       `json:"acknowledge"`
	CallID      string         `json:"callId,omitempty"`
	Ring        int            `json:"ring,omitempty"`
	ContactID   string         `json:"contactId,omitempty"`
	Code        call.Code      `json:"code,omitempty"`
	Message     string         `json:"message,omitempty"`
	Fix         string         `json:"fix,omitempty"`
	Replayed    bool           `json:"replayed,omitempty"`
	Suppressed  string         `json:"suppressed,omitempty"`
	By          string         `json:"suppressedBy,omitempty"`
	Undated     bool           `json:"undated,omitempty"`
}

// Answer returns the JSON form of the result.
func (r Result) Answer() Answer {
	out := r.Outcome
	return Answer{
		Path: r.Record.Path, Situation: out.Met, Acknowledge: out.Ack, CallID: out.Call.ID, Ring: out.Call.Ring, ContactID: out.ContactID,
		Code: out.Code, Message: out.Message, Fix: out.Fix, Replayed: out.Replayed, Suppressed: out.Suppressed, By: out.By, Undated: out.Undated,
	}
}

// Response encodes the report in the form of its source:
//
//   - SQS, also FIFO, streams, Kafka, pipes, and an empty batch: a partial batch response that names what was not acknowledged (batchresponse.go);
//   - HTTP: a status code and a JSON body, in the form of the gateway (httpresponse.go);
//   - a flow's report: a flow.Answer, also as the body of an HTTP response;
//   - a sweep: its counts;
//   - a document that is one record (EventBridge, Scheduler, Step Functions, direct): its Answer;
//   - SNS, a pipe with a Kafka source, a custom event bus: the answers of its records.
//
// Where no partial response exists, a record that was not acknowledged makes an error: a *[Refused] when it would be the same next time, else a
// *[NotAcknowledged].
func (r Report) Response() ([]byte, error) {
	switch {
	case r.Swept != nil:
		return encode(map[string]int{"due": r.Swept.Due, "moved": r.Swept.Moved, "failed": r.Swept.Failed})
	case r.Document.HTTP != nil:
		return encode(r.http())
	case r.CheckIn != nil:
		return encode(flow.AnswerOf(*r.CheckIn))
	case answersByItem(r.Document), r.emptyBatch():
		return encode(r.batch())
	}
	if err := r.failure(); err != nil {
		return nil, err
	}
	answers := make([]Answer, len(r.Results))
	for i, result := range r.Results {
		answers[i] = result.Answer()
	}
	if len(answers) == 1 && answers[0].Path == "" {
		return encode(answers[0])
	}
	return encode(map[string][]Answer{"records": answers})
}

// emptyBatch reports whether the document was a batch without records; which source it came from is then unknown.
func (r Report) emptyBatch() bool {
	return len(r.Results) == 1 && r.Results[0].Record.Reason == envelope.ReasonEmptyBatch
}

// failure returns the error for the first record that was not acknowledged, or nil.
func (r Report) failure() error {
	var failure *NotAcknowledged
	refused := true
	for _, result := range r.Results {
		if result.Acknowledged() {
			continue
		}
		if failure == nil {
			out := result.Outcome
			failure = &NotAcknowledged{Code: out.Code, Message: out.Message, Fix: out.Fix, Path: result.Record.Path, Records: len(r.Results)}
			if failure.Code == "" {
				failure.Code = call.Code(out.Met)
			}
			if failure.Message == "" {
				failure.Message = "The record is " + string(out.Met) + " and its source keeps it."
			}
		}
		failure.Failed++
		refused = refused && result.Outcome.Ack == call.AckRefuse
	}
	switch {
	case failure == nil:
		return nil
	case refused:
		return &Refused{failure}
	}
	return failure
}

func encode(value any) ([]byte, error) {
	content, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("encode the response: %w", err)
	}
	return content, nil
}
