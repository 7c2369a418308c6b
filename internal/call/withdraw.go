package call

import (
	"context"
	"errors"
	"time"
)

// cancel withdraws a key, or acknowledges it: the first row learns the time before the target row is touched, so that no delivery that came
// before it opens a ring afterwards (protocol.md section 8).
func (e *Engine) cancel(ctx context.Context, a ask) Outcome {
	w := withdrawal{at: a.canceledAt(), now: a.now, acks: a.d.Request.Action == ActionAck, d: a.d.arrival()}
	first, err := e.Ledger.Get(ctx, a.id)
	if errors.Is(err, ErrNotFound) {
		event := w.tombstone(a.key)
		// The cancel's own time says nothing about the call that a restore may have forgotten.
		if phantom := e.forgotten(a.id, Stamp{}); phantom != nil {
			event.Attempt, event.Signed, event.Message = phantom, e.identity.Recovery.signedFrom(), "The producer withdrew the key; a call that the restore forgot may have rung."
		}
		written, err := e.create(ctx, a.id, event)
		if err != nil {
			return unavailable(err)
		}
		if written.Applied {
			return w.kept(written.Row)
		}
		first = written.Row
	} else if err != nil {
		return unavailable(err)
	}
	if w.at, err = e.reach(ctx, a, first, w.at); err != nil {
		return unavailable(err)
	}
	row, err := e.withdraw(ctx, w, first)
	if err != nil {
		return unavailable(err)
	}
	return w.kept(row)
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

// tainted returns the row as an open recovery makes it. Neither a cancel, nor an erasure, nor a spooled fact may end a row that the
// recovery has not reached yet: what the restore forgot about it may have rung. Engine.write refuses it.
func (e *Engine) tainted(ctx context.Context, c Call) (Call, error) {
	r := e.identity.Recovery
	if !c.untainted(r) {
		return c, nil
	}
	return e.merge(ctx, c, "", func(c Call) (Event, bool) { return Taint(c, *r, e.Clock.Now()), c.untainted(r) })
}
