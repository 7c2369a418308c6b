package call

import (
	"context"
	"errors"
	"time"
)

// cancel withdraws a key: the first row learns the cancel's time before the target row is touched, so that no delivery that came
// before it opens a ring afterwards (protocol.md section 8).
func (e *Engine) cancel(ctx context.Context, a ask) Outcome {
	at := a.canceledAt()
	first, err := e.Ledger.Get(ctx, a.id)
	if errors.Is(err, ErrNotFound) {
		event := Event{
			Kind: EventTombstone, At: a.now, Before: at, Delivery: a.d.arrival(), Code: codeCanceled,
			Message: "The producer withdrew the key before any request arrived.", Opening: &Opening{Key: a.key, Cause: CauseRequest},
		}
		// The cancel's own time says nothing about the call that a restore may have forgotten.
		if phantom := e.forgotten(a.id, Stamp{}); phantom != nil {
			event.Attempt, event.Signed, event.Message = phantom, e.identity.Recovery.Backup, "The producer withdrew the key; a call that the restore forgot may have rung."
		}
		written, err := e.create(ctx, a.id, event)
		if err != nil {
			return unavailable(err)
		}
		if written.Applied {
			return kept(written.Row)
		}
		first = written.Row
	} else if err != nil {
		return unavailable(err)
	}
	if at, err = e.reach(ctx, a, first, at); err != nil {
		return unavailable(err)
	}
	row, err := e.withdraw(ctx, a, first, at)
	if err != nil {
		return unavailable(err)
	}
	return kept(e.stopRinging(ctx, row, at))
}

// canceledAt returns the time of a cancel: the producer's own word, else when it was published, else when it arrived. A request is
// dated by its earliest stamp and a cancel is not: with a producer's clock that runs ahead, a cancel dated by its transport would come
// before the request that it was sent after.
func (a ask) canceledAt() time.Time {
	switch {
	case !a.d.Request.RequestedAt.IsZero():
		return a.d.Request.RequestedAt
	case a.stamp.Trusted():
		return a.stamp.At
	}
	return a.now
}

// reach moves the time of an undated cancel on to the requests that arrived before it: each may be dated up to 5 minutes ahead, and
// who withdraws a key without a date means everything that is there.
func (e *Engine) reach(ctx context.Context, a ask, first Call, at time.Time) (time.Time, error) {
	if !a.d.Request.RequestedAt.IsZero() || a.stamp.Trusted() {
		return at, nil
	}
	top, err := e.top(ctx, first)
	if err != nil {
		return at, err
	}
	for _, c := range []Call{first, top} {
		if c.RequestedAt.After(at) {
			at = c.RequestedAt
		}
	}
	return at, nil
}

func (e *Engine) withdraw(ctx context.Context, a ask, first Call, at time.Time) (Call, error) {
	build := func(c Call) (Event, bool) { return CancelEvent(c, at, a.now, a.d.arrival()) }
	first, err := e.tainted(ctx, first)
	if err != nil {
		return first, err
	}
	first, err = e.merge(ctx, first, "", build)
	if err != nil || first.LastRing == 0 {
		return first, err
	}
	top, err := e.top(ctx, first)
	if err != nil {
		return first, err
	}
	if top, err = e.tainted(ctx, top); err != nil {
		return top, err
	}
	return e.merge(ctx, top, "", build)
}

// tainted returns the row as an open recovery makes it. Neither a cancel, nor an erasure, nor a spooled fact may end a row that the
// recovery has not reached yet: what the restore forgot about it may have rung. Engine.write refuses it.
func (e *Engine) tainted(ctx context.Context, c Call) (Call, error) {
	r := e.identity.Recovery
	if !c.untainted(r) {
		return c, nil
	}
	return e.merge(ctx, c, "", func(c Call) (Event, bool) { return Taint(c, *r, e.Clock.Now()), c.untainted(r) })
}

// kept answers a cancel: it is durable, whatever becomes of the call.
func kept(c Call) Outcome {
	out := outcomeOf(c)
	out.Met, out.By = MetCancelKept, c.ID
	return out
}

// stopRinging hangs up a call that the cancel of the given time is meant for and that was placed so lately that it may still ring.
// The ring has happened; it is only cut short. A redelivered cancel never touches a ring that was asked for after it (R23).
func (e *Engine) stopRinging(ctx context.Context, c Call, at time.Time) Call {
	if c.State != Placed || !CancelHits(c.RequestedAt, c.Tier, c.Cause, at) || e.Clock.Now().Sub(c.PlacedAt) > e.profileOf(c).LongestCall {
		return c
	}
	what := "stopped"
	reason := "cancel came after the ring"
	if err := e.Dialer.Stop(ctx, e.targetOf(c), c.ContactID); err != nil {
		what, reason = "stop-failed", err.Error()
	} else {
		c = e.hungUp(ctx, c)
	}
	e.Observer.Decided(ctx, Decided{What: what, RowID: c.ID, Ring: c.Ring, State: c.State, Contact: c.ContactID, Reason: reason})
	return c
}
