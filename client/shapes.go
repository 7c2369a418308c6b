package client

import (
	"encoding/json"
	"fmt"
	"time"
)

// Request asks for one call; schema/call-request.schema.json says what each member takes.
type Request struct {
	NotificationID         string            `json:"notificationId"`
	RecipientID            string            `json:"recipientId"`
	DestinationPhoneNumber string            `json:"destinationPhoneNumber,omitempty"`
	RecallID               string            `json:"recallId,omitempty"`
	ClientToken            string            `json:"clientToken,omitempty"`
	Profile                string            `json:"profile,omitempty"`
	RequestedAt            time.Time         `json:"requestedAt,omitzero"`
	NotAfter               time.Time         `json:"notAfter,omitzero"`
	Attributes             map[string]string `json:"attributes,omitempty"`
	Action                 string            `json:"action,omitempty"` // call, cancel or acknowledge; empty means call
	TimeZone               string            `json:"timeZone,omitempty"`
	Urgent                 bool              `json:"urgent,omitempty"`
	Escalation             []Recipient       `json:"escalation,omitempty"`
}

// text is the request as it is sent.
func (r Request) text() ([]byte, error) {
	text, err := json.Marshal(r) //nolint:gosec // a client token is an id of the producer and no secret
	if err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	return text, nil
}

// Recipient is rung when the calls of those before end unconfirmed.
type Recipient struct {
	RecipientID            string `json:"recipientId"`
	DestinationPhoneNumber string `json:"destinationPhoneNumber,omitempty"`
	Profile                string `json:"profile,omitempty"`
}

// Placed is the answer to a request for a call.
type Placed struct {
	Answer      string    `json:"answer"` // accepted, placed, duplicate, held, dialing, ended or withdrawn
	Sentence    string    `json:"sentence"`
	CallID      string    `json:"callId"`
	State       string    `json:"state"`
	Ring        int       `json:"ring"`
	ContactID   string    `json:"contactId"`
	DuplicateOf string    `json:"duplicateOf"`
	Suppressed  string    `json:"suppressed"` // why nothing was dialed for this request
	HeldFor     string    `json:"heldFor"`
	HeldUntil   time.Time `json:"heldUntil"`
	Code        string    `json:"code"`
	Message     string    `json:"message"`
	Replayed    bool      `json:"-"` // the answer to an earlier request with the same key
}

// Result is the answer to one item of a batch: Placed or Problem.
type Result struct {
	Index   int     `json:"index"`
	Status  int     `json:"status"` // that the item alone would have been answered with
	Placed  *Placed `json:"placed"`
	Problem *Error  `json:"problem"`
}

// Call is a call as a list shows it. Its number is masked.
type Call struct {
	ID             string    `json:"id"`
	NotificationID string    `json:"notificationId"`
	RecipientID    string    `json:"recipientId"`
	RecallID       string    `json:"recallId"`
	KeySpace       string    `json:"keySpace"`
	Kind           string    `json:"kind"`
	Ring           int       `json:"ring"`
	RecallCount    int       `json:"recallCount"` // further rings of the key
	State          string    `json:"state"`
	Outcome        string    `json:"outcome"`
	Destination    string    `json:"destination"`
	Profile        string    `json:"profile"`
	Producer       string    `json:"producer"`
	ContactID      string    `json:"contactId"`
	ClientToken    string    `json:"clientToken"` // told to operators, and to producers of its own key space
	AcceptedAt     time.Time `json:"acceptedAt"`
	PlacedAt       time.Time `json:"placedAt"`
	FinalAt        time.Time `json:"finalAt"`
	ForgottenAt    time.Time `json:"forgottenAt"`
	Due            time.Time `json:"due"`
	DueReason      string    `json:"dueReason"`
	Looks          int       `json:"looks"`     // of a call in doubt: looks for evidence that found nothing
	NextLook       time.Time `json:"nextLook"`  // of a call in doubt: zero when no look is planned
	SettledAt      time.Time `json:"settledAt"` // of a call in doubt: when no dial of it can be accepted any more
	Code           string    `json:"code"`
	Message        string    `json:"message"`
}

