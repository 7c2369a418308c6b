package call

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// EventKind names what happened to a call. One event is one ledger write and one line of the call's timeline.
type EventKind string

// The kinds of events. Decisions are dropped and decided again when their compare fails; facts are merged until they are in.
const (
	EventAccepted        EventKind = "accepted"         // decision: the row begins, perhaps with its first intent
	EventTombstone       EventKind = "tombstone"        // decision: the row begins canceled, before any request
	EventBodyAttached    EventKind = "body-attached"    // fact: the first request for a tombstone
	EventIntent          EventKind = "intent"           // decision: an attempt is about to be sent
	EventHeld            EventKind = "held"             // decision: look again at due
	EventResult          EventKind = "result"           // fact: what one attempt was answered
	EventContact         EventKind = "contact"          // fact: a contact id from elsewhere
	EventLooked          EventKind = "looked"           // fact: a look for evidence found nothing
	EventCancelRequested EventKind = "cancel-requested" // fact: a cancel arrived
	EventCanceled        EventKind = "canceled"         // decision
	EventExpired         EventKind = "expired"          // decision
	EventFailed          EventKind = "failed"           // decision
	EventDoubted         EventKind = "doubted"          // decision: in doubt
	EventSuperseded      EventKind = "superseded"       // decision: fenced, the next ring takes over
	EventRingOpened      EventKind = "ring-opened"      // decision, on the first row: last ring n -> n+1
	EventRingConfirmed   EventKind = "ring-confirmed"   // decision, on the first row: the next ring's row exists
	EventTainted         EventKind = "tainted"          // decision: a restore may have forgotten attempts
	EventNoted           EventKind = "noted"            // fact: a person's note; it decides nothing
	EventSeen            EventKind = "seen"             // fact: something became known of the contact
	EventReleased        EventKind = "released"         // decision: a person lets a held call ring now
	EventFollowed        EventKind = "followed"         // decision: what comes after the end, and why
	EventEscalated       EventKind = "escalated"        // decision, on the first row: the next recipient of the list is claimed
	EventTurnConfirmed   EventKind = "turn-confirmed"   // decision, on the first row: the next recipient's row exists
	EventJoined          EventKind = "joined"           // fact, on the first row: another key's escalation list goes on here
	EventForgetting      EventKind = "forgetting"       // decision, on the first row: all rings are being erased, and no further one opens
	EventForgotten       EventKind = "forgotten"        // decision: the recipient is erased; the history begins anew here
)

// EventKinds lists every kind of event.
func EventKinds() []EventKind {
	return []EventKind{
		EventAccepted, EventTombstone, EventBodyAttached, EventIntent, EventHeld, EventResult, EventContact, EventLooked,
		EventCancelRequested, EventCanceled, EventExpired, EventFailed, EventDoubted, EventSuperseded, EventRingOpened,
		EventRingConfirmed, EventTainted, EventNoted, EventSeen, EventReleased, EventFollowed, EventEscalated, EventTurnConfirmed, EventJoined,
		EventForgetting, EventForgotten,
	}
}

// OfOutcome reports whether the kind is about what comes after a ring, and about no dial.
func (k EventKind) OfOutcome() bool {
	switch k { //nolint:exhaustive // the others are about dials
	case EventSeen, EventReleased, EventFollowed, EventEscalated, EventTurnConfirmed, EventJoined:
		return true
	}
	return false
}

// Event is what happened, with everything [Call.Apply] needs to repeat it. Members that a kind does not use are zero.
type Event struct {
	Kind  EventKind `json:"kind"`
	At    time.Time `json:"at"`
	Actor string    `json:"actor,omitempty"` // worker or person

	Opening  *Opening  `json:"opening,omitempty"`  // accepted, tombstone, body-attached
	Delivery *Arrival  `json:"delivery,omitempty"` // the delivery that caused it
	Attempt  *Attempt  `json:"attempt,omitempty"`  // accepted, intent, tainted
	Pin      string    `json:"pin,omitempty"`      // accepted, intent: hash of the pinned body; the body is in the row
	Target   *Target   `json:"target,omitempty"`
	Dialed   *Settings `json:"dialed,omitempty"` // intent: the settings of the pinned body, where the rule of a further ring needs them
	Signed   time.Time `json:"signed,omitzero"`  // accepted, intent: firstSigned begins here; tainted: its upper bound

	AttemptID string        `json:"attemptId,omitempty"` // result
	Class     Class         `json:"class,omitempty"`
	Took      time.Duration `json:"took,omitempty"` // of the wire request
	Code      Code          `json:"code,omitempty"`
	Message   string        `json:"message,omitempty"`

	ContactID string    `json:"contactId,omitempty"` // result, contact
	From      string    `json:"from,omitempty"`      // answer, event, search, person
	Initiated time.Time `json:"initiated,omitzero"`

	Due    time.Time `json:"due,omitzero"`
	Reason string    `json:"reason,omitempty"`

	Before        time.Time `json:"before,omitzero"` // cancel-requested, tombstone: the cancel's time
	Hits          bool      `json:"hits,omitempty"`  // cancel-requested: it is meant for this row too
	Next          *Child    `json:"next,omitempty"`  // ring-opened
	Closes        bool      `json:"closes,omitempty"`
	PlacedThrough time.Time `json:"placedThrough,omitzero"`
	Ring          int       `json:"ring,omitempty"` // ring-confirmed

	Sight        *Sight         `json:"sight,omitempty"`        // seen
	Outcome      ContactOutcome `json:"outcome,omitempty"`      // seen: what the row's whole sight comes to
	Followup     string         `json:"followup,omitempty"`     // followed, ring-opened by a rule
	Turn         *Turn          `json:"turn,omitempty"`         // escalated; turn-confirmed without a row: the recipient after that one
	RowID        string         `json:"rowId,omitempty"`        // turn-confirmed, joined: the first row of the other key
	Escalation   []Recipient    `json:"escalation,omitempty"`   // joined: what is left of the list
	Claimed      time.Time      `json:"claimed,omitzero"`       // joined: when the turn was claimed; of older programs it is zero
	Acknowledges bool           `json:"acknowledges,omitempty"` // cancel-requested, tombstone: it is an acknowledgment

	Residue *Call  `json:"residue,omitempty"` // forgotten: what is left of the row, without version and head
	Prev    string `json:"prev,omitempty"`    // forgotten: hash of the entry before, which is destroyed with all others

	body string // the pinned body on its way into the row; not part of the history
}

