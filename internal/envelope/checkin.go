package envelope

import (
	"strings"

	"github.com/ringonce/ringonce/internal/call"
)

// CheckIn is what the block "AWS Lambda function" of a contact flow sends (Amazon Connect Administrator Guide, "Grant Amazon Connect access to
// your AWS Lambda functions"): the contact that the flow runs for, and the parameters of the block. It is no request. Members that are not
// known are tolerated, and neither a phone number nor any attribute but the call id is read.
type CheckIn struct {
	ContactID        string
	InitialContactID string // the first contact of a chain of transfers
	InitiationMethod string // API for the contacts of this program; TRANSFER and QUEUE_TRANSFER for what they become
	InstanceARN      string
	CallID           string // the attribute ringonceCallId; empty when there is none or when it is no row id
	Key              string // that was pressed: one of 0 to 9, * and #; empty when none was
	Confirms         bool   // the key confirms that the message was understood
	OptsOut          bool   // the key says that the number must not be rung any more
}

// The names that a flow is read by: the attribute with the call id, and the parameters of the block.
const (
	AttributeCallID   = "ringonceCallId"
	ParameterReport   = "ringonce" // what is reported: ReportCheckIn, which it also is when the parameter is missing, or ReportPressed
	ParameterKey      = "key"
	ParameterConfirms = "confirms" // yes or no
	ParameterOptsOut  = "opts_out" // yes or no

	ReportCheckIn = "check-in" // somebody picked up
	ReportPressed = "pressed"  // a key was pressed; the other parameters count
)

// longestFlowID bounds the ids of a check-in: a contact id has at most 256 characters (API Reference, ContactId).
const longestFlowID = 256

// isFlowEvent recognizes what a flow sends by the two members that every such event is documented with.
func isFlowEvent(v *view) bool {
	return v.get(keyName).is("ContactFlowEvent") && v.get(keyDetails).member("ContactData") != nil
}

// takeCheckIn settles the record of a flow's event. A flow waits for the answer of the function that it invokes, so only the document itself
// and the body of an HTTP request are a check-in; what comes out of a queue has nobody waiting and is ignored.
func (c *chain) takeCheckIn(v *view) {
	asked := (c.sweepable && c.unwraps == 0) || (c.source == call.SourceHTTP && c.unwraps == 1)
	c.ignoreAs("connect-flow", ReasonConnectFlowEvent)
	if asked && c.record.Reason == ReasonConnectFlowEvent {
		c.record.CheckIn = readCheckIn(v.get(keyDetails))
	}
}

func readCheckIn(details raw) *CheckIn {
	data, parameters := details.member("ContactData"), details.member("Parameters")
	in := &CheckIn{
		ContactID: flowID(data.member("ContactId")), InitialContactID: flowID(data.member("InitialContactId")),
		InitiationMethod: flowID(data.member("InitiationMethod")), InstanceARN: flowID(data.member("InstanceARN")),
	}
	if id := data.member("Attributes").member(AttributeCallID).text(); isRowID(id) {
		in.CallID = id
	}
	if !parameters.member(ParameterReport).is(ReportPressed) {
		return in
	}
	if key := parameters.member(ParameterKey).text(); len(key) == 1 && strings.Contains("0123456789*#", key) { // more digits may be a number
		in.Key = key
	}
	in.Confirms, in.OptsOut = saysYes(parameters.member(ParameterConfirms)), saysYes(parameters.member(ParameterOptsOut))
	return in
}

func flowID(value raw) string {
	if text := value.text(); len(text) <= longestFlowID {
		return text
	}
	return ""
}

func saysYes(value raw) bool { return strings.EqualFold(value.text(), "yes") }
