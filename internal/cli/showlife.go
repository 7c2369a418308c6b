package cli

import (
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// lived is the JSON form of what kept a call from ringing and of what came after its ring, as far as the row tells.
type lived struct {
	Held         string              `json:"heldFor,omitempty"` // why it waits for its dial
	Producer     string              `json:"producer,omitempty"`
	Urgent       bool                `json:"urgent,omitempty"`
	ReleasedBy   string              `json:"releasedBy,omitempty"`
	Outcome      call.ContactOutcome `json:"outcome,omitempty"` // of the contact
	Disconnected time.Time           `json:"disconnectedAt,omitzero"`
	Acknowledged time.Time           `json:"acknowledgedAt,omitzero"` // of the key
	CanceledLate string              `json:"tooLate,omitempty"`       // a cancel that came after the ring, in words
	Followup     string              `json:"followup,omitempty"`
	EscalatedTo  string              `json:"escalatedTo,omitempty"`   // first row of the recipient that followed
	EscalatedFor string              `json:"escalatedFrom,omitempty"` // first row of the key whose list named this recipient
}

func livedOf(row, first call.Call) lived {
	l := lived{
		Producer: row.Producer, Urgent: row.Urgent, ReleasedBy: row.Released, Outcome: row.Outcome, Acknowledged: first.Acknowledged, CanceledLate: tooLate(row),
		Followup: row.Followup, EscalatedTo: first.EscalatedTo, EscalatedFor: first.EscalatedFrom,
	}
	if row.State == call.Received {
		l.Held = holdReason(row)
	}
	if row.Sight != nil {
		l.Disconnected = row.Sight.Disconnected
	}
	return l
}

// textLived writes the lines of a call's life around its ring.
func (l lived) textLived(line func(name, value string)) {
	if l.Held != "" {
		line("held", l.Held)
	}
	switch {
	case l.ReleasedBy != "":
		line("urgent", "released by "+l.ReleasedBy)
	case l.Urgent:
		line("urgent", "yes")
	}
	line("producer", lastPart(l.Producer))
	line("outcome", outcomeWords[l.Outcome])
	line("ended", stamp(l.Disconnected))
	line("acknowledged", stamp(l.Acknowledged))
	line("cancel", l.CanceledLate)
	line("afterwards", followWords[l.Followup])
	if l.EscalatedTo != "" {
		line("escalated to", "call "+short(l.EscalatedTo))
	}
	if l.EscalatedFor != "" {
		line("escalated from", "call "+short(l.EscalatedFor))
	}
}

// tooLate says how long the phone rang for a cancel or an acknowledgment that came after its ring; empty when none did. The phone rings until
// somebody answers or the contact is over; while neither is known, until the cancel stopped it.
func tooLate(row call.Call) string {
	if row.TooLate.IsZero() || row.PlacedAt.IsZero() {
		return ""
	}
	until, how := row.TooLate, ""
	if s := row.Sight; s != nil {
		switch {
		case !s.Connected.IsZero():
			until, how = s.Connected, "answered"
		case s.Over():
			until, how = s.Disconnected, "over"
		}
	}
	switch {
	case how == "":
	case until.Before(row.TooLate):
		how = ": " + how + " before"
	case how == "over":
		how = ": ended after the cancel"
	default:
		how = ": " + how + " after"
	}
	return "too late, rang " + lasted(until.Sub(row.PlacedAt)) + how
}
