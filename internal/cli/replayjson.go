package cli

import (
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/replay"
)

// replayed is one record of a replay. The number is masked.
type replayed struct {
	Record         int          `json:"record"`
	At             string       `json:"at"` // file and place, or the id of the queue's message
	Verdict        call.Verdict `json:"verdict"`
	Reason         string       `json:"reason,omitempty"`
	NotificationID string       `json:"notificationId,omitempty"`
	RecipientID    string       `json:"recipientId,omitempty"`
	RecallID       string       `json:"recallId,omitempty"`
	Number         string       `json:"destination,omitempty"`
	RequestedAt    time.Time    `json:"requestedAt,omitzero"` // best evidence
	CallID         string       `json:"callId,omitempty"`     // of the call that rings or answers
	Ring           int          `json:"ring,omitempty"`
	State          call.State   `json:"state,omitempty"`
	PlacedAt       time.Time    `json:"placedAt,omitzero"`
	ContactID      string       `json:"contactId,omitempty"`
	Due            time.Time    `json:"due,omitzero"`
	SameAs         int          `json:"sameKeyAs,omitempty"` // an earlier record
	Looks          bool         `json:"looksFirst,omitempty"`
	Stops          bool         `json:"hangsUp,omitempty"`
	Code           call.Code    `json:"code,omitempty"`
	Message        string       `json:"message,omitempty"`
	Fix            string       `json:"fix,omitempty"`

	// Of a replay that is no dry run.
	Done        *bool          `json:"done,omitempty"`
	Situation   call.Situation `json:"situation,omitempty"`
	Acknowledge call.Ack       `json:"acknowledge,omitempty"`
	Suppressed  string         `json:"suppressed,omitempty"`
	By          string         `json:"suppressedBy,omitempty"`
	SourceError string         `json:"sourceError,omitempty"` // why the queue could not be told
}

// replayedOf describes a record as it is previewed, or as it was done.
func replayedOf(e *replay.Entry, ran bool) replayed {
	request := e.Record.Delivery.Request
	out := replayed{
		Record: e.Number, At: e.Name, Verdict: e.Verdict, Reason: e.Preview.Reason, NotificationID: request.NotificationID,
		RecipientID: request.RecipientID, RecallID: request.RecallID, RequestedAt: e.Record.FirstRequested.At,
		SameAs: e.Preview.SameAs, Looks: e.Preview.Looks, Stops: e.Preview.Stops, Code: e.Code, Message: e.Text, Fix: e.Fix,
	}
	if !request.Destination.IsZero() {
		out.Number = request.Destination.String()
	}
	outcome := e.Preview.Outcome
	if ran {
		outcome = e.Outcome
		out.Done, out.Situation, out.Acknowledge, out.Suppressed, out.By = &e.Done, outcome.Met, outcome.Ack, outcome.Suppressed, outcome.By
		out.Code, out.Message, out.Fix = outcome.Code, outcome.Message, outcome.Fix
		if e.Err != nil {
			out.SourceError = e.Err.Error()
		}
	}
	row := outcome.Call
	out.CallID, out.Ring, out.State, out.PlacedAt, out.ContactID, out.Due = row.ID, row.Ring, row.State, row.PlacedAt, outcome.ContactID, row.Due
	if !ran && e.Verdict.Dials() { // the row as it would be has no state yet
		out.State, out.Due = "", time.Time{}
	}
	return out
}