// Detail is everything that is known about one call.
type Detail struct {
	Call            Call      `json:"call"`
	Sentence        string    `json:"sentence"` // what the state means
	Cause           string    `json:"cause"`
	RequestedAt     time.Time `json:"requestedAt"`
	RequestedAtTier string    `json:"requestedAtTier"`
	NotAfter        time.Time `json:"notAfter"`
	TimeZone        string    `json:"timeZone"`
	Urgent          bool      `json:"urgent"`
	ReleasedBy      string    `json:"releasedBy"`
	AcknowledgedAt  time.Time `json:"acknowledgedAt"`
	SettledAt       time.Time `json:"settledAt"`
	Attempts        []Attempt `json:"attempts"` // of this ring, oldest first
	AttemptCount    int       `json:"attemptCount"`
	ContactFrom     string    `json:"contactFrom"` // answer, event, search or person
	Sight           *Sight    `json:"sight"`       // nil while nothing is known of the contact's life
	Anomalies       []string  `json:"anomalies"`   // contacts that must not exist
	AskedToken      string    `json:"askedToken"`  // the request's own clientToken, which the recipe does not use
	LinkedTo        string    `json:"linkedTo"`    // the call whose key lacks this one's recallId
	LinkedFrom      []string  `json:"linkedFrom"`  // calls with a recallId that are linked to this one
	TooLate         time.Time `json:"tooLate"`     // when a cancel or an acknowledgment came after the ring
	Followup        string    `json:"followup"`
	EscalatedTo     string    `json:"escalatedTo"`
	EscalatedFrom   string    `json:"escalatedFrom"`
	EscalationLeft  int       `json:"escalationLeft"`
	Suppressed      int       `json:"suppressed"`
	Timeline        []Line    `json:"timeline"`
	Rings           []Ring    `json:"rings"`
}

// Attempt is one dial of a ring: at most one request to Amazon Connect.
type Attempt struct {
	ID          string    `json:"id"`
	Ring        int       `json:"ring"`
	State       string    `json:"state"` // open, ok, ambiguous, refused_request, refused_setup, throttled or not_sent
	ClientToken string    `json:"clientToken"`
	OpenedAt    time.Time `json:"openedAt"` // when the intent was durable
	LeaseEnd    time.Time `json:"leaseEnd"`
	AnsweredAt  time.Time `json:"answeredAt"` // zero: its process never reported an answer
	TookMS      int64     `json:"tookMs"`
	WireSends   int       `json:"wireSends"` // 0 when nothing was sent, else 1
	ContactID   string    `json:"contactId"`
	Code        string    `json:"code"`
	Message     string    `json:"message"`
	Phantom     bool      `json:"phantom"` // stands for attempts that a restore may have forgotten
}

// Sight is what is known of a contact's life. A zero time is not known.
type Sight struct {
	Initiated    time.Time `json:"initiated"`
	Connected    time.Time `json:"connected"` // media was established
	Queued       time.Time `json:"queued"`
	Agent        time.Time `json:"agent"`
	Disconnected time.Time `json:"disconnected"`
	Reason       Remark    `json:"reason"`
	Machine      Remark    `json:"machine"`
	CheckedIn    time.Time `json:"checkedIn"`
	Key          Remark    `json:"key"`
	Confirmed    time.Time `json:"confirmed"`
	Unwanted     time.Time `json:"unwanted"`
	Described    time.Time `json:"described"`
}

// Remark is a word of Amazon Connect, and when it was said.
type Remark struct {
	Text string    `json:"text"`
	At   time.Time `json:"at"`
}

// Line is one line of a call's timeline.
type Line struct {
	At      time.Time `json:"at"`
	AfterMS int64     `json:"afterMs"` // since the line before
	Kind    string    `json:"kind"`
	What    string    `json:"what"` // a sentence for an operator
	Actor   string    `json:"actor"`
}

