package cli

import (
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// holding is the JSON form of what keeps a call from ringing, and of who let it ring.
type holding struct {
	HeldFor      string    `json:"heldFor,omitempty"` // why it waits for its dial
	Producer     string    `json:"producer,omitempty"`
	Urgent       bool      `json:"urgent,omitempty"`
	ReleasedBy   string    `json:"releasedBy,omitempty"`
	Acknowledged time.Time `json:"acknowledgedAt,omitzero"` // of the key
}

func holdingOf(row, first call.Call) holding {
	h := holding{Producer: row.Producer, Urgent: row.Urgent, ReleasedBy: row.Released, Acknowledged: first.Acknowledged}
	if row.State == call.Received {
		h.HeldFor = holdReason(row)
	}
	return h
}

// textHolding writes the lines of it. When a held call is looked at again is its next step.
func (h holding) textHolding(line func(name, value string)) {
	line("producer", lastPart(h.Producer))
	line("held", h.HeldFor)
	switch {
	case h.ReleasedBy != "":
		line("urgent", "released by "+h.ReleasedBy)
	case h.Urgent:
		line("urgent", "yes")
	}
	line("acknowledged", stamp(h.Acknowledged))
}
