package flow

import (
	"strconv"

	"github.com/ringonce/ringonce/internal/call"
)

// Answer is what a flow is told: a flat object of texts, which is all that a flow reads without a schema (Administrator Guide, "Verify
// the function response"). It holds no phone number.
type Answer struct {
	Wanted    string `json:"wanted"`    // yes or no: hang up
	Why       string `json:"why"`       // why not, or what was not known; empty for the usual call
	CallID    string `json:"callId"`    // empty when the contact has none
	Ring      string `json:"ring"`      // 0 is the first
	State     string `json:"state"`     // of the call, empty when it is not known
	Confirmed string `json:"confirmed"` // yes or no: a confirmation of this contact is kept
	OptedOut  string `json:"optedOut"`  // yes or no: this wish not to be rung any more is kept
}

// AnswerOf returns the answer in the words of a flow.
func AnswerOf(a call.CheckInAnswer) Answer {
	return Answer{
		Wanted: yesNo(a.Wanted), Why: a.Why, CallID: a.CallID, Ring: strconv.Itoa(a.Ring), State: string(a.State), Confirmed: yesNo(a.Confirmed),
		OptedOut: yesNo(a.OptedOut),
	}
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}