// Opening is what a row begins with.
type Opening struct {
	Key         Key               `json:"key"`
	Ring        int               `json:"ring,omitempty"`
	Cause       Cause             `json:"cause"`
	Fingerprint string            `json:"fingerprint,omitempty"`
	Destination string            `json:"destination,omitempty"`
	Attributes  map[string]string `json:"attributes,omitempty"`
	Profile     string            `json:"profile,omitempty"`
	AskedToken  string            `json:"askedToken,omitempty"`
	LinkedTo    string            `json:"linkedTo,omitempty"`
	Token       string            `json:"token,omitempty"`
	RequestedAt time.Time         `json:"requestedAt,omitzero"`
	Tier        Tier              `json:"tier,omitempty"`
	NotAfter    time.Time         `json:"notAfter,omitzero"`

	Producer      string      `json:"producer,omitempty"`
	Zone          string      `json:"zone,omitempty"`
	Urgent        bool        `json:"urgent,omitempty"`
	Tracked       bool        `json:"tracked,omitempty"`
	Follows       bool        `json:"follows,omitempty"`
	Recalls       int         `json:"recalls,omitempty"`
	Settings      *Settings   `json:"settings,omitempty"`
	Escalation    []Recipient `json:"escalation,omitempty"`
	EscalatedFrom string      `json:"escalatedFrom,omitempty"`
}

// Arrival is the trace of a delivery in a history or a note.
type Arrival struct {
	Source       Source `json:"source"`
	Producer     string `json:"producer,omitempty"`
	ID           string `json:"id,omitempty"`
	Origin       string `json:"origin,omitempty"`
	ReceiveCount int    `json:"receiveCount,omitempty"`
	Replay       string `json:"replay,omitempty"`
	Trace        string `json:"trace,omitempty"` // Trace.String
	Span         string `json:"span,omitempty"`  // Trace.Parent: what accepted it, or what sent it
}

func (d Delivery) arrival() *Arrival {
	return &Arrival{
		Source: d.Source, Producer: d.Producer, ID: d.ID, Origin: d.Origin, ReceiveCount: d.ReceiveCount, Replay: d.Replay, Trace: d.Trace.String(), Span: d.Trace.Parent,
	}
}

// Entry is one line of a history: an event with its place in the row's hash chain. A ledger stores it as it is.
type Entry struct {
	RowID string
	Seq   int64  // the row version this entry made; 1 is the first
	Op    string // op id of the write, unique in the ledger
	Kind  EventKind
	At    time.Time
	Body  []byte // JSON of the Event
	Hash  string // hex SHA-256 over the previous hash, row id, seq, op and body
}

// Event decodes the entry's body.
func (e Entry) Event() (Event, error) {
	var event Event
	if err := json.Unmarshal(e.Body, &event); err != nil {
		return Event{}, fmt.Errorf("decode history entry %d of %s: %w", e.Seq, e.RowID, err)
	}
	return event, nil
}

// chain returns the hash of the entry after the entry that prev is the hash of.
func (e Entry) chain(prev string) string {
	var room [1 << 10]byte // most events are shorter
	buf := append(append(room[:0], prev...), '\n')
	buf = append(append(buf, e.RowID...), '\n')
	buf = append(strconv.AppendInt(buf, e.Seq, 10), '\n')
	buf = append(append(buf, e.Op...), '\n')
	digest := sha256.Sum256(append(buf, e.Body...))
	var text [2 * sha256.Size]byte
	hex.Encode(text[:], digest[:])
	return string(text[:])
}

// Write applies the event to the row and returns the ledger write that makes it durable under the given op id.
func (c Call) Write(event Event, op string) (Write, error) {
	next := c.Apply(event)
	body, err := json.Marshal(event)
	if err != nil {
		return Write{}, fmt.Errorf("encode event %s of %s: %w", event.Kind, next.ID, err)
	}
	entry := Entry{RowID: next.ID, Seq: next.Version, Op: op, Kind: event.Kind, At: event.At, Body: body}
	entry.Hash = entry.chain(c.Head)
	next.Head = entry.Hash
	return Write{Row: next, Entry: entry, Hint: c.hintWith(event, next)}, nil
}
