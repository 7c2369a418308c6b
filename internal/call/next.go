package call

import (
	"context"
	"errors"
	"time"
)

// top returns the highest ring of a key; the row of a claimed ring that does not exist yet is created on the way. A forgotten first row
// stands for all rings: its key is gone, and none of them can be followed by another.
func (e *Engine) top(ctx context.Context, first Call) (Call, error) {
	if first.LastRing == 0 || first.IsForgotten() {
		return first, nil
	}
	top, err := e.Ledger.Get(ctx, e.Naming.Row(first.Key, first.LastRing))
	if errors.Is(err, ErrNotFound) && first.Next != nil {
		return e.ensureChild(ctx, first)
	}
	return top, err
}

// openNext claims the next ring number on the first row and creates its row. opened is false when the first row moved; row is then
// its current state. A crash between the two writes is repaired by the sweep, since the first row stays due.
func (e *Engine) openNext(ctx context.Context, first, top Call, saw int, child Child, actor string, d *Arrival) (row Call, opened bool, err error) {
	event, err := OpenNext(first, top, saw, child, e.Clock.Now(), actor)
	if err != nil {
		return first, false, err
	}
	event.Delivery = d
	first, won, err := e.decide(ctx, first, event)
	if err != nil || !won {
		return first, false, err
	}
	if first.Next == nil || first.Next.Ring != event.Next.Ring { // its answer was lost, and somebody made the row meanwhile
		row, err = e.Ledger.Get(ctx, e.Naming.Row(first.Key, event.Next.Ring))
		return row, err == nil, err
	}
	row, err = e.ensureChild(ctx, first)
	return row, err == nil, err
}

// ensureChild creates the row of the claimed next ring if it is absent, then clears the claim by compare-and-set (R10, R11).
func (e *Engine) ensureChild(ctx context.Context, first Call) (Call, error) {
	child := *first.Next
	opening, err := e.childOpening(first, child)
	if err != nil {
		return first, err
	}
	now := e.Clock.Now()
	id := e.Naming.Row(first.Key, child.Ring)
	event := Event{Kind: EventAccepted, At: now, Opening: opening, Due: latest(now, child.NotBefore), Actor: child.Actor, Reason: child.Reason}
	phantom := e.forgottenRing(first, id)
	if phantom != nil {
		event.Attempt, event.Signed = phantom, e.identity.Recovery.signedFrom()
	}
	switch {
	case !first.CanceledBefore.IsZero() && CancelHits(child.RequestedAt, child.Tier, child.Cause, first.CanceledBefore):
		event.Kind, event.Code, event.Message = EventTombstone, codeCanceled, "The producer withdrew the key before this ring."
		if CancelHits(child.RequestedAt, child.Tier, child.Cause, first.Acknowledged) && !first.Acknowledged.IsZero() {
			event.Code, event.Message = codeAcknowledged, "Somebody acknowledged it before this ring."
		}
	case phantom == nil && passed(child.NotAfter, now):
		event.Code, event.Message = codeNotAfter, "The time limit notAfter had passed when the ring was opened."
	}
	written, err := e.create(ctx, id, event)
	if errors.Is(err, ErrTokenTaken) && phantom == nil { // it will be taken for ever, and a claim that nobody can confirm would be due for ever
		if opening.Token = ""; event.Kind == EventAccepted && event.Code == "" {
			event.Code, event.Message = CodeTokenTaken, "The client token of this ring belongs to another call."
		}
		written, err = e.create(ctx, id, event)
	}
	if err != nil {
		return first, err
	}
	_, _, err = e.decide(ctx, first, Event{Kind: EventRingConfirmed, At: now, Ring: child.Ring})
	return written.Row, err
}

