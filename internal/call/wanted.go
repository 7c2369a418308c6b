package call

import "slices"

// The reasons of a [CheckInAnswer]. Those of a contact that is wanted say what was not known.
const (
	WhyCanceled      = "canceled"       // the producer withdrew the key, which came too late for the ring
	WhyAcknowledged  = "acknowledged"   // somebody confirmed or acknowledged already
	WhyExpired       = "expired"        // the time limit notAfter had passed, and the call must not have rung any more
	WhySecondContact = "second_contact" // the call has another contact
	WhySuperseded    = "superseded"     // the request goes on under the next ring number
	WhyForgotten     = "forgotten"      // the recipient was erased
	WhyFailed        = "failed"         // wanted all the same: it was recorded as failed, so nobody has heard the message
	WhyUnmarked      = "not_marked"     // wanted: the contact carries no call id
	WhyUnknownCall   = "unknown_call"   // wanted: the ledger has no such call
	WhyElsewhere     = "elsewhere"      // wanted: the call was dialed from another instance
	WhyUnavailable   = "unavailable"    // wanted: the ledger could not be read
)

// Unwanted returns why a contact that was picked up is not wanted any more, empty when it is. first is the first row of the call's key. A
// contact that was told so stays unwanted, and one that confirmed stays wanted, so that a repeated question gets the same answer.
func Unwanted(c, first Call, contactID string) (why string) {
	switch {
	case c.firstContact() != "" && c.firstContact() != contactID:
		return WhySecondContact
	case c.IsForgotten() || first.leaves():
		return WhyForgotten
	case c.Sight != nil && !c.Sight.Confirmed.IsZero() && !c.toldUnwanted():
		return ""
	}
	switch c.State {
	case Canceled:
		return withdrawn(first)
	case Expired:
		return WhyExpired
	case Failed:
		if continues(Cause(c.Code)) {
			return WhySuperseded
		}
	case Received, Dialing, Placed, InDoubt:
	}
	if !c.CancelRequested.IsZero() || first.withdrew(c) || c.toldUnwanted() {
		return withdrawn(first)
	}
	return ""
}

// withdrew reports whether a cancel or an acknowledgment that the first row knows is meant for the ring.
func (c Call) withdrew(ring Call) bool {
	return !c.CanceledBefore.IsZero() && CancelHits(ring.RequestedAt, ring.Tier, ring.Cause, c.CanceledBefore)
}

// toldUnwanted reports whether the flow of the call's contact was told to hang up.
func (c Call) toldUnwanted() bool { return c.Sight != nil && !c.Sight.Unwanted.IsZero() }

func withdrawn(first Call) string {
	if !first.Acknowledged.IsZero() {
		return WhyAcknowledged
	}
	return WhyCanceled
}

// firstContact returns the contact that was known first; of a call that ended without a ring it is the first that must not exist.
func (c Call) firstContact() string {
	if c.ContactID == "" && len(c.Anomalies) > 0 {
		return c.Anomalies[0]
	}
	return c.ContactID
}

// knows reports whether the row has the contact, as its own or as one that must not exist.
func (c Call) knows(contactID string) bool {
	return c.ContactID == contactID || slices.Contains(c.Anomalies, contactID)
}
