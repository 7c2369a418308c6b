package twoperson

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/call"
)

// State is where an order stands.
type State string

// The states of an order. Only a pending one can be confirmed or withdrawn, only a confirmed one is carried out.
const (
	Pending   State = "pending"
	Confirmed State = "confirmed" // may be carried out, also again after a crash: each re-call carries the order's id, so it rings once
	Done      State = "done"
	Withdrawn State = "withdrawn"
)

// Expired is what a pending order is when nobody confirmed it in time. No order is stored so.
const Expired State = "expired"

// The bounds of an order.
const (
	MostCalls = 500            // so that it fits into a cell with what became of each
	Lasts     = 24 * time.Hour // a pending order that is older cannot be confirmed, and what a confirmed one did not do by then stays undone
)

// The bounds of a lease. Who works renews it before an act when the last renewal is RenewEvery ago, and gives each act LongestAct, so it has stopped well before
// somebody else has seen the same lease for LeaseLasts, whatever their clocks show; they only have to run about equally fast. An act ends with its record in the
// audit log, which has no bound: while a disk hangs, another one may do the same act, which changes a call once, and has a record of its own.
const (
	RenewEvery = 10 * time.Second
	LongestAct = 30 * time.Second
	LeaseLasts = 45 * time.Second // under a minute: who looks each minute takes a lease over at its second look
)

// Wish is what somebody orders.
type Wish struct {
	ID       string            // of the order; empty for a random one
	Ask      string            // digest of what was asked, so that the same question finds its order again; empty: none does
	Action   string            // such as call.recall
	Calls    []string          // row ids
	Held     map[string]string // of an act on held calls: why each was held when it was seen
	Reason   string            //
	InDoubt  int               // how many of the calls may have rung
	Doubts   bool              // calls in doubt are rung again too
	NotAfter time.Time         // no ring after this time; zero means none
	Excluded map[string]int    // calls that were chosen and are not rung again, by reason
	Alone    bool              // needs no second person
}

// Order is an act that waits for a second person, or one that is carried out.
type Order struct {
	ID       string         `json:"id"`
	Ask      string         `json:"ask,omitempty"`
	Action   string         `json:"action"`         // such as call.recall
	Calls    []string       `json:"calls"`          // row ids, sorted, each once
	Held     []string       `json:"held,omitempty"` // why each of them was held, in their order; orders of older programs do not say it
	Reason   string         `json:"reason"`
	InDoubt  int            `json:"inDoubt,omitempty"` // how many of them may have rung
	Doubts   bool           `json:"doubts,omitempty"`  // calls in doubt are rung again too
	NotAfter time.Time      `json:"notAfter,omitzero"`
	Excluded map[string]int `json:"excluded,omitempty"` // calls that were chosen and are not in it, by reason
	By       string         `json:"by"`                 // the first person
	At       time.Time      `json:"at"`
	State    State          `json:"state"`
	Second   string         `json:"second,omitempty"` // who confirmed or withdrew it; empty where nobody had to
	Decided  time.Time      `json:"decided,omitzero"`
	Why      string         `json:"why,omitempty"`     // it was withdrawn
	Results  []string       `json:"results,omitempty"` // of a done one: a code for each of Calls, in their order
	Lease    Lease          `json:"lease,omitzero"`    // of a confirmed one: who carries it out; programs of before ignore and drop it
}

// The codes of refusals, besides those of package call.
const (
	CodeSecondPerson call.Code = "second_person_needed"
	CodeNotPending   call.Code = "order_not_pending"
	CodeRole         call.Code = "role_needed"
)

// Propose makes an order. Nobody who is not named can propose one that needs a second person: nothing could tell them apart.
func Propose(who access.Principal, w Wish, now time.Time) (Order, error) {
	if err := entitled(who); err != nil && (!w.Alone || !who.Anonymous || !who.May(access.RoleAdmin)) {
		return Order{}, err
	}
	calls := slices.Compact(slices.Sorted(slices.Values(w.Calls)))
	switch {
	case len(calls) == 0 || len(calls) > MostCalls || calls[0] == "":
		return Order{}, refuse(call.CodeFieldValue, "calls", "An order is about 1 to 500 calls.", "Order in several parts.")
	case strings.TrimSpace(w.Reason) == "" || len(w.Reason) > mostReason:
		return Order{}, refuse(call.CodeReasonMissing, "reason", "An order needs a reason of at most 2000 bytes.", "Say why these calls are to ring again.")
	}
	o := Order{
		ID: w.ID, Ask: w.Ask, Action: w.Action, Calls: calls, Reason: w.Reason, InDoubt: w.InDoubt, Doubts: w.Doubts, NotAfter: w.NotAfter, Excluded: w.Excluded,
		By: who.Name, At: now.UTC(), State: Pending,
	}
	for _, id := range calls {
		if w.Held != nil {
			o.Held = append(o.Held, w.Held[id])
		}
	}
	if w.Alone {
		o.State, o.Decided = Confirmed, o.At
	}
	return o, nil
}

