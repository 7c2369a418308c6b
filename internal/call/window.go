package call

import "time"

// ReplyKind is how a delivery of a known key is answered.
type ReplyKind string

// The kinds of replies.
const (
	ReplySuppress ReplyKind = "suppress" // answered from the ledger
	ReplyConflict ReplyKind = "conflict" // same key, another fingerprint: refused, never dialed
	ReplyOpen     ReplyKind = "open"     // opens the next ring number
	ReplyAttach   ReplyKind = "attach"   // the first request for a tombstone: keep its body, then ask again
)

// The reasons of a suppression.
const (
	ReasonDuplicate      = "duplicate"
	ReasonInProgress     = "in-progress"
	ReasonLateRedelivery = "late-redelivery"
	ReasonFailed         = "failed"
	ReasonExpired        = "expired"
	ReasonCanceled       = "canceled"
	ReasonInDoubt        = "in-doubt"
	ReasonForgotten      = "forgotten" // the recipient was erased; the row is kept so that the request never rings again
)

// Reply is the answer of [ReplyTo].
type Reply struct {
	Kind   ReplyKind
	Reason string
}

// Asked is what a delivery asks, as far as an answer depends on it.
type Asked struct {
	Fingerprint string
	Stamp       Stamp
	ReceivedAt  time.Time
}

// ReplyTo answers a delivery of a key whose first row is first and whose highest ring is top; they are one row until a next ring
// exists (protocol.md section 8). It is pure.
func ReplyTo(first, top Call, asked Asked, p Profile) Reply {
	switch {
	case first.leaves() || top.IsForgotten(): // there is no fingerprint to compare, and nothing that a later time could re-open
		return Reply{Kind: ReplySuppress, Reason: ReasonForgotten}
	case first.Tombstone:
		return Reply{Kind: ReplyAttach, Reason: ReasonCanceled}
	case first.Fingerprint != asked.Fingerprint:
		return Reply{Kind: ReplyConflict, Reason: string(CodeConflict)}
	}
	stamp := asked.Stamp
	mayOpen := stamp.Trusted() && stamp.At.After(first.CanceledBefore) && !first.asked(stamp) && !top.asked(stamp)
	switch top.State {
	case Received, Dialing:
		return Reply{Kind: ReplySuppress, Reason: ReasonInProgress}
	case Placed:
		return replyPlaced(first, top, mayOpen, asked, p)
	case Failed:
		return replyEnded(first, top, stamp, mayOpen, p, ReasonFailed)
	case Expired:
		return replyEnded(first, top, stamp, mayOpen, p, ReasonExpired)
	case Canceled:
		return replyEnded(first, top, stamp, mayOpen, p, ReasonCanceled)
	case InDoubt:
	}
	return Reply{Kind: ReplySuppress, Reason: ReasonInDoubt}
}

// asked reports whether a request of this time is the one that opened the ring, or an earlier one. A request keeps its time when it
// is sent again, so it opens one ring at most, also when a clock runs ahead of the end that the ring came to. A canceled ring answered
// nobody.
func (c Call) asked(stamp Stamp) bool {
	return c.State != Canceled && !stamp.At.After(c.RequestedAt)
}

func replyPlaced(first, top Call, mayOpen bool, asked Asked, p Profile) Reply {
	requested := asked.Stamp.At
	if !asked.Stamp.Trusted() && p.WindowReopenAny {
		// The setting re-opens windows and nothing else. An undated ring counts as requested before every cancel, so it cannot
		// undo one (R26).
		requested, mayOpen = asked.ReceivedAt, first.CanceledBefore.IsZero()
	}
	windowEnd, ends := p.Window.ends(top.PlacedAt)
	switch {
	case ends && mayOpen && requested.After(windowEnd):
		return Reply{Kind: ReplyOpen, Reason: string(CauseWindow)}
	case ends && asked.ReceivedAt.After(windowEnd):
		return Reply{Kind: ReplySuppress, Reason: ReasonLateRedelivery}
	}
	return Reply{Kind: ReplySuppress, Reason: ReasonDuplicate}
}

// replyEnded answers for a ring that ended without a contact: only a request made after that end, outside the window of every
// earlier ring, asks for another one (R18). A canceled ring needs only a request later than the cancel.
func replyEnded(first, top Call, stamp Stamp, mayOpen bool, p Profile, reason string) Reply {
	if top.State != Canceled {
		mayOpen = mayOpen && stamp.At.After(top.FinalAt)
	}
	if mayOpen && !first.PlacedThrough.IsZero() {
		windowEnd, ends := p.Window.ends(first.PlacedThrough)
		mayOpen = ends && stamp.At.After(windowEnd)
	}
	if mayOpen {
		return Reply{Kind: ReplyOpen, Reason: string(CauseWindow)}
	}
	return Reply{Kind: ReplySuppress, Reason: reason}
}

// OpenNext returns the event that claims the next ring number on the first row, with saw the ring number that its caller saw as
// the highest. It returns an *Error when the parent does not permit it. The write fails when the first row has moved, so one act
// makes one ring (R6, R8).
func OpenNext(first, top Call, saw int, child Child, now time.Time, actor string) (Event, error) {
	switch {
	case first.leaves() || top.IsForgotten():
		return Event{}, refuse(CodeForgotten, "", "Send a new request, with a notificationId of its own.", "The recipient of this call was forgotten, so there is no number to ring again.")
	case first.LastRing != saw || top.Ring != saw:
		return Event{}, refuse(CodeRingMoved, "", "Look at the newest ring and decide again.", "Ring %d is not the newest ring of this key any more; ring %d is.", saw, first.LastRing)
	case first.Tombstone:
		return Event{}, refuse(CodeCanceledBeforeCall, "", "Wait for the request, or send it again with a later requestedAt.", "The key was canceled before any request arrived, so there is nothing to ring again.")
	case !top.State.Final() && !continues(child.Cause):
		return Event{}, refuse(CodeNotFinal, "", "Cancel it first, or wait for its end.", "The call is not final yet: it is %s.", top.State)
	case continues(child.Cause) && (top.State != Received || len(top.Open) > 0):
		return Event{}, refuse(CodeNotFinal, "", "Wait until no attempt is open.", "The call cannot continue under the next ring number while it is %s.", top.State)
	case top.State == InDoubt && !top.Settled(now):
		return Event{}, refuse(CodeNotSettled, "", "Wait until "+top.SettledAt().Format(time.RFC3339)+".", "An attempt of this call can still be accepted, so the phone may still ring.")
	}
	child.Ring, child.Due, child.Actor = saw+1, now, actor
	followup := ""
	if child.Cause == CauseRule && saw == 0 {
		followup = FollowedRecall
	}
	return Event{
		Followup: followup,
		Kind:     EventRingOpened, At: now, Actor: actor, Next: &child, Reason: child.Reason,
		Closes: continues(child.Cause) && saw == 0, PlacedThrough: placedThrough(top),
	}, nil
}

// continues reports whether the next ring carries on the same request, so that its parent ends with it.
func continues(cause Cause) bool { return cause == CauseTokenAge || cause == CauseRepin }

// placedThrough returns when the ring counts as placed for the windows of later ones; a doubt counts from when it settled.
func placedThrough(top Call) time.Time {
	switch top.State {
	case Placed:
		return top.PlacedAt
	case InDoubt:
		return top.SettledAt()
	case Received, Dialing, Failed, Expired, Canceled:
	}
	return time.Time{}
}
