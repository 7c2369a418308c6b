package envelope

import (
	"strings"
	"time"
)

// ContactEvent is what an Amazon Connect contact event tells about a contact. It is no request; the core merges it into the
// call that the contact belongs to. Unknown event types and members are tolerated, as the Connect guide asks.
type ContactEvent struct {
	EventType           string // INITIATED, CONNECTED_TO_SYSTEM, DISCONNECTED, ... or a type that does not exist yet
	ContactID           string
	InstanceARN         string
	InitiationMethod    string    // API for the contacts of this program
	InitiationTimestamp time.Time // zero when absent; Connect writes unset stamps as 1970
	DisconnectReason    string    // empty when absent or null, which is documented for many contacts
}

// readContactEvent reads names without regard to case: samples of the guide mix agentInfo and AgentInfo
// (facts/event-envelopes.md section 6).
func readContactEvent(detail raw) *ContactEvent {
	event := new(ContactEvent)
	for name, value := range detail.members() {
		if !value.isString() {
			continue
		}
		switch strings.ToLower(string(name)) {
		case "eventtype":
			event.EventType = value.text()
		case "contactid":
			event.ContactID = value.text()
		case "instancearn":
			event.InstanceARN = value.text()
		case "initiationmethod":
			event.InitiationMethod = value.text()
		case "disconnectreason":
			event.DisconnectReason = value.text()
		case "initiationtimestamp":
			if at, ok := parseTime(value.text()); ok && at.Year() > 1970 {
				event.InitiationTimestamp = at.UTC()
			}
		}
	}
	return event
}