// continueNext ends a row whose token or body cannot be used any more and carries its request on under the next ring number. The
// first row does both in one write. A later ring is fenced before the claim, so that no worker with an older configuration can
// still dial it, and ended after it, so that no crash loses the call.
func (e *Engine) continueNext(ctx context.Context, c Call, cause Cause, now time.Time) (Call, error) {
	child := Child{
		Cause: cause, RequestedAt: c.RequestedAt, Tier: c.Tier, NotAfter: c.NotAfter, Reason: string(cause),
		Recalls: c.Recalls, Settings: c.Settings, // it is the same re-call
	}
	if cause == CauseTokenAge && c.SetupRefused { // what is pinned was refused last, and by now a person would have repaired it
		child.Settings = nil
	}
	if c.Ring == 0 {
		row, _, err := e.openNext(ctx, c, c, 0, child, "", nil)
		return row, err
	}
	if c.Superseded == "" {
		row, won, err := e.decide(ctx, c, Event{Kind: EventSuperseded, At: now, Reason: string(cause)})
		if err != nil || !won || row.State.Final() { // ended by another run while the write's answer was lost
			return row, err
		}
		c = row
	}
	first, err := e.Ledger.Get(ctx, e.Naming.Row(c.Key, 0))
	if err != nil {
		return c, err
	}
	next := c
	if first.LastRing == c.Ring {
		var opened bool
		if next, opened, err = e.openNext(ctx, first, c, c.Ring, child, "", nil); err != nil || !opened {
			return c, err
		}
	}
	ended, _, err := e.decide(ctx, c, Event{Kind: EventFailed, At: now, Code: Code(cause), Message: "The request continues under the next ring number."})
	if next.ID == c.ID { // claimed by an earlier run
		next = ended
	}
	return next, err
}

// Recall is an operator's wish for a further ring.
type Recall struct {
	Actor    string
	Reason   string    // required: it is the answer to "why did the phone ring again?"
	NotAfter time.Time // zero means none
	// SparesDoubt refuses a re-call of a call in doubt with CodeMayHaveRung: its caller did not say that the phone may ring a second time.
	SparesDoubt bool
}

// Recall makes the next ring of the key that the row belongs to. The id names the ring that its caller saw, so a double click
// makes one ring (R8).
func (e *Engine) Recall(ctx context.Context, id string, r Recall) Outcome {
	if r.Reason == "" {
		return outcomeError(MetRefused, refuse(CodeReasonMissing, "reason", "Say why the phone should ring again.", "A re-call needs a reason."))
	}
	row, err := e.recall(ctx, id, r)
	if err != nil {
		return actOutcome(err)
	}
	return outcomeOf(e.advance(ctx, row, e.profileOf(row)))
}

func (e *Engine) recall(ctx context.Context, id string, r Recall) (Call, error) {
	seen, err := e.Ledger.Get(ctx, id)
	if errors.Is(err, ErrNotFound) {
		return Call{}, refuse(CodeNotFound, "id", "List the calls and use a full id.", "No call has this id.")
	}
	if err != nil {
		return Call{}, err
	}
	first := seen
	if seen.Ring > 0 {
		if first, err = e.Ledger.Get(ctx, e.firstRow(seen)); err != nil {
			return Call{}, err
		}
	}
	top, err := e.top(ctx, first)
	if err != nil {
		return Call{}, err
	}
	if first.Next != nil { // top has confirmed the claim: read the row again
		if first, err = e.Ledger.Get(ctx, first.ID); err != nil {
			return Call{}, err
		}
	}
	if r.SparesDoubt && top.State == InDoubt && top.Ring == seen.Ring && top.Settled(e.Clock.Now()) {
		return Call{}, refuse(CodeMayHaveRung, "", "Look for evidence first; to call all the same, say that it may have rung.", "The call is in doubt: the phone may have rung, so a re-call may be its second ring.")
	}
	// The operator has seen the newest ring, and asks after its request also on a clock that is behind it. Dated earlier, the re-call would
	// let a redelivery of that request open a ring of its own.
	asked := e.Clock.Now()
	if top.RequestedAt.After(asked) {
		asked = top.RequestedAt
	}
	child := Child{Cause: CauseOperator, RequestedAt: asked, Tier: TierPayload, NotAfter: r.NotAfter, Reason: r.Reason}
	row, opened, err := e.openNext(ctx, first, top, seen.Ring, child, r.Actor, nil)
	if err == nil && !opened {
		return Call{}, refuse(CodeRingMoved, "", "Look at the newest ring and decide again.", "Somebody else changed this call just now.")
	}
	return row, err
}
