package call

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"
)

// Begin returns the empty row that the event of a new call is applied to.
func Begin(id string) Call { return Call{Schema: SchemaVersion, ID: id} }

// Apply returns the row after the event. It is total and pure: it decides nothing that the event does not say, so a row is the
// fold of its history. Whether the event was allowed is the business of the decisions and of [Check].
func (c Call) Apply(e Event) Call {
	c = c.clone()
	c.Version++
	switch e.Kind {
	case EventAccepted, EventTombstone, EventBodyAttached:
		c.applyOpening(e)
	case EventIntent:
		c.applyIntent(e)
	case EventHeld:
		c.Due, c.DueReason = e.Due, e.Reason
	case EventResult:
		c.applyResult(e)
	case EventContact:
		c.applyContact(e)
		c.applySeen(e)
	case EventSeen:
		c.applySeen(e)
	case EventReleased:
		c.applyReleased(e)
	case EventFollowed:
		c.follow(e)
	case EventEscalated:
		c.Turn = cloneOf(e.Turn)
		c.follow(e)
	case EventTurnConfirmed:
		c.applyTurnConfirmed(e)
	case EventJoined:
		c.applyJoined(e)
	case EventLooked:
		c.Looks++
		c.LastLook = e.At
		c.Due, c.DueReason = e.Due, e.Reason
	case EventCancelRequested:
		c.applyCancel(e)
	case EventCanceled:
		c.finish(Canceled, e)
	case EventExpired:
		c.finish(Expired, e)
	case EventFailed:
		c.finish(Failed, e)
	case EventDoubted:
		c.finish(InDoubt, e)
	case EventSuperseded:
		c.Superseded = Cause(e.Reason)
		c.Due, c.DueReason = e.At, "superseded"
	case EventRingOpened:
		c.applyRingOpened(e)
	case EventRingConfirmed:
		if c.Next != nil && c.Next.Ring == e.Ring {
			c.Next = nil
		}
	case EventTainted:
		c.applyTaint(e)
	case EventForgetting:
		c.Forgetting = e.At
	case EventForgotten:
		c.applyForgotten(e)
	case EventNoted:
	}
	return c
}

func (c *Call) applyOpening(e Event) {
	o := e.Opening
	if o == nil {
		o = &Opening{} // a history that was tampered with is reported, never a panic
	}
	if e.Kind != EventBodyAttached {
		c.Key, c.Ring, c.Cause, c.AcceptedAt, c.State = o.Key, o.Ring, o.Cause, e.At, Received
		c.NotAfter, c.LinkedTo = o.NotAfter, o.LinkedTo
		c.Due = e.Due
		switch { // of a next ring the reason is why it was made, in the words of an operator or a rule
		case o.Ring == 0:
			c.DueReason = e.Reason
		case e.Due.After(e.At):
			c.DueReason = whyRecallWait
		}
	}
	c.Fingerprint, c.Destination, c.Attributes = o.Fingerprint, o.Destination, o.Attributes
	c.Profile, c.AskedToken, c.Token = o.Profile, o.AskedToken, o.Token
	c.RequestedAt, c.Tier = o.RequestedAt, o.Tier
	c.Producer, c.Zone, c.Urgent = o.Producer, o.Zone, o.Urgent
	c.Tracked, c.Follows, c.Recalls, c.Settings = o.Tracked, o.Follows, o.Recalls, o.Settings
	switch joined := e.Kind == EventBodyAttached && c.EscalatedFrom != ""; {
	case joined: // a list had come to the key before its own request did
		c.Escalation = both(o.Escalation, c.Escalation)
		c.Follows = c.Follows || len(c.Escalation) > 0
		c.Tracked = c.Tracked || c.Follows
	case o.Ring == 0:
		c.Escalation, c.EscalatedFrom = o.Escalation, o.EscalatedFrom
	}
	switch e.Kind { //nolint:exhaustive // only the three opening kinds come here
	case EventTombstone:
		c.Tombstone = o.Fingerprint == ""
		c.CanceledBefore = e.Before
		if e.Acknowledges {
			c.Acknowledged = e.Before
		}
		if e.Attempt != nil { // a restore may have forgotten the call: nothing may say that it did not ring
			c.CancelRequested = e.At
			c.applyIntent(e)
			return
		}
		c.finish(Canceled, e)
	case EventBodyAttached:
		c.Tombstone = false
		if c.State.Final() && c.Due.IsZero() { // it may have rung before anybody knew what was asked for
			c.dueAtEnd(e)
		}
	default:
		switch {
		case e.Code == CodeTokenTaken:
			c.finish(Failed, e)
		case e.Code != "":
			c.finish(Expired, e)
		case e.Attempt != nil:
			c.applyIntent(e)
			if e.Due.After(c.Due) { // a restore may have forgotten an attempt of a ring that has to wait
				c.Due, c.DueReason = e.Due, whyRecallWait
			}
		}
	}
}

func (c *Call) applyIntent(e Event) {
	if e.Attempt == nil {
		return
	}
	if !e.Signed.IsZero() {
		c.FirstSigned = e.Signed
	}
	if e.Pin != "" {
		c.PinHash, c.Pin = e.Pin, e.body
	}
	if e.Target != nil {
		c.Target = *e.Target
	}
	if e.Dialed != nil {
		c.Dialed = cloneOf(e.Dialed)
	}
	c.Open = append(c.Open, *e.Attempt)
	c.AttemptCount++
	c.TokenUsed = c.TokenUsed || e.Attempt.Phantom
	c.State = Dialing
	c.Due, c.DueReason = e.Attempt.leaseOver(), whyAnswerPending
}

