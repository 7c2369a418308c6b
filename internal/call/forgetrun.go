package call

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// forgetRun is one run over the calls of a recipient.
type forgetRun struct {
	*Engine

	wish   Forgetting
	report Forgot
	seen   map[string]bool
}

// walk visits every call of the recipient, also those that the index shows only later. A call that cannot be read or written keeps no other
// one: it is reported, with all others of its kind. Only a ledger that went back, or the end of the time, ends the walk.
func (r *forgetRun) walk(ctx context.Context, recipient string) error {
	var failures []error
	for {
		ids, err := r.listed(ctx, recipient)
		if err != nil {
			return errors.Join(append(failures, err)...)
		}
		fresh := false
		for _, id := range ids {
			if r.seen[id] {
				continue
			}
			fresh = true
			err := r.forgetKeyOf(ctx, id)
			if err == nil {
				continue
			}
			r.report.Failed = append(r.report.Failed, Unforgotten{ID: id, Err: err})
			failures = append(failures, fmt.Errorf("forget call %s: %w", id, err))
			if ctx.Err() != nil || CodeOf(err) == CodeLedgerWentBack || errors.Is(err, ErrWentBack) {
				return errors.Join(failures...)
			}
		}
		if !fresh {
			return errors.Join(failures...)
		}
	}
}

// listed returns every row id that the index knows of the recipient: it has a limit and no cursor.
func (r *forgetRun) listed(ctx context.Context, recipient string) ([]string, error) {
	for limit := 512; ; limit *= 2 {
		ids, err := r.Index.ByRecipient(ctx, recipient, limit)
		if err != nil || len(ids) < limit {
			return ids, err
		}
	}
}

// forgetTries is how often a key that moves meanwhile is looked at anew.
const forgetTries = 20

// forgetKeyOf forgets all rings of the key of a row, or none: a ring that may still happen needs the others for its decisions.
func (r *forgetRun) forgetKeyOf(ctx context.Context, id string) error {
	r.seen[id] = true
	row, err := r.Ledger.Get(ctx, id)
	switch {
	case errors.Is(err, ErrNotFound):
		return nil
	case err != nil:
		return err
	case row.IsForgotten():
		r.report.Already = append(r.report.Already, id)
		return nil
	}
	var rings []Call
	for range forgetTries {
		if rings, err = r.quietRings(ctx, row); err != nil {
			return err
		}
		moved, err := r.eraseRings(ctx, rings)
		if err != nil || !moved {
			return err
		}
	}
	r.wait(rings, r.Clock.Now())
	return nil
}

// quietRings returns all rings of a row's key, highest first, after canceling what is open and carrying it as far as it goes now.
func (r *forgetRun) quietRings(ctx context.Context, row Call) ([]Call, error) {
	rings, err := r.rings(ctx, row)
	if err != nil {
		return nil, err
	}
	now := r.Clock.Now()
	open, at := false, now
	for _, c := range rings {
		r.seen[c.ID] = true
		open = open || !c.State.Final()
		if !c.RequestedAt.Before(at) {
			at = c.RequestedAt.Add(1) // a ring that is dated ahead, or that an operator opened just now, is meant too
		}
	}
	if !open {
		return rings, nil
	}
	for _, c := range slices.Backward(rings) { // the first row before the others, as every cancel
		if c, err = r.tainted(ctx, c); err != nil {
			return nil, err
		}
		if c, err = r.merge(ctx, c, "", func(c Call) (Event, bool) {
			event, news := CancelEvent(c, at, now, nil)
			event.Actor, event.Message = r.wish.Actor, "The recipient is to be forgotten."
			return event, news && !c.IsForgotten()
		}); err != nil {
			return nil, err
		}
		if !c.State.Final() {
			r.advance(ctx, c, r.profileOf(c))
		}
	}
	return r.rings(ctx, row)
}

// rings returns all rings of a row's key, highest first. Rings that a restore lost are left out.
func (r *forgetRun) rings(ctx context.Context, row Call) ([]Call, error) {
	first, err := r.Ledger.Get(ctx, r.firstRow(row))
	if errors.Is(err, ErrNotFound) {
		return []Call{row}, nil
	}
	if err == nil && first.Next != nil {
		if _, err = r.top(ctx, first); err == nil {
			first, err = r.Ledger.Get(ctx, first.ID)
		}
	}
	if err != nil {
		return nil, err
	}
	var rings []Call
	for n := first.LastRing; n > 0; n-- {
		c, err := r.Ledger.Get(ctx, r.Naming.Row(row.Key, n))
		switch {
		case err == nil:
			rings = append(rings, c)
		case !errors.Is(err, ErrNotFound):
			return nil, err
		}
	}
	return append(rings, first), nil
}

// eraseRings erases the rings, highest first, if all of them are final and settled; otherwise they wait. Several cannot be erased in one
// write, so the first row is marked before: from then on no ring is opened, whatever becomes of this run. It goes last: while it has its key,
// the auditor and the next run can tell which rings belong together. moved reports that one of them changed meanwhile.
func (r *forgetRun) eraseRings(ctx context.Context, rings []Call) (moved bool, err error) {
	now := r.Clock.Now()
	first := rings[len(rings)-1].ID
	events := make([]Event, len(rings))
	for i, c := range rings {
		if c.IsForgotten() {
			continue
		}
		if events[i], err = Forgotten(c, first, now, r.wish.Actor, r.wish.Reason); err != nil {
			r.wait(rings, now)
			return false, nil //nolint:nilerr // it says why the key waits, which is an answer
		}
	}
	if last := len(rings) - 1; last > 0 && !rings[last].leaves() {
		mark := Event{Kind: EventForgetting, At: now, Actor: r.wish.Actor, Reason: r.wish.Reason}
		row, won, err := r.decide(ctx, rings[last], mark)
		if err != nil || !won {
			return err == nil, err
		}
		rings[last] = row
		if events[last], err = Forgotten(row, first, now, r.wish.Actor, r.wish.Reason); err != nil {
			return true, nil //nolint:nilerr // the row moved on with the mark: it is looked at anew
		}
	}
	for i, c := range rings {
		if c.IsForgotten() {
			if !slices.Contains(r.report.Erased, c.ID) && !slices.Contains(r.report.Already, c.ID) {
				r.report.Already = append(r.report.Already, c.ID)
			}
			continue
		}
		written, err := r.write(ctx, c, events[i], "", r.Eraser.Erase)
		if err != nil || !written.Applied {
			return err == nil, err
		}
		r.placed.forget(written.Row)
		r.report.Erased = append(r.report.Erased, c.ID)
	}
	return false, nil
}

func (r *forgetRun) wait(rings []Call, now time.Time) {
	until := now
	for _, c := range rings {
		if at := c.SettledAt().Add(1); len(c.Open) > 0 && at.After(until) {
			until = at
		}
		if at := c.DueAt(); !c.State.Final() && at.After(until) {
			until = at
		}
	}
	for _, c := range rings {
		if !c.IsForgotten() {
			r.report.Waiting = append(r.report.Waiting, Waiting{ID: c.ID, State: c.State, Until: until})
		}
	}
}

// firstRow returns the id of the first row of the key that a row belongs to.
func (e *Engine) firstRow(c Call) string {
	switch {
	case c.Ring == 0:
		return c.ID
	case c.IsForgotten():
		return c.FirstRow
	}
	return e.Naming.Row(c.Key, 0)
}
