package call

import (
	"context"
	"time"
)

// confirmedBy reports whether the contact confirmed.
func (c Call) confirmedBy(contactID string) bool {
	return c.ContactID == contactID && c.Sight != nil && !c.Sight.Confirmed.IsZero()
}

// confirmed makes a confirmation the acknowledgment of its key, and reports whether it is kept.
func (e *Engine) confirmed(ctx context.Context, q CheckIn, ring Call) bool {
	kept, err := e.acknowledgeByKey(ctx, ring, q.ContactID, q.At)
	if err != nil {
		e.Observer.Decided(context.WithoutCancel(ctx), Decided{
			What: "acknowledge-failed", RowID: ring.ID, Ring: ring.Ring, State: ring.State, Contact: q.ContactID, Reason: err.Error(), Alarm: true,
		})
	}
	return kept && err == nil
}

// acknowledgeByKey stops every further ring of the key and of the escalation list after it, because the contact of a ring confirmed: the first
// row learns it before a later ring is touched, as with a cancel (protocol.md section 8). kept is false when only the log has it. It never hangs up: a later ring that is on the
// line already asks by its own check-in.
func (e *Engine) acknowledgeByKey(ctx context.Context, ring Call, contactID string, at time.Time) (kept bool, err error) {
	first := ring
	if ring.Ring > 0 {
		if first, err = e.Ledger.Get(ctx, e.firstRow(ring)); err != nil {
			return false, err
		}
	}
	if first.IsForgotten() {
		return true, nil // no ring is opened any more
	}
	if ring.confirmedBy(contactID) {
		at = ring.Sight.Confirmed // the same when the press is reported again
	} else if ring.hits(first.Acknowledged) {
		at = first.Acknowledged
	}
	until, err := e.reachOf(ctx, first, ring, at)
	if err != nil {
		return false, err
	}
	w := withdrawal{at: until, now: e.Clock.Now(), acks: true, pressed: true, by: ring.ID}
	first, kept, err = e.acknowledgeRow(ctx, w, first)
	if err == nil && first.LastRing > ring.Ring {
		var top Call
		if top, err = e.top(ctx, first); err != nil {
			return false, err
		}
		var reached bool
		if _, reached, err = e.acknowledgeRow(ctx, w, top); !reached {
			kept = false
		}
	}
	if err == nil {
		err = e.withdrawList(ctx, w, first)
	}
	return kept && err == nil, err
}

// reachOf returns until when requests are covered by an acknowledgment: who acknowledges means everything that is there, also a ring that is dated
// ahead, and one that an operator opened at this instant.
func (e *Engine) reachOf(ctx context.Context, first, ring Call, at time.Time) (time.Time, error) {
	there := []Call{ring, first}
	switch {
	case first.Next != nil:
		there = append(there, Call{RequestedAt: first.Next.RequestedAt, Tier: first.Next.Tier, Cause: first.Next.Cause})
	case first.LastRing > ring.Ring:
		top, err := e.top(ctx, first)
		if err != nil {
			return at, err
		}
		there = append(there, top)
	}
	for _, c := range there {
		if !c.hits(at) {
			at = c.RequestedAt.Add(1)
		}
	}
	return at, nil
}

func (e *Engine) acknowledgeRow(ctx context.Context, w withdrawal, c Call) (row Call, kept bool, err error) {
	if c, err = e.tainted(ctx, c); err != nil {
		return c, false, err
	}
	op := e.factOp(c.ID)
	row, err = e.merge(ctx, c, op, w.event)
	if err == nil {
		return row, true, nil
	}
	event, _ := w.event(row)
	return row, e.setAside(ctx, row, Fact{RowID: c.ID, Op: op, Event: event}, err), nil
}

// optOut hands the wish not to be rung any more to whoever keeps such wishes, and reports whether it is kept.
func (e *Engine) optOut(ctx context.Context, c Call, q CheckIn) bool {
	told := Decided{What: "opted-out", RowID: c.ID, Ring: c.Ring, State: c.State, Contact: q.ContactID, Number: c.Phone()}
	var err error
	switch {
	case e.OptOut == nil:
		told.Reason = "nothing keeps a do-not-call list"
	case c.Destination == "":
		told.Reason = "the call names no number any more"
	default:
		if err = e.OptOut(ctx, c, q.At); err != nil {
			told.Reason = err.Error()
		}
	}
	if told.Reason != "" {
		told.What, told.Alarm = "opt-out-failed", true
	}
	e.Observer.Decided(context.WithoutCancel(ctx), told)
	return told.Reason == ""
}
