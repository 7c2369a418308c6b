package call

import (
	"encoding/json"
	"fmt"
	"time"
)

const (
	// SchemaVersion is written into every row but a forgotten one. A program refuses rows of a newer version than it knows instead of
	// misreading them.
	SchemaVersion = 1
	// ForgottenSchema is written into a forgotten row: a program that cannot forget would drop what says that it is one, and ring it again.
	ForgottenSchema = 2
	// newestSchema is what this program reads.
	newestSchema = ForgottenSchema
)

// Attempt is one wire request for a call, from its durable intent to its definite answer.
type Attempt struct {
	ID       string    `json:"id"`
	Opened   time.Time `json:"opened"`             // when the intent became durable
	LeaseEnd time.Time `json:"leaseEnd"`           // last instant at which the attempt may be signed
	Answered bool      `json:"answered,omitempty"` // its sender saw an ambiguous answer, so it is not on its way any more
	Phantom  bool      `json:"phantom,omitempty"`  // stands for attempts that a restore forgot
}

// leaseOver returns the first instant at which the attempt can no longer be signed.
func (a Attempt) leaseOver() time.Time { return a.LeaseEnd.Add(1) }

// Child is the next ring of a key, claimed on the first row and not yet confirmed to exist.
type Child struct {
	Ring        int       `json:"ring"`
	Cause       Cause     `json:"cause"`
	RequestedAt time.Time `json:"requestedAt,omitzero"`
	Tier        Tier      `json:"tier,omitempty"`
	NotAfter    time.Time `json:"notAfter,omitzero"`
	Reason      string    `json:"reason,omitempty"`
	Actor       string    `json:"actor,omitempty"`
	Due         time.Time `json:"due"`
	NotBefore   time.Time `json:"notBefore,omitzero"` // of a re-call by rule: when its wait ends
	Recalls     int       `json:"recalls,omitempty"`  // re-calls by rule that its request has used up, with this one
	Settings    *Settings `json:"settings,omitempty"` // those of the ring before, when the rule pins them
	// Escalation is the list of the request that opened the ring. It moves to the first row with the claim.
	Escalation []Recipient `json:"escalation,omitempty"`
}

// Target is the Amazon Connect instance that a body was made for. It is pinned with the body.
type Target struct {
	Region     string `json:"region,omitempty"`
	InstanceID string `json:"instanceId,omitempty"`
}

// Call is the ledger's row: one ring to be made, and everything known about it. A row changes only by [Call.Apply].
type Call struct {
	Schema  int    `json:"schema"`
	ID      string `json:"id"`
	Key     Key    `json:"key"`
	Ring    int    `json:"ring,omitempty"`
	Version int64  `json:"version"`
	State   State  `json:"state"`
	Code    Code   `json:"code,omitempty"` // why it failed, expired, was canceled or is in doubt
	Message string `json:"message,omitempty"`
	Cause   Cause  `json:"cause"`

	Fingerprint string            `json:"fingerprint,omitempty"`
	Destination string            `json:"destination,omitempty"` // wire digits; print with Phone
	Attributes  map[string]string `json:"attributes,omitempty"`
	Profile     string            `json:"profile,omitempty"` // as asked
	AskedToken  string            `json:"askedToken,omitempty"`
	LinkedTo    string            `json:"linkedTo,omitempty"` // the row whose key lacks this key's recallId

	Token       string    `json:"token,omitempty"`
	RequestedAt time.Time `json:"requestedAt,omitzero"` // best stamp of the delivery that opened the ring
	Tier        Tier      `json:"tier,omitempty"`
	NotAfter    time.Time `json:"notAfter,omitzero"`
	AcceptedAt  time.Time `json:"acceptedAt"`
	FinalAt     time.Time `json:"finalAt,omitzero"`

	FirstSigned   time.Time `json:"firstSigned,omitzero"` // lower bound of every signature of this row
	Pin           string    `json:"pin,omitempty"`        // the serialized body of attempt 1, byte for byte
	PinHash       string    `json:"pinHash,omitempty"`
	Target        Target    `json:"target,omitzero"`
	Open          []Attempt `json:"open,omitempty"` // attempts without a definite answer
	AttemptCount  int       `json:"attemptCount,omitempty"`
	Retries       int       `json:"retries,omitempty"`       // attempts in a row that were closed and may be repeated
	TokenUsed     bool      `json:"tokenUsed,omitempty"`     // an attempt was not NOT-SENT: the token may exist at Connect
	Refused       Code      `json:"refused,omitempty"`       // a refusal for good, waiting for the open attempts
	SetupRefused  bool      `json:"setupRefused,omitempty"`  // the last definite answer blamed our configuration
	SetupRefusals int       `json:"setupRefusals,omitempty"` // how many of Retries blamed our configuration: they exhaust nothing
	Superseded    Cause     `json:"superseded,omitempty"`    // fenced: the next ring takes over, no further intent here

	Due       time.Time `json:"due,omitzero"` // when the sweep looks again
	DueReason string    `json:"dueReason,omitempty"`
	Looks     int       `json:"looks,omitempty"` // scheduled looks for evidence that found nothing
	LastLook  time.Time `json:"lastLook,omitzero"`

	ContactID       string    `json:"contactId,omitempty"`
	ContactFrom     string    `json:"contactFrom,omitempty"` // answer, event, search, person
	PlacedAt        time.Time `json:"placedAt,omitzero"`
	CancelRequested time.Time `json:"cancelRequested,omitzero"`
	Tombstone       bool      `json:"tombstone,omitempty"` // canceled before any request arrived: no body yet
	Anomalies       []string  `json:"anomalies,omitempty"` // contact ids that must not exist

	Producer string    `json:"producer,omitempty"` // of the delivery that opened the ring
	Zone     string    `json:"zone,omitempty"`     // time zone of the recipient, as asked
	Urgent   bool      `json:"urgent,omitempty"`   // asked to ring at once, whatever the hours
	Released string    `json:"released,omitempty"` // who released the held call
	Recalls  int       `json:"recalls,omitempty"`  // re-calls by rule that its request has used up, with this one
	Settings *Settings `json:"settings,omitempty"` // of a re-call whose rule pins those of the ring before
	Dialed   *Settings `json:"dialed,omitempty"`   // what the stored body was made with, where the rule of a further ring needs it

	Tracked  bool           `json:"tracked,omitempty"` // what becomes of the contact is to be known
	Follows  bool           `json:"follows,omitempty"` // what comes after the end is to be decided
	Sight    *Sight         `json:"sight,omitempty"`
	Outcome  ContactOutcome `json:"outcome,omitempty"`  // what became of the contact, as far as Sight tells; empty while nothing does
	Followup string         `json:"followup,omitempty"` // what was decided after the end: recall, escalation, nothing, acknowledged
	TooLate  time.Time      `json:"tooLate,omitzero"`   // when a cancel or an acknowledgment came after the ring

	Forgotten time.Time `json:"forgotten,omitzero"` // when everything of the recipient was erased from the row; zero for every other row
	FirstRow  string    `json:"firstRow,omitempty"` // of a forgotten later ring: id of its key's first row, which its key does not tell any more

	// The members below live on the first row of a key (ring 0).
	LastRing       int         `json:"lastRing,omitempty"`
	Next           *Child      `json:"next,omitempty"`
	PlacedThrough  time.Time   `json:"placedThrough,omitzero"`  // latest placing of the rings before the last one
	CanceledBefore time.Time   `json:"canceledBefore,omitzero"` // requests not later than this never open a ring
	Acknowledged   time.Time   `json:"acknowledged,omitzero"`   // latest acknowledgment of what the key is about; each is a cancel too
	Forgetting     time.Time   `json:"forgetting,omitzero"`     // when the erasure of the key's rings began: none is ever opened again
	Escalation     []Recipient `json:"escalation,omitempty"`    // who is rung after this key's recipient, in this order
	EscalatedFrom  string      `json:"escalatedFrom,omitempty"` // first row of the key whose escalation list named this recipient
	Joined         bool        `json:"joined,omitempty"`        // what is left of the list is all of the key that it came from
	JoinedTurn     time.Time   `json:"joinedTurn,omitzero"`     // when the turn was claimed in which the key became a step of that list; zero in what older programs wrote
	Turn           *Turn       `json:"turn,omitempty"`          // claimed, and not yet confirmed
	EscalatedTo    string      `json:"escalatedTo,omitempty"`   // first row of the recipient that followed

	Head string `json:"head"` // hash of the newest history entry
}