// applyResult merges what one attempt was answered. It is a fact: it counts whoever reports it and whatever came before.
func (c *Call) applyResult(e Event) {
	if e.Class == ClassOK {
		c.closeAttempt(e.AttemptID)
		c.TokenUsed = true
		e.From = "answer"
		c.applyContact(e)
		return
	}
	if e.Class != ClassNotSent {
		c.TokenUsed = true
	}
	if !e.Class.Definite() {
		c.markAnswered(e.AttemptID)
		if !c.State.Final() {
			c.Due, c.DueReason = e.Due, e.Reason
		}
		return
	}
	if !c.closeAttempt(e.AttemptID) {
		return
	}
	c.SetupRefused = e.Class == ClassRefusedSetup
	if !c.State.Final() {
		c.Code, c.Message = e.Code, e.Message
	}
	if e.Class == ClassRefusedRequest {
		c.Refused = cmp.Or(e.Code, CodeDestinationRefused)
	} else {
		c.Retries++
		if blamesSetup(e.Class, e.Code) {
			c.SetupRefusals++
		}
	}
	c.settleClosed(e)
}

// settleClosed moves the row on after an attempt was closed: with none open, nothing rang.
func (c *Call) settleClosed(e Event) {
	if len(c.Open) > 0 {
		if !c.State.Final() {
			c.Due, c.DueReason = e.Due, e.Reason
		}
		return
	}
	switch c.State {
	case Dialing:
		switch {
		case c.Refused != "":
			e.Code = c.Refused
			c.finish(Failed, e)
		case !c.CancelRequested.IsZero():
			e.Code = "canceled"
			c.finish(Canceled, e)
		default:
			c.State = Received
			c.Due, c.DueReason = e.Due, e.Reason
		}
	case InDoubt:
		e.Code = cmp.Or(c.Refused, e.Code)
		c.finish(Failed, e)
	case Received, Placed, Failed, Expired, Canceled:
	}
}

// applyContact merges a contact id. The first one places the call; a different one, or one for a call that ended without a ring,
// must not exist and is kept as an anomaly.
func (c *Call) applyContact(e Event) {
	if c.ContactID == e.ContactID && c.ContactID != "" {
		return
	}
	if c.ContactID != "" || c.State == Failed || c.State == Expired || c.State == Canceled {
		c.Anomalies = append(c.Anomalies, e.ContactID)
		return
	}
	c.ContactID, c.ContactFrom = e.ContactID, e.From
	c.PlacedAt = e.At
	if !e.Initiated.IsZero() {
		c.PlacedAt = e.Initiated
	}
	c.Retries = 0
	c.Code, c.Message = "", ""
	c.finish(Placed, Event{At: e.At})
}

func (c *Call) applyCancel(e Event) {
	if c.Ring == 0 && e.Before.After(c.CanceledBefore) {
		c.CanceledBefore = e.Before
	}
	if c.Ring == 0 && e.Acknowledges {
		c.Acknowledged = latest(c.Acknowledged, e.Before)
	}
	if e.Hits && c.State == Placed {
		c.TooLate = earliest(c.TooLate, e.At)
	}
	if e.Hits && c.CancelRequested.IsZero() && !c.State.Final() {
		c.CancelRequested = e.At
		if len(c.Open) == 0 {
			c.finish(Canceled, e)
		}
	}
}

func (c *Call) applyRingOpened(e Event) {
	if e.Next == nil {
		return
	}
	next := *e.Next
	if next.Cause == CauseWindow { // another request, with a list that begins anew
		c.Escalation, c.EscalatedTo, c.Joined, c.JoinedTurn = next.Escalation, "", false, time.Time{}
	}
	next.Escalation = nil
	c.LastRing, c.Next = next.Ring, &next
	if e.PlacedThrough.After(c.PlacedThrough) {
		c.PlacedThrough = e.PlacedThrough
	}
	c.follow(e)
	if e.Closes {
		e.Code = Code(next.Cause)
		c.finish(Failed, e)
	}
}

func (c *Call) applyTaint(e Event) {
	if e.Attempt == nil {
		return
	}
	if c.FirstSigned.IsZero() || e.Signed.Before(c.FirstSigned) {
		c.FirstSigned = e.Signed
	}
	c.Open = append(c.Open, *e.Attempt)
	c.TokenUsed = true
	c.State = Dialing
	if c.DueReason != whyRecallWait || !c.Due.After(e.At) {
		c.Due, c.DueReason = e.At, "recovered"
	}
}

// finish moves the row into a final state. An in-doubt row keeps its schedule of looks in Due.
func (c *Call) finish(s State, e Event) {
	c.State, c.FinalAt = s, e.At
	if e.Code != "" {
		c.Code, c.Message = e.Code, e.Message
	}
	c.Due, c.DueReason = time.Time{}, ""
	if s == InDoubt {
		c.Due, c.DueReason = e.Due, e.Reason
	}
	c.dueAtEnd(e)
}

// closeAttempt removes an open attempt and reports whether there was one, so that a result counts once.
func (c *Call) closeAttempt(id string) bool {
	before := len(c.Open)
	c.Open = slices.DeleteFunc(c.Open, func(a Attempt) bool { return a.ID == id })
	return len(c.Open) < before
}

func (c *Call) markAnswered(id string) {
	for i := range c.Open {
		if c.Open[i].ID == id {
			c.Open[i].Answered = true
		}
	}
}

// HashBody returns the hash by which a pinned body is recognized.
func HashBody(body []byte) string {
	digest := sha256.Sum256(body)
	return hex.EncodeToString(digest[:])
}
