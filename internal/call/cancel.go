package call

import "time"

// CancelHits reports whether a cancel of the given time is meant for a ring that was requested at requestedAt. An undated ring
// counts as requested before every cancel; equal times count as before, except for a ring opened by an operator (protocol.md
// section 8; R23, R26).
func CancelHits(requestedAt time.Time, tier Tier, cause Cause, at time.Time) bool {
	if !(Stamp{At: requestedAt, Tier: tier}).Trusted() {
		return true
	}
	if requestedAt.Equal(at) {
		return cause != CauseOperator
	}
	return requestedAt.Before(at)
}

// CancelEvent returns the fact of a cancel for one row; ok is false when the row knows it already.
func CancelEvent(c Call, at, now time.Time, d *Arrival) (event Event, ok bool) {
	event = Event{Kind: EventCancelRequested, At: now, Before: at, Delivery: d, Code: codeCanceled, Message: "The producer withdrew it."}
	event.Hits = c.LastRing == 0 && !c.State.Final() && c.CancelRequested.IsZero() && CancelHits(c.RequestedAt, c.Tier, c.Cause, at)
	moves := c.Ring == 0 && at.After(c.CanceledBefore)
	return event, event.Hits || moves
}