// mostReason in bytes: 500 characters.
const mostReason = 2000

// StateAt returns the state at an instant: a pending order that is too old is expired.
func (o Order) StateAt(now time.Time) State {
	if o.State == Pending && !now.Before(o.Ends()) {
		return Expired
	}
	return o.State
}

// Ends returns when a pending order can be confirmed no more.
func (o Order) Ends() time.Time { return o.At.Add(Lasts) }

// Late reports whether a confirmed order must not be carried out any more: whoever confirmed it meant then, not days later.
func (o Order) Late(now time.Time) bool { return !now.Before(o.Decided.Add(Lasts)) }

// HeldFor returns why a call was held when it was seen; empty where the order does not say it.
func (o Order) HeldFor(id string) string {
	if i, known := slices.BinarySearch(o.Calls, id); known && i < len(o.Held) {
		return o.Held[i]
	}
	return ""
}

// Digest is of what was ordered. Whoever confirms gives back the one that was shown.
func (o Order) Digest() string {
	o.State, o.Second, o.Decided, o.Why, o.Results, o.Lease = "", "", time.Time{}, "", nil, Lease{}
	text, err := json.Marshal(o)
	if err != nil { // texts and a time: cannot fail
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Confirm decides on a confirmation: by another person than the first, with the same role, of a pending order that is not too old, of the content that was seen.
func (o Order) Confirm(who access.Principal, seen string, now time.Time) (Order, error) {
	if err := entitled(who); err != nil {
		return o, err
	}
	switch {
	case o.State != Pending:
		return o, refuse(CodeNotPending, "id", "The order is "+string(o.State)+".", "Propose it anew.")
	case o.StateAt(now) == Expired:
		return o, refuse(CodeNotPending, "id", "The order is older than a day.", "Propose it anew.")
	case samePerson(o.By, who.Name):
		return o, refuse(CodeSecondPerson, "id", "Who proposed an order cannot confirm it.", "Ask another operator with the role admin.")
	case seen != o.Digest():
		return o, refuse(call.CodeConflict, "digest", "What is confirmed is not what was ordered.", "Look at the order again, and confirm the digest that it shows.")
	}
	o.State, o.Second, o.Decided = Confirmed, who.Name, now.UTC()
	return o, nil
}

// Confirms reports whether the order is confirmed by that person, of that content: the same confirmation may come again, since its answer may have been lost.
func (o Order) Confirms(who access.Principal, seen string) bool {
	return (o.State == Confirmed || o.State == Done) && o.Second != "" && o.Second == who.Name && seen == o.Digest() && entitled(who) == nil
}

// Withdraw decides on giving an order up, which either person may.
func (o Order) Withdraw(who access.Principal, why string, now time.Time) (Order, error) {
	if err := entitled(who); err != nil {
		return o, err
	}
	if o.State != Pending {
		return o, refuse(CodeNotPending, "id", "The order is "+string(o.State)+".", "Nothing is left to withdraw.")
	}
	o.State, o.Second, o.Decided, o.Why = Withdrawn, who.Name, now.UTC(), why
	return o, nil
}

// finish decides that a confirmed order was carried out. What was written first stays.
func (o Order) finish(results []string) (Order, error) {
	if o.State == Done {
		return o, nil
	}
	if o.State != Confirmed {
		return o, refuse(CodeNotPending, "id", "The order is "+string(o.State)+".", "Have it confirmed first.")
	}
	o.State, o.Results, o.Lease = Done, results, Lease{}
	return o, nil
}

func entitled(who access.Principal) error {
	if who.Anonymous || strings.TrimSpace(who.Name) == "" || !who.May(access.RoleAdmin) {
		return refuse(CodeRole, "", "Orders are for named operators with the role admin.", "Sign in as one; a service without credentials knows nobody's name.")
	}
	return nil
}

// samePerson compares names as an address book does: one person who signs in as Ann and as ann is one person.
func samePerson(a, b string) bool {
	return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}

func refuse(code call.Code, field, message, fix string) error {
	return &call.Error{Code: code, Field: field, Message: message, Fix: fix}
}
