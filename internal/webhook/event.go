package webhook

import (
	"slices"
	"strconv"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// Type names what an event tells. The names are stable.
type Type string

// The types of events.
const (
	Accepted     Type = "call.accepted"
	Held         Type = "call.held"     // with its reason and when it is looked at again
	Placed       Type = "call.placed"   // Amazon Connect has a contact that rings; not that anybody answered
	InDoubt      Type = "call.in_doubt" // it may have rung
	Failed       Type = "call.failed"
	Expired      Type = "call.expired"
	Canceled     Type = "call.canceled"
	Outcome      Type = "call.outcome"      // what became of the contact
	Acknowledged Type = "call.acknowledged" // somebody knows; nothing rings for the key any more
)

// Event is the body of a request.
type Event struct {
	ID   string    `json:"id"` // the same in every repetition
	Type Type      `json:"type"`
	At   time.Time `json:"timestamp"`
	Data Call      `json:"data"`

	seq int64
}

// Call is a call as it was then. It holds no number, no attribute and no token.
type Call struct {
	ID             string              `json:"id"`
	NotificationID string              `json:"notificationId,omitempty"`
	RecipientID    string              `json:"recipientId,omitempty"`
	RecallID       string              `json:"recallId,omitempty"`
	Ring           int                 `json:"ring"`
	State          call.State          `json:"state"`
	Code           call.Code           `json:"code,omitempty"`
	Outcome        call.ContactOutcome `json:"outcome,omitempty"`
	ContactID      string              `json:"contactId,omitempty"`
	HeldReason     string              `json:"heldReason,omitempty"`
	Due            time.Time           `json:"due,omitzero"`
}

// Events returns what the history tells beyond the entry of number after, in its order. A row that was forgotten tells nothing.
func Events(row call.Call, history []call.Entry, after int64) ([]Event, error) {
	if !row.Forgotten.IsZero() {
		return nil, nil
	}
	var told []Event
	var was call.Call
	for _, entry := range history {
		event, err := entry.Event()
		if err != nil {
			return nil, err
		}
		is := was.Apply(event)
		if entry.Seq > after {
			for _, kind := range changes(was, is) {
				told = append(told, Event{ID: row.ID + "." + strconv.FormatInt(entry.Seq, 10) + "." + string(kind), Type: kind, At: entry.At, Data: dataOf(row, is), seq: entry.Seq})
			}
		}
		was = is
	}
	return told, nil
}

var ends = map[call.State]Type{
	call.Placed: Placed, call.InDoubt: InDoubt, call.Failed: Failed, call.Expired: Expired, call.Canceled: Canceled,
}

// changes says what the step from one row to the next tells.
func changes(was, is call.Call) (kinds []Type) {
	if is.Tombstone {
		return nil // nobody has asked for it
	}
	if was.State == "" || was.Tombstone {
		kinds = append(kinds, Accepted)
	}
	if kind, ended := ends[is.State]; ended && is.State != was.State {
		kinds = append(kinds, kind)
	}
	if !is.State.Final() && is.DueReason != was.DueReason && slices.Contains(call.HeldReasons(), is.DueReason) {
		kinds = append(kinds, Held)
	}
	if is.Outcome != was.Outcome && is.Outcome != "" {
		kinds = append(kinds, Outcome)
	}
	if is.Acknowledged.After(was.Acknowledged) {
		kinds = append(kinds, Acknowledged)
	}
	return kinds
}

func dataOf(row, is call.Call) Call {
	c := Call{
		ID: row.ID, NotificationID: row.Key.NotificationID, RecipientID: row.Key.RecipientID, RecallID: row.Key.RecallID, Ring: row.Ring,
		State: is.State, Code: is.Code, Outcome: is.Outcome, ContactID: is.ContactID,
	}
	if !is.State.Final() && slices.Contains(call.HeldReasons(), is.DueReason) {
		c.HeldReason, c.Due = is.DueReason, is.Due
	}
	return c
}
