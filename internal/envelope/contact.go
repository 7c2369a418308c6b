package envelope

import (
	"strings"
	"time"
)

// ContactEvent is what an Amazon Connect contact event tells about a contact. It is no request; the core merges it into the
// call that the contact belongs to. Unknown event types and members are tolerated, as the Connect guide asks. Times are in UTC and zero when
// absent; Connect writes unset stamps as 1970.
type ContactEvent struct {
	EventType        string // INITIATED, CONNECTED_TO_SYSTEM, DISCONNECTED, ... or a type that does not exist yet
	ContactID        string
	InstanceARN      string
	InitiationMethod string // API for the contacts of this program

	InitiationTimestamp        time.Time
	ConnectedToSystemTimestamp time.Time // media was established
	EnqueueTimestamp           time.Time // of queueInfo
	ConnectedToAgentTimestamp  time.Time // of agentInfo
	DisconnectTimestamp        time.Time
	LastUpdateTimestamp        time.Time // not in the documented schema of events, but in that of contact records

	DisconnectReason                string // empty when absent or null, which is documented for many contacts
	AnsweringMachineDetectionStatus string
}

// readContactEvent reads names without regard to case: samples of the guide mix agentInfo and AgentInfo
// (facts/event-envelopes.md section 6).
func readContactEvent(detail raw) *ContactEvent {
	event := new(ContactEvent)
	event.read("", detail)
	return event
}

// read reads the members of the detail, or of the object of that name in it.
func (e *ContactEvent) read(within string, object raw) {
	texts, times := e.members()
	for name, value := range object.members() {
		path := within + strings.ToLower(string(name))
		switch {
		case value.isObject() && (path == "queueinfo" || path == "agentinfo"):
			e.read(path+".", value)
		case !value.isString():
		case texts[path] != nil:
			*texts[path] = value.text()
		case times[path] != nil:
			if at, ok := parseTime(value.text()); ok && at.Year() > 1970 {
				*times[path] = at.UTC()
			}
		}
	}
}

// members are the members that are read, by their name in small letters.
func (e *ContactEvent) members() (texts map[string]*string, times map[string]*time.Time) {
	texts = map[string]*string{
		"eventtype": &e.EventType, "contactid": &e.ContactID, "instancearn": &e.InstanceARN, "initiationmethod": &e.InitiationMethod,
		"disconnectreason": &e.DisconnectReason, "answeringmachinedetectionstatus": &e.AnsweringMachineDetectionStatus,
	}
	times = map[string]*time.Time{
		"initiationtimestamp": &e.InitiationTimestamp, "connectedtosystemtimestamp": &e.ConnectedToSystemTimestamp,
		"queueinfo.enqueuetimestamp": &e.EnqueueTimestamp, "agentinfo.connectedtoagenttimestamp": &e.ConnectedToAgentTimestamp,
		"disconnecttimestamp": &e.DisconnectTimestamp, "lastupdatetimestamp": &e.LastUpdateTimestamp,
	}
	return texts, times
}
