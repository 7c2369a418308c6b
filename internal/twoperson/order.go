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

// The bounds of an order.
const (
	MostCalls = 1000           // so that it fits into a cell
	Lasts     = 24 * time.Hour // a pending order that is older cannot be confirmed
)

// Order is an act that waits for a second person.
type Order struct {
	ID      string    `json:"id"`
	Action  string    `json:"action"` // such as call.recall
	Calls   []string  `json:"calls"`  // row ids, sorted, each once
	Reason  string    `json:"reason"`
	By      string    `json:"by"` // the first person
	At      time.Time `json:"at"`
	State   State     `json:"state"`
	Second  string    `json:"second,omitempty"` // who confirmed or withdrew it
	Decided time.Time `json:"decided,omitzero"`
}

// The codes of refusals, besides those of package call.
const (
	CodeSecondPerson call.Code = "second_person_needed"
	CodeNotPending   call.Code = "order_not_pending"
	CodeRole         call.Code = "role_needed"
)

// Propose makes an order. Nobody who is not named can propose one: nothing could tell a second person apart.
func Propose(who access.Principal, id, action string, calls []string, reason string, now time.Time) (Order, error) {
	if err := entitled(who); err != nil {
		return Order{}, err
	}
	calls = slices.Compact(slices.Sorted(slices.Values(calls)))
	switch {
	case len(calls) == 0 || len(calls) > MostCalls || calls[0] == "":
		return Order{}, refuse(call.CodeFieldValue, "calls", "An order is about 1 to 1000 calls.", "Propose several orders.")
	case strings.TrimSpace(reason) == "" || len(reason) > 500:
		return Order{}, refuse(call.CodeReasonMissing, "reason", "An order needs a reason of at most 500 bytes.", "Say why these calls are to ring again.")
	}
	return Order{ID: id, Action: action, Calls: calls, Reason: reason, By: who.Name, At: now.UTC(), State: Pending}, nil
}

// Digest is of what was ordered. Whoever confirms gives back the one that was shown.
func (o Order) Digest() string {
	o.State, o.Second, o.Decided = "", "", time.Time{}
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
	case !now.Before(o.At.Add(Lasts)):
		return o, refuse(CodeNotPending, "id", "The order is older than a day.", "Propose it anew.")
	case samePerson(o.By, who.Name):
		return o, refuse(CodeSecondPerson, "id", "Who proposed an order cannot confirm it.", "Ask another operator with the role admin.")
	case seen != o.Digest():
		return o, refuse(call.CodeConflict, "digest", "What is confirmed is not what was ordered.", "Look at the order again, and confirm the digest that it shows.")
	}
	o.State, o.Second, o.Decided = Confirmed, who.Name, now.UTC()
	return o, nil
}

// Withdraw decides on giving an order up, which either person may.
func (o Order) Withdraw(who access.Principal, now time.Time) (Order, error) {
	if err := entitled(who); err != nil {
		return o, err
	}
	if o.State != Pending {
		return o, refuse(CodeNotPending, "id", "The order is "+string(o.State)+".", "Nothing is left to withdraw.")
	}
	o.State, o.Second, o.Decided = Withdrawn, who.Name, now.UTC()
	return o, nil
}

// finish decides that a confirmed order was carried out.
func (o Order) finish() (Order, error) {
	if o.State != Confirmed && o.State != Done {
		return o, refuse(CodeNotPending, "id", "The order is "+string(o.State)+".", "Have it confirmed first.")
	}
	o.State = Done
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
