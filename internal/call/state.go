package call

// State is where a call stands. Final states change only by a fact (protocol.md section 3).
type State string

// The states of a call.
const (
	// Received is accepted and durable, with no attempt open. It leaves by an intent, a cancel, its notAfter or exhaustion.
	Received State = "received"
	// Dialing has an open attempt whose answer is not definite. It leaves by that answer or by evidence, or becomes in doubt.
	Dialing State = "dialing"
	// Placed means that Amazon Connect returned or showed a contact id. Final.
	Placed State = "placed"
	// Failed means refused for good with no attempt open: no ring happened or can still happen. Final; a re-call may follow.
	Failed State = "failed"
	// Expired means that notAfter passed before any ring. Final.
	Expired State = "expired"
	// Canceled means withdrawn before any ring. Final.
	Canceled State = "canceled"
	// InDoubt means that a ring may have happened and nothing decides it. Final for every automaton; evidence closes it.
	InDoubt State = "in_doubt"
)

// States lists every state in the order in which a call can pass through them.
func States() []State {
	return []State{Received, Dialing, Placed, Failed, Expired, Canceled, InDoubt}
}

// Final reports whether only a fact can change the state.
func (s State) Final() bool {
	switch s {
	case Placed, Failed, Expired, Canceled, InDoubt:
		return true
	case Received, Dialing:
		return false
	}
	return false
}

// Sentence says what the state means to an operator.
func (s State) Sentence() string {
	switch s {
	case Received:
		return "Accepted and stored; no phone has been dialed yet."
	case Dialing:
		return "A dial was sent or is about to be sent; its answer is not definite yet."
	case Placed:
		return "Amazon Connect created the contact: the phone rang once."
	case Failed:
		return "Refused for good: no phone rang, and none will."
	case Expired:
		return "The time limit passed before any dial: no phone rang, and none will."
	case Canceled:
		return "Withdrawn before any dial: no phone rang, and none will."
	case InDoubt:
		return "The phone may have rung; nothing so far decides it. It is never dialed again by itself."
	}
	return "Unknown state."
}

// Class is the outcome of one wire attempt (protocol.md section 4).
type Class string

// The classes of an attempt's answer.
const (
	ClassOpen           Class = ""                // no answer yet
	ClassOK             Class = "ok"              // 200 with a contact id
	ClassAmbiguous      Class = "ambiguous"       // a ring may have happened: the attempt stays open
	ClassRefusedRequest Class = "refused_request" // refused for what was asked: close, final when none is open
	ClassRefusedSetup   Class = "refused_setup"   // refused for our configuration: close, pause the profile
	ClassThrottled      Class = "throttled"       // close, later; rate and concurrency wait differently
	ClassNotSent        Class = "not_sent"        // nothing was accepted: close, later
)

// Definite reports whether the answer proves that this attempt created no ring and never will.
func (c Class) Definite() bool {
	switch c {
	case ClassRefusedRequest, ClassRefusedSetup, ClassThrottled, ClassNotSent:
		return true
	case ClassOpen, ClassOK, ClassAmbiguous:
		return false
	}
	return false
}

// Cause says why a ring number exists.
type Cause string

// The causes of a ring.
const (
	CauseRequest  Cause = "request"   // ring 0: a producer asked
	CauseWindow   Cause = "window"    // a later request after the window, a failure or a cancel
	CauseOperator Cause = "operator"  // a person asked for a re-call
	CauseRule     Cause = "rule"      // an outcome rule asked for a re-call
	CauseTokenAge Cause = "token-age" // the token is too old to be trusted and no attempt is open
	CauseRepin    Cause = "repin"     // repaired configuration changes the body
	// CauseEscalation is of a ring 0 that no producer asked for: an escalation list named its recipient.
	CauseEscalation Cause = "escalation"
)

// Resend is the policy for an attempt whose answer was lost (protocol.md section 5).
type Resend string

// The resend policies.
const (
	ResendToken    Resend = "token"    // the same token and bytes, at once, later after a look for evidence
	ResendEvidence Resend = "evidence" // wait until settled, search, resend only if nothing is found
	ResendNever    Resend = "never"    // evidence only, else in doubt
)
