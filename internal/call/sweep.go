package call

import (
	"context"
	"errors"
)

// Swept counts what a sweep did.
type Swept struct {
	Due    int // rows that were due, or parked and able to go on
	Moved  int // rows whose version changed
	Failed int // rows that could not be read or written; they stay due
}

// Sweep moves on at most limit rows whose due time has passed. The due time in the ledger is the truth: losing every other hint
// costs time, never a call. It records a heartbeat first, which is what lets unfinished calls be acknowledged.
func (e *Engine) Sweep(ctx context.Context, limit int) (Swept, error) {
	now := e.Clock.Now()
	if err := e.Journal.Beat(ctx, now); err != nil {
		return Swept{}, err
	}
	e.noteBeat(now, now)
	return e.MoveDue(ctx, limit)
}

// MoveDue moves on what is due, as a sweep does, and leaves no heartbeat: for a command that looks once and is gone. A heartbeat would tell
// sources for minutes that somebody finishes what they hand over.
func (e *Engine) MoveDue(ctx context.Context, limit int) (Swept, error) {
	now := e.Clock.Now()
	if err := e.MergeSpool(ctx); err != nil { // a spool that cannot be read must not stop the calls
		e.Observer.Decided(ctx, Decided{What: "spool-failed", Reason: err.Error(), Alarm: true})
	}
	ids, err := e.Ledger.Due(ctx, now, limit)
	if err != nil {
		return Swept{}, err
	}
	swept := Swept{Due: len(ids)}
	room := limit - len(ids)
	for _, id := range ids {
		if ctx.Err() != nil {
			return swept, ctx.Err()
		}
		moved, err := e.SweepRow(ctx, id)
		switch {
		case err != nil && !errors.Is(err, ErrNotFound):
			swept.Failed++
			e.Observer.Decided(ctx, Decided{What: "step-failed", RowID: id, Code: CodeOf(err), Reason: err.Error()})
		case moved:
			swept.Moved++
		}
	}
	e.lookAhead(ctx, room, &swept)
	return swept, nil
}

// SweepRow moves one due row on: its unconfirmed next ring first, then the row itself.
func (e *Engine) SweepRow(ctx context.Context, id string) (moved bool, err error) {
	c, err := e.Ledger.Get(ctx, id)
	if err != nil {
		return false, err
	}
	return e.sweepRow(ctx, c)
}

func (e *Engine) sweepRow(ctx context.Context, c Call) (moved bool, err error) {
	id, version := c.ID, c.Version
	if c.Next != nil {
		child, err := e.ensureChild(ctx, c)
		if err != nil {
			return false, err
		}
		e.advance(ctx, child, e.profileOf(child))
		if c, err = e.Ledger.Get(ctx, id); err != nil {
			return true, err
		}
	}
	if c.Turn != nil {
		next, err := e.ensureTurn(ctx, c)
		if err != nil {
			return false, err
		}
		e.advance(ctx, next, e.profileOf(next))
		if c, err = e.Ledger.Get(ctx, id); err != nil {
			return true, err
		}
	}
	if c.State.Final() && c.Due.IsZero() {
		return c.Version != version, nil
	}
	c, err = e.walk(ctx, c, e.profileOf(c))
	return c.ID != id || c.Version != version, err
}
