package timeline

import (
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// Doubt is what is known about one doubt, open or closed.
type Doubt struct {
	Since     time.Time
	Code      call.Code // why it came to be in doubt
	Why       string    // the same for a person
	Looks     int       // looks for evidence that found nothing
	NextLook  time.Time // zero: no further look is planned
	SettledAt time.Time // when no dial of it can be accepted any more; zero when none is open

	Attempts []Attempt
	Evidence []Evidence
	Notes    []Line    // what persons wrote
	Closed   *DoubtEnd // nil while it is open
}

// DoubtEnd is how a doubt was closed.
type DoubtEnd struct {
	At        time.Time  `json:"at"`
	State     call.State `json:"state"`
	From      string     `json:"from,omitempty"` // answer, event, search, check-in, person
	ContactID string     `json:"contactId,omitempty"`
	Actor     string     `json:"actor,omitempty"`
	Reason    string     `json:"reason,omitempty"`
}

// DoubtOf tells the doubt of a call by its row and its history; false when it is not in doubt and never was. A contact that is not marked
// with its call is recognized by nobody.
func DoubtOf(row call.Call, events []call.Event, unmarked bool) (Doubt, bool) {
	d := Doubt{
		Code: row.Code, Why: row.Message, Looks: row.Looks, SettledAt: row.SettledAt(), Attempts: Attempts(events), Evidence: evidenceOf(row, events, unmarked),
		Notes: []Line{}, Closed: doubtEndOf(row, events),
	}
	if row.State == call.InDoubt {
		d.Since, d.NextLook = row.FinalAt, row.Due
	}
	for _, event := range events {
		if event.Kind == call.EventDoubted { // what the row of a doubt that was closed does not say any more
			d.Since, d.Code, d.Why = event.At, event.Code, event.Message
		}
	}
	for _, line := range Of(call.Call{}, events) {
		if line.Kind == call.EventNoted {
			d.Notes = append(d.Notes, line)
		}
	}
	return d, row.State == call.InDoubt || d.Closed != nil
}

// doubtEndOf finds what closed a doubt; nil while it is open, and for a call that never was in doubt.
func doubtEndOf(row call.Call, events []call.Event) *DoubtEnd {
	doubted := false
	for _, event := range events {
		if event.Kind == call.EventDoubted {
			doubted = true
		}
		closes := event.Kind == call.EventContact || (event.Kind == call.EventResult && (event.Class == call.ClassOK || event.Class.Definite()))
		if !doubted || !closes || row.State == call.InDoubt || event.At.Before(row.FinalAt) {
			continue
		}
		end := &DoubtEnd{At: event.At, State: row.State, From: event.From, ContactID: event.ContactID, Actor: event.Actor, Reason: event.Message}
		if event.Kind == call.EventResult {
			end.From = "answer"
		}
		return end
	}
	return nil
}
