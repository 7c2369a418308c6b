package call

// Situation is what a delivery met. With the source, the ledger mode and the sweeper it decides the acknowledgement.
type Situation string

// The situations: the state of the call that answers the delivery, or why none does.
const (
	MetReceived    Situation = "received"    // stored, waiting for its time
	MetDialing     Situation = "dialing"     // an attempt is open
	MetPlaced      Situation = "placed"      //
	MetFailed      Situation = "failed"      // refused for good by Amazon Connect
	MetExpired     Situation = "expired"     //
	MetCanceled    Situation = "canceled"    //
	MetInDoubt     Situation = "in_doubt"    //
	MetCancelKept  Situation = "cancel_kept" // the cancel itself is durable
	MetConflict    Situation = "conflict"    // same key, another fingerprint
	MetRefused     Situation = "refused"     // readable, but not a request that may ring
	MetStale       Situation = "stale"       // too old for the token alone (ledger: none)
	MetUnreadable  Situation = "unreadable"  // no request could be read
	MetParked      Situation = "parked"      // no request could be read; the record is kept with its bytes
	MetTaken       Situation = "taken"       // an event about a contact: what it tells is kept, or it is about no call of ours
	MetIgnored     Situation = "ignored"     // a document that is not a request, by its shape
	MetUnavailable Situation = "unavailable" // the ledger cannot be asked, or must not be dialed from
	MetUnknown     Situation = "unknown"     // dialed, answer lost (ledger: none)
	MetRetryLater  Situation = "retry_later" // not dialed, or closed and repeatable (ledger: none)
	MetNotStarted  Situation = "not_started" // no time left, or an earlier record of the group failed
)

// Situations lists every situation in the order of the acknowledge table.
func Situations() []Situation {
	return []Situation{
		MetReceived, MetDialing, MetPlaced, MetFailed, MetExpired, MetCanceled, MetInDoubt, MetCancelKept, MetConflict,
		MetRefused, MetStale, MetUnreadable, MetParked, MetTaken, MetIgnored, MetUnavailable, MetUnknown, MetRetryLater, MetNotStarted,
	}
}

// MetState returns the situation of a delivery that a call in this state answers.
func MetState(s State) Situation {
	switch s {
	case Received:
		return MetReceived
	case Dialing:
		return MetDialing
	case Placed:
		return MetPlaced
	case Failed:
		return MetFailed
	case Expired:
		return MetExpired
	case Canceled:
		return MetCanceled
	case InDoubt:
		return MetInDoubt
	}
	return MetUnavailable
}

// Outcome is the answer to one delivery.
type Outcome struct {
	Met        Situation
	Ack        Ack  // what the source is told
	Code       Code // why there is no ring, or why the call ended
	Message    string
	Fix        string
	Replayed   bool   // answered by a call that an earlier delivery made
	Suppressed string // why nothing was dialed for this delivery; empty when it was not suppressed
	By         string // id of the call that justified the suppression
	Call       Call   // the row as it stands; zero when no call answers
	ContactID  string // also without a ledger
	Undated    bool   // dialed without proof that the request is younger than the token (ledger: none)
}

func outcomeOf(c Call) Outcome {
	return Outcome{Met: MetState(c.State), Code: c.Code, Message: c.Message, Call: c, ContactID: c.ContactID}
}

func outcomeError(met Situation, err error) Outcome {
	out := Outcome{Met: met, Code: CodeOf(err), Message: err.Error()}
	if e, ok := errorAs(err); ok {
		out.Message, out.Fix = e.Message, e.Fix
	}
	return out
}
