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
	first := c
	if c.Ring > 0 {
		if first, err = e.Ledger.Get(ctx, e.firstRow(c)); err != nil {
			return c, err
		}
	}
	c, err = e.withdraw(ctx, withdrawal{at: at, now: now, actor: actor, reason: reason}, first)
	if err != nil || c.State == Canceled {
		return c, err
	}
	return c, refuse(CodeRingMoved, "", "Look at it with ringonce calls show; nothing more is dialed of it.", "The call was dialed while it was dropped: it is %s.", c.State)
}
