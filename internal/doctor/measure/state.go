package measure

import (
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// StateVersion is written into every state; another one is refused.
const StateVersion = 1

// Heard is what the person says of the telephone.
type Heard string

// The answers; empty while the person has not been asked.
const (
	HeardRing    Heard = "rang"
	HeardNothing Heard = "silent"
)

// State is everything that is known so far. It holds no phone number.
type State struct {
	Version int         `json:"version"`
	Target  call.Target `json:"target"`
	Check   Check       `json:"check"` // of number, flow and caller id, so that every run uses the same
	Began   time.Time   `json:"began"`

	Asked     time.Time `json:"asked,omitzero"` // of the last question whose answer is recorded
	Consented int       `json:"consented"`      // rings that the person has agreed to
	Rings     int       `json:"rings"`          // contacts that dialed, or may have
	Open      *Open     `json:"open,omitempty"` // a request whose answer is not recorded: the process ended under it

	Chain   Chain  `json:"chain"`             // step a
	Params  *Trial `json:"params,omitempty"`  // step b
	Refusal *Trial `json:"refusal,omitempty"` // step c
	Late    []Late `json:"late,omitempty"`    // step d
	Scope   *Trial `json:"scope,omitempty"`   // step e

	Lost []Lost `json:"lost,omitempty"` // what was given up, and why
}

// Step names a step of protocol.md section 14.
type Step string

// The steps.
const (
	StepChain   Step = "a"
	StepParams  Step = "b"
	StepRefusal Step = "c"
	StepLate    Step = "d"
	StepScope   Step = "e"
)

// Open is a request that was about to be sent.
type Open struct {
	Step Step      `json:"step"`
	At   time.Time `json:"at"`
}

// Lost is a try that decides nothing.
type Lost struct {
	Step Step      `json:"step"`
	At   time.Time `json:"at"`
	Why  string    `json:"why"`

	Asked bool `json:"asked,omitempty"` // the person has said how often the telephone rang for it
	Heard int  `json:"heard,omitempty"`
}

// Chain is one token, the contact that it started, and what came of sending it again.
type Chain struct {
	Token   string    `json:"token,omitempty"`
	Contact string    `json:"contact,omitempty"`
	Placed  time.Time `json:"placed,omitzero"`
	Ended   time.Time `json:"ended,omitzero"` // when Amazon Connect says that the contact was disconnected
	Heard   Heard     `json:"heard,omitempty"`
	Repeats []Repeat  `json:"repeats,omitempty"`
}

// Repeat is the same token and the same bytes sent again.
type Repeat struct {
	After     time.Duration `json:"after"` // which step it was
	At        time.Time     `json:"at"`
	Contact   string        `json:"contact,omitempty"`
	Initiated time.Time     `json:"initiated,omitzero"` // of another contact than the first, as Amazon Connect describes it
	Code      call.Code     `json:"code,omitempty"`     // of a refusal
	Heard     Heard         `json:"heard,omitempty"`
}

// Outcome is what a trial found.
type Outcome string

// The outcomes of the steps b, c and e.
const (
	SameContact Outcome = "same-contact" // the old contact id came back
	NewContact  Outcome = "new-contact"  // another contact was started
	Refused     Outcome = "refused"      // the second request was refused
	NotRefused  Outcome = "not-refused"  // step c: the flow that should be refused was taken
)

// Trial is a pair of requests with one token.
type Trial struct {
	At      time.Time `json:"at"`
	Outcome Outcome   `json:"outcome"`
	Code    call.Code `json:"code,omitempty"` // of a refusal
	First   string    `json:"first,omitempty"`
	Second  string    `json:"second,omitempty"`
	Heard   Heard     `json:"heard,omitempty"`
}

// Late is a request whose signature was already old.
type Late struct {
	Age      time.Duration `json:"age"`
	Rejected bool          `json:"rejected"`
	Code     call.Code     `json:"code,omitempty"`
}

// The steps of the chain: how long after the first call the token is sent again. The last lies within the 7 days of its validity with a
// margin for a person who comes back late.
const (
	Soon    = 2 * time.Minute
	Later   = time.Hour
	Days    = 6 * 24 * time.Hour
	TooLate = call.TokenValidity - time.Hour
)

// repeatsAfter are the steps of the chain in their order.
var repeatsAfter = []time.Duration{Soon, Later, Days}

// lateAges are the ages of signatures in step d.
var lateAges = []time.Duration{6 * time.Minute, 16 * time.Minute}
