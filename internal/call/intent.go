package call

import "time"

// SendBounds returns the bounds of X-Amz-Date for an attempt of the row: the send rule (protocol.md section 5).
func SendBounds(c Call, a Attempt) (notBefore, notAfter time.Time) {
	notAfter = c.FirstSigned.Add(TokenUse)
	if a.LeaseEnd.Before(notAfter) {
		notAfter = a.LeaseEnd
	}
	if !c.NotAfter.IsZero() && c.NotAfter.Before(notAfter) {
		notAfter = c.NotAfter
	}
	return c.FirstSigned, notAfter
}

// Intent returns the event that opens an attempt. The pin and firstSigned are set by the first attempt and again only while
// every attempt so far was not sent (protocol.md section 5; R1, R2, R3).
func Intent(c Call, attemptID string, body []byte, t Target, now time.Time, why string) Event {
	event := Event{Kind: EventIntent, At: now, Reason: why, Attempt: &Attempt{ID: attemptID, Opened: now, LeaseEnd: now.Add(LeaseTime)}}
	if c.mayRepin() {
		// X-Amz-Date has whole seconds: the bound is cut alike, so that the first signature is not before it.
		event.Signed, event.Pin, event.body, event.Target = now.Truncate(time.Second), HashBody(body), string(body), &t
	} else if c.Pin == "" { // a tainted row has bounds but no bytes
		event.Pin, event.body, event.Target = HashBody(body), string(body), &t
	}
	return event
}

// mayRepin reports whether no attempt so far can have reached Amazon Connect.
func (c Call) mayRepin() bool { return !c.TokenUsed && len(c.Open) == 0 }