// Ring is one ring of a key.
type Ring struct {
	ID    string `json:"id"`
	Ring  int    `json:"ring"`
	State string `json:"state"`
	Cause string `json:"cause"` // why it exists
}

// Acted is a call after an act.
type Acted struct {
	Call        Call      `json:"call"`
	Sentence    string    `json:"sentence"`
	CameTooLate bool      `json:"cameTooLate"` // it rang before
	Anomaly     bool      `json:"anomaly"`     // the contact must not exist
	Actor       string    `json:"actor"`       // of a doubt: who acted, as the history names them
	HeldFor     string    `json:"heldFor"`     // why it waits still
	HeldUntil   time.Time `json:"heldUntil"`
}

// Page is a part of a list. It may be empty while NextCursor is not.
type Page struct {
	Calls      []Call `json:"calls"`
	NextCursor string `json:"nextCursor"` // of the next page; empty at the end
	Number     string `json:"number"`     // that was searched for, masked
	NumberHash string `json:"numberHash"` // keyed: names the number in a ticket without telling it
}

// Held is a call that waits for its dial.
type Held struct {
	Call       Call      `json:"call"`
	Reason     string    `json:"reason"`
	Due        time.Time `json:"due"`
	NotAfter   time.Time `json:"notAfter"`
	Parked     bool      `json:"parked"` // it waits for a person
	Urgent     bool      `json:"urgent"`
	ReleasedBy string    `json:"releasedBy"`
}

// HeldPage is what a look at the held calls found.
type HeldPage struct {
	Calls        []Held      `json:"calls"`
	More         bool        `json:"more"`         // there may be held calls behind these
	NextCursor   string      `json:"nextCursor"`   // of the next page; empty at the end
	Counts       []HeldCount `json:"counts"`       // when they were asked for, the most calls first
	OnlyLookedAt int         `json:"onlyLookedAt"` // of more calls with a due time than one request looks at, so many; else 0
}

// HeldCount counts the calls that are held for one reason.
type HeldCount struct {
	Reason   string    `json:"reason"`
	Calls    int       `json:"calls"`
	FirstDue time.Time `json:"firstDue"`
}

// Deliveries are those that a call answered without dialing.
type Deliveries struct {
	Count int        `json:"count"` // also those whose text was not kept
	Kept  []Delivery `json:"kept"`
}

// Delivery is one of them.
type Delivery struct {
	At       time.Time `json:"at"`
	Kind     string    `json:"kind"` // suppressed, conflict or refused
	Reason   string    `json:"reason"`
	Source   string    `json:"source"`
	Delivery string    `json:"delivery"`
}

// Explanation is what would become of a request now.
type Explanation struct {
	Verdict   string    `json:"verdict"`
	Dials     bool      `json:"dials"`
	Reason    string    `json:"reason"`
	CallID    string    `json:"callId"`
	HeldFor   string    `json:"heldFor"`
	HeldUntil time.Time `json:"heldUntil"`
	Code      string    `json:"code"`
	Message   string    `json:"message"`
	Fix       string    `json:"fix"`
	Checks    []Check   `json:"checks"`

	Request *WireRequest `json:"request"` // nil when nothing would be sent
}

// WireRequest is a request that would go to Amazon Connect. Numbers are masked, and sizes stand for the values that a producer chose.
type WireRequest struct {
	Operation  string          `json:"operation"`
	Region     string          `json:"region"`
	Bytes      int             `json:"bytes"`  // of the body on the wire
	SHA256     string          `json:"sha256"` // of the body on the wire
	Body       string          `json:"body"`   // JSON
	Attributes []AttributeSize `json:"attributes"`
}

// AttributeSize is a contact attribute without its value.
type AttributeSize struct {
	Name  string `json:"name"`
	Bytes int    `json:"bytes"`
}

// Check is the answer of one check.
type Check struct {
	Check   string `json:"check"`
	Passes  bool   `json:"passes"`
	Code    string `json:"code"`
	Message string `json:"message"`
}
