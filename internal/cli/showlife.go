package cli

import (
	"github.com/ringonce/ringonce/internal/call"
)

// lived is the JSON form of what came after a call's ring, as far as the row tells.
type lived struct {
	CanceledLate string `json:"tooLate,omitempty"`       // a cancel or an acknowledgment that came after the ring, in words
	Followup     string `json:"followup,omitempty"`      // what was decided after its end: recall, escalation, nothing, acknowledged
	EscalatedTo  string `json:"escalatedTo,omitempty"`   // first row of the recipient that followed
	EscalatedFor string `json:"escalatedFrom,omitempty"` // first row of the key whose list named this recipient
	Left         int    `json:"escalationLeft,omitempty"`
}

func livedOf(row, first call.Call) lived {
	return lived{
		CanceledLate: tooLate(row), Followup: row.Followup, EscalatedTo: first.EscalatedTo, EscalatedFor: first.EscalatedFrom, Left: len(first.Escalation),
	}
}

// textLived writes the lines of what came after a call's ring.
func (l lived) textLived(line func(name, value string)) {
	line("cancel", l.CanceledLate)
	line("afterwards", followWords[l.Followup])
	if l.EscalatedFor != "" {
		line("escalated from", "call "+short(l.EscalatedFor))
	}
	if l.EscalatedTo != "" {
		line("escalated to", "call "+short(l.EscalatedTo))
	}
	if l.Left > 0 {
		line("escalation", plural(l.Left, "recipient", "recipients")+" left on the list")
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
