package connectemu

import (
	"encoding/json"
	"time"
)

// EventType is what a contact event tells, in the words of the admin guide.
type EventType string

// The types of events that contacts of the emulator have.
const (
	EventInitiated         EventType = "INITIATED"
	EventConnectedToSystem EventType = "CONNECTED_TO_SYSTEM"
	EventDataUpdated       EventType = "CONTACT_DATA_UPDATED"
	EventQueued            EventType = "QUEUED"
	EventConnectedToAgent  EventType = "CONNECTED_TO_AGENT"
	EventDisconnected      EventType = "DISCONNECTED"
	EventCompleted         EventType = "COMPLETED"
)

// eventTypes are the types a rule can be restricted to.
var eventTypes = []EventType{
	EventInitiated, EventConnectedToSystem, EventDataUpdated, EventQueued, EventConnectedToAgent, EventDisconnected, EventCompleted,
}

// Event is one delivery of a contact event, as EventBridge hands it to a target.
type Event struct {
	// Seq counts the deliveries that were planned since the last reset, from 1. A copy of an event has a number of its own.
	Seq uint64 `json:"seq"`
	// ID is the id in the document. Copies made by RepeatEvent share it.
	ID        string    `json:"id"`
	Type      EventType `json:"type"`
	ContactID string    `json:"contactId"`
	// At is when it happened and Due when it is delivered.
	At  time.Time `json:"at"`
	Due time.Time `json:"due"`
	// Faults are the rules of the plan that this delivery met.
	Faults []string `json:"faults,omitzero"`
	// Document is the event: a JSON object with source aws.connect and detail-type Amazon Connect Contact Event.
	Document json.RawMessage `json:"document"`

	tries int
}

// moment is one thing that happens in the life of a contact.
type moment struct {
	kind EventType
	at   time.Time
}

// afterContactWork is how long an agent works on after the call, which delays COMPLETED.
const afterContactWork = 5 * time.Second

// moments returns what has happened and will happen to the contact as things stand, in order. Without an agent COMPLETED follows
// DISCONNECTED at once, with the same data.
func (c *contact) moments() []moment {
	list := []moment{{EventInitiated, c.initiated}}
	completed := c.disconnected
	if !c.connected.IsZero() {
		list = append(list, moment{EventConnectedToSystem, c.connected})
		if traits[c.fate].agent {
			list = append(list, moment{EventQueued, c.connected})
		}
		if !c.agentAt.IsZero() && c.agentAt.Before(c.disconnected) {
			list = append(list, moment{EventConnectedToAgent, c.agentAt})
			completed = completed.Add(afterContactWork)
		}
	}
	return append(list, moment{EventDisconnected, c.disconnected}, moment{EventCompleted, completed})
}

// connect lets the call be answered at a time and end at another. An agent, where there is one, takes it after a quarter of that.
func (c *contact) connect(at, end time.Time) {
	c.connected, c.disconnected = at, end
	if traits[c.fate].agent {
		c.agentAt = at.Add(end.Sub(at) / 4)
	}
}