// Phone returns the destination as a value that masks itself. It is zero for a tombstone.
func (c Call) Phone() Phone { return Phone{e164: c.Destination} }

// DueAt returns when the sweep must look at the row: for itself or for a next ring that is not confirmed. Zero means never.
func (c Call) DueAt() time.Time {
	due := c.Due
	if c.Next != nil && (due.IsZero() || c.Next.Due.Before(due)) {
		due = c.Next.Due
	}
	if c.Turn != nil && (due.IsZero() || c.Turn.Due.Before(due)) {
		due = c.Turn.Due
	}
	return due
}

// SettledAt returns when the last open attempt can no longer be newly accepted; zero when none is open.
func (c Call) SettledAt() time.Time {
	var settled time.Time
	for _, a := range c.Open {
		if at := a.LeaseEnd.Add(SettleTime); at.After(settled) {
			settled = at
		}
	}
	return settled
}

// Settled reports whether no attempt of the row can still be newly accepted.
func (c Call) Settled(now time.Time) bool {
	return len(c.Open) == 0 || now.After(c.SettledAt())
}

// Encode returns the row as a ledger stores it.
func (c Call) Encode() ([]byte, error) { return json.Marshal(c) }

// DecodeCall reads a row that Encode wrote. It returns ErrNewerRow for a row of a newer schema. Ledgers read with internal/ledger/stored, which answers
// the same in half the time.
func DecodeCall(data []byte) (Call, error) {
	var c Call
	if err := json.Unmarshal(data, &c); err != nil {
		return Call{}, fmt.Errorf("decode a call: %w", err)
	}
	return c, c.Readable()
}

// Readable returns ErrNewerRow for a row of a newer schema than this program knows, whose members it would misread.
func (c Call) Readable() error {
	if c.Schema > newestSchema {
		return fmt.Errorf("row %s has schema %d, this program knows %d: %w", c.ID, c.Schema, newestSchema, ErrNewerRow)
	}
	return nil
}

func (c Call) clone() Call {
	c.Open = append([]Attempt(nil), c.Open...)
	c.Anomalies = append([]string(nil), c.Anomalies...)
	if c.Next != nil {
		next := *c.Next
		c.Next = &next
	}
	c.Sight, c.Turn, c.Settings, c.Dialed = cloneOf(c.Sight), cloneOf(c.Turn), cloneOf(c.Settings), cloneOf(c.Dialed)
	return c
}

func cloneOf[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}
