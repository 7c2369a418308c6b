package flow

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
)

// CheckIns takes what a contact flow reports. [call.Engine] implements it.
type CheckIns interface {
	// CheckIn merges a report and answers it, within the context's deadline. Its errors name a report that cannot be read.
	CheckIn(ctx context.Context, q call.CheckIn) (call.CheckInAnswer, error)
}

// Patience is how long a report waits for the ledger. Amazon Connect waits at most 8 seconds and tries three times in them (Administrator
// Guide, "Flow block: AWS Lambda function"), while somebody hears nothing.
const Patience = 2 * time.Second

// The reasons of an answer that never reaches the core. The contact is wanted: somebody picked up.
const (
	WhyNoLedger    = "no_ledger"
	WhyNotBelieved = "unknown_instance"
	WhyNoContact   = "no_contact"
	WhyPanicked    = "panicked"
)

// The initiation methods of contacts of ours, and of those that they became (Administrator Guide, "Contact events data model").
const (
	byAPI           = "API"
	byTransfer      = "TRANSFER"
	byQueueTransfer = "QUEUE_TRANSFER"
)

var guid = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// Desk answers reports. Clock and Observer are required.
type Desk struct {
	CheckIns CheckIns                 // nil without a ledger: a flow is then told that its contact is wanted
	Instance func(t call.Target) bool // whether a profile dials from the instance: only its flows are believed. Nil believes none
	Clock    call.Clock
	Observer call.Observer
}

// Answer answers a report. Whatever is wrong with it, the flow gets an answer: that the contact is wanted. Who calls it answers a panic, by [Desk.Unheard].
func (d Desk) Answer(ctx context.Context, in envelope.CheckIn) call.CheckInAnswer {
	ctx, end := context.WithTimeout(ctx, Patience)
	defer end()
	target := InstanceOf(in.InstanceARN)
	switch {
	case d.CheckIns == nil:
		return d.Unheard(ctx, in, WhyNoLedger, "without a ledger nothing is known of a contact")
	case d.Instance == nil || !d.Instance(target):
		return d.Unheard(ctx, in, WhyNotBelieved, "no profile dials from the instance that this report names")
	case !guid.MatchString(in.ContactID):
		return d.Unheard(ctx, in, WhyNoContact, "the report names no contact")
	}
	contactID, callID := reported(in)
	answer, err := d.CheckIns.CheckIn(ctx, call.CheckIn{
		Target: target, ContactID: contactID, CallID: callID, At: d.Clock.Now(), Key: in.Key, Confirms: in.Confirms, OptsOut: in.OptsOut,
	})
	if err != nil { // its sentences name members, never what they hold
		return d.Unheard(ctx, in, string(call.CodeOf(err)), err.Error())
	}
	return answer
}

// reported returns which contact of which call a report is about. A transfer makes another contact with the same attributes, which belongs to
// the call by the first one of its chain; what came in from outside is none of ours, whatever its flow wrote into it.
func reported(in envelope.CheckIn) (contactID, callID string) {
	switch in.InitiationMethod {
	case byAPI, "":
		return in.ContactID, in.CallID
	case byTransfer, byQueueTransfer:
		if guid.MatchString(in.InitialContactID) {
			return in.InitialContactID, in.CallID
		}
	}
	return in.ContactID, ""
}

// Unheard answers a report that does not reach the core.
func (d Desk) Unheard(ctx context.Context, in envelope.CheckIn, why, reason string) call.CheckInAnswer {
	told := call.Decided{What: "check-in-unheard", Code: call.Code(why), Reason: reason, RowID: in.CallID, Alarm: why != WhyNoLedger}
	if guid.MatchString(in.ContactID) {
		told.Contact = in.ContactID
	}
	d.Observer.Decided(ctx, told)
	return call.CheckInAnswer{CallID: in.CallID, Wanted: true, Why: why}
}

// InstanceOf reads arn:<partition>:connect:<region>:<account>:instance/<id>. AWS's own samples also print the partition twice empty,
// so the service name is the anchor.
func InstanceOf(arn string) call.Target {
	parts := strings.Split(arn, ":")
	service := slices.Index(parts, "connect")
	if service < 0 || len(parts) != service+4 {
		return call.Target{}
	}
	id, _ := strings.CutPrefix(parts[service+3], "instance/")
	return call.Target{Region: parts[service+1], InstanceID: id}
}
