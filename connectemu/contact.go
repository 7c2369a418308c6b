package connectemu

import (
	"maps"
	"time"
)

// ContactState is where a contact is in its life.
type ContactState string

// The states of a contact, in their order.
const (
	StateInitiated    ContactState = "initiated"
	StateConnected    ContactState = "connected"
	StateDisconnected ContactState = "disconnected"
)

// Channel is the medium of a contact, in the words of the API.
type Channel string

// The channels of the emulator. Only contacts of [ChannelVoice] ring.
const (
	ChannelVoice Channel = "VOICE"
	ChannelChat  Channel = "CHAT"
	ChannelTask  Channel = "TASK"
)

// Contact is one contact as it is at the moment of asking. Times that have not come are zero.
type Contact struct {
	ID               string            `json:"id"`
	Channel          Channel           `json:"channel"`
	InstanceID       string            `json:"instanceId"`
	FlowID           string            `json:"flowId"`
	QueueID          string            `json:"queueId,omitzero"`
	SourceNumber     string            `json:"sourceNumber,omitzero"`
	Number           string            `json:"number"`
	Token            string            `json:"token,omitzero"`
	Name             string            `json:"name,omitzero"`
	Description      string            `json:"description,omitzero"`
	Attributes       map[string]string `json:"attributes,omitzero"`
	Fate             Fate              `json:"fate"`
	State            ContactState      `json:"state"`
	InitiatedAt      time.Time         `json:"initiatedAt"`
	ConnectedAt      time.Time         `json:"connectedAt,omitzero"`
	DisconnectedAt   time.Time         `json:"disconnectedAt,omitzero"`
	DisconnectReason string            `json:"disconnectReason,omitzero"`
}

// contact is the record behind a Contact. Its connected, disconnected and reason lie in the future until the clock gets there;
// only a stop changes them, under the server's lock.
type contact struct {
	id           string
	channel      Channel
	seq          int // of the ring, 0 when the contact does not ring
	request      *startRequest
	fate         Fate
	initiated    time.Time
	connected    time.Time
	disconnected time.Time
	reason       string
	// attributes and userTags are as the last update left them, and updated is when that was.
	attributes, userTags map[string]string
	updated              time.Time
	// agentAt is when an agent takes the call, zero when none does.
	agentAt time.Time
	// told are the events that have happened; plans counts how often the others were planned.
	told  map[EventType]bool
	plans int
	// released is set once the contact has left the count of concurrent calls.
	released bool
}

func newContact(id string, seq int, req *startRequest, fate Fate, cfg *Config, now time.Time) *contact {
	l := lifeOf(fate, cfg, req.ringTimeout())
	c := &contact{
		id: id, channel: ChannelVoice, seq: seq, request: req, fate: fate, initiated: now, disconnected: now.Add(l.end), reason: l.reason,
		attributes: maps.Clone(req.Attributes),
	}
	if l.connect != never {
		c.connect(now.Add(l.connect), c.disconnected)
	}
	return c
}

func (c *contact) ended(now time.Time) bool { return !now.Before(c.disconnected) }

func (c *contact) answered(now time.Time) bool {
	return !c.connected.IsZero() && !now.Before(c.connected)
}

// stop ends the contact now: a cancel before somebody answered, OTHER afterwards (the reason the contact record reference gives
// for StopContact).
func (c *contact) stop(now time.Time) {
	if c.answered(now) {
		c.reason = reasonOther
	} else {
		c.connected, c.reason = time.Time{}, reasonCancel
	}
	c.disconnected = now
}

// view returns the contact as it is now.
func (c *contact) view(now time.Time) Contact {
	v := Contact{
		ID: c.id, Channel: c.channel, InstanceID: c.request.InstanceID, FlowID: c.request.ContactFlowID, QueueID: c.request.QueueID,
		SourceNumber: c.request.SourcePhoneNumber, Number: c.request.DestinationPhoneNumber, Token: c.request.ClientToken,
		Name: c.request.Name, Description: c.request.Description, Attributes: maps.Clone(c.attributes),
		Fate: c.fate, State: StateInitiated, InitiatedAt: c.initiated,
	}
	if c.answered(now) {
		v.State, v.ConnectedAt = StateConnected, c.connected
	}
	if c.ended(now) {
		v.State, v.DisconnectedAt, v.DisconnectReason = StateDisconnected, c.disconnected, c.reason
	}
	return v
}
