package lambda

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
)

// CheckIns takes what a contact flow reports. [call.Engine] implements it.
type CheckIns interface {
	// CheckIn merges a report and answers it, within the context's deadline. Its errors name a report that cannot be read.
	CheckIn(ctx context.Context, q call.CheckIn) (call.CheckInAnswer, error)
}

// checkInPatience is how long a report waits for the ledger. Amazon Connect waits at most 8 seconds and tries three times in them (Administrator
// Guide, "Flow block: AWS Lambda function"), while somebody hears nothing.
const checkInPatience = 2 * time.Second

// The reasons of an answer that never reaches the core. The contact is wanted: somebody picked up.
const (
	whyNoLedger    = "no_ledger"
	whyNotBelieved = "unknown_instance"
	whyNoContact   = "no_contact"
	whyPanicked    = "panicked"
)

// The initiation methods of contacts that a contact of ours became (Administrator Guide, "Contact events data model").
const (
	byTransfer      = "TRANSFER"
	byQueueTransfer = "QUEUE_TRANSFER"
)

// FlowAnswer is what a flow is told: a flat object of texts, which is all that a flow reads without a schema (Administrator Guide, "Verify
// the function response"). It holds no phone number.
type FlowAnswer struct {
	Wanted    string `json:"wanted"`    // yes or no: hang up
	Why       string `json:"why"`       // why not, or what was not known; empty for the usual call
	CallID    string `json:"callId"`    // empty when the contact has none
	Ring      string `json:"ring"`      // 0 is the first
	State     string `json:"state"`     // of the call, empty when it is not known
	Confirmed string `json:"confirmed"` // yes or no: a confirmation of this contact is kept
	OptedOut  string `json:"optedOut"`  // yes or no: this wish not to be rung any more is kept
}

// flowAnswer returns the answer in the words of a flow.
func flowAnswer(a call.CheckInAnswer) FlowAnswer {
	return FlowAnswer{
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

// checkIn answers a flow. Whatever goes wrong, the flow gets an answer: that the contact is wanted.
func (h *Handler) checkIn(l limit, report Report) Report {
	ctx, end := context.WithTimeout(call.WithTrace(l.ctx, report.Results[0].Record.Trace), checkInPatience)
	defer end()
	answer := h.answerFlow(ctx, *report.Results[0].Record.CheckIn)
	report.CheckIn = &answer
	reason := call.Code(report.Results[0].Record.Reason)
	report.Results[0].Outcome = h.outcome(report.Document, call.MetIgnored, reason, "The flow has its answer.")
	report.Answered = h.Clock.Now()
	return report
}

func (h *Handler) answerFlow(ctx context.Context, in envelope.CheckIn) (answer call.CheckInAnswer) {
	defer func() {
		if p := recover(); p != nil {
			answer = h.unheard(ctx, in, whyPanicked, maskDigits(fmt.Sprintf("%v\n%s", p, stack())))
		}
	}()
	target := targetOf(in.InstanceARN)
	switch {
	case h.CheckIns == nil:
		return h.unheard(ctx, in, whyNoLedger, "without a ledger nothing is known of a contact")
	case h.Instance == nil || !h.Instance(target):
		return h.unheard(ctx, in, whyNotBelieved, "no profile dials from the instance that this report names")
	case !guid.MatchString(in.ContactID):
		return h.unheard(ctx, in, whyNoContact, "the report names no contact")
	}
	contactID, callID := reported(in)
	answer, err := h.CheckIns.CheckIn(ctx, call.CheckIn{
		Target: target, ContactID: contactID, CallID: callID, At: h.Clock.Now(), Key: in.Key, Confirms: in.Confirms, OptsOut: in.OptsOut,
	})
	if err != nil {
		return h.unheard(ctx, in, string(call.CodeOf(err)), maskDigits(err.Error()))
	}
	return answer
}

// reported returns which contact of which call a report is about. A transfer makes another contact with the same attributes, which belongs to
// the call by the first one of its chain; what came in from outside is none of ours, whatever its flow wrote into it.
func reported(in envelope.CheckIn) (contactID, callID string) {
	switch in.InitiationMethod {
	case initiatedByAPI, "":
		return in.ContactID, in.CallID
	case byTransfer, byQueueTransfer:
		if guid.MatchString(in.InitialContactID) {
			return in.InitialContactID, in.CallID
		}
	}
	return in.ContactID, ""
}

// unheard answers a report that does not reach the core.
func (h *Handler) unheard(ctx context.Context, in envelope.CheckIn, why, reason string) call.CheckInAnswer {
	told := call.Decided{What: "check-in-unheard", Code: call.Code(why), Reason: reason, RowID: in.CallID, Alarm: why != whyNoLedger}
	if guid.MatchString(in.ContactID) {
		told.Contact = in.ContactID
	}
	h.observe(ctx, told)
	return call.CheckInAnswer{CallID: in.CallID, Wanted: true, Why: why}
}
