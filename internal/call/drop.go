package call

import (
	"context"
)

// Drop withdraws a held call for a person. It is a cancel of the call's key at this instant, so every delivery of what was requested before
// stays dropped too, while a later request may ring (protocol.md section 8). It is refused with CodeReasonMissing, with CodeNotHeld for a call
// that does not wait for its first dial, and with CodeRingMoved when that dial was begun while it was dropped: the cancel is kept then, a
// contact that still rings is stopped, and the returned row says what became of it.
func (e *Engine) Drop(ctx context.Context, id, actor, reason string) (Call, error) {
	if reason == "" {
		return Call{}, refuse(CodeReasonMissing, "reason", "Say why the call should not ring.", "A drop needs a reason.")
	}
	c, err := e.toldOf(ctx, id)
	if err != nil {
		return Call{}, err
	}
	if err := held(c); err != nil {
		return c, err
	}
	now := e.Clock.Now()
	at := now
	if !at.After(c.RequestedAt) { // a producer's clock that runs ahead: the person has seen what it asked for
		at = c.RequestedAt.Add(1)
	}
	c, err = e.dropRings(ctx, c, func(c Call) (Event, bool) {
		event, news := CancelEvent(c, at, now, nil)
		event.From, event.Actor, event.Reason, event.Message = "person", actor, reason, "A person dropped it: "+reason
		return event, news
	})
	if err != nil || c.State == Canceled {
		return c, err
	}
	e.stopDropped(ctx, c)
	return c, refuse(CodeRingMoved, "", "Look at it with ringonce calls show; nothing more is dialed of it.", "The call was dialed while it was dropped: it is %s.", c.State)
}

// dropRings merges a cancel into the first row of the key and then into the row itself, as a producer's cancel does: no delivery that came
// before it opens a ring between the two writes.
func (e *Engine) dropRings(ctx context.Context, c Call, build func(Call) (Event, bool)) (Call, error) {
	first := c
	var err error
	if c.Ring > 0 {
		if first, err = e.Ledger.Get(ctx, e.firstRow(c)); err != nil {
			return c, err
		}
	}
	for _, row := range []*Call{&first, &c} {
		if *row, err = e.tainted(ctx, *row); err == nil {
			*row, err = e.merge(ctx, *row, "", build)
		}
		if err != nil || c.Ring == 0 {
			return first, err
		}
	}
	return c, nil
}

// stopDropped hangs up a contact that was made while its call was dropped.
func (e *Engine) stopDropped(ctx context.Context, c Call) {
	if c.State != Placed {
		return
	}
	told := Decided{What: "stopped", RowID: c.ID, Ring: c.Ring, State: c.State, Contact: c.ContactID, Reason: "it was dropped after the ring"}
	if err := e.Dialer.Stop(context.WithoutCancel(ctx), e.targetOf(c), c.ContactID); err != nil {
		told.What, told.Reason = "stop-failed", err.Error()
	}
	e.Observer.Decided(ctx, told)
}
