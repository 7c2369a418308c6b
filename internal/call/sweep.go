package call

import (
	"context"
	"errors"
	"time"
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
	run := sweepRun{Engine: e, limit: limit, seen: map[string]bool{}}
	if err := run.waiting(ctx, now); err != nil {
		return run.swept, err
	}
	for _, id := range run.looks {
		if ctx.Err() != nil {
			return run.swept, ctx.Err()
		}
		run.move(ctx, id)
	}
	e.lookAhead(ctx, limit-run.handled, &run.swept)
	return run.swept, nil
}

// looksEach is how many times its limit a sweep looks at placed contacts. Looks come after the calls that wait and take no place from them:
// where no contact event comes, each placed call is looked at once at least, and an account places 120 a minute.
const looksEach = 4

// sweepRun is one pass over what is due.
type sweepRun struct {
	*Engine

	limit, handled int
	seen           map[string]bool
	looks          []string // rows whose contact is to be asked about
	swept          Swept
}

// waiting moves on at most limit rows that wait for anything else than a look at their contact, and notes those looks.
func (r *sweepRun) waiting(ctx context.Context, now time.Time) error {
	for r.handled < r.limit {
		want := r.limit + len(r.looks)
		ids, err := r.Ledger.Due(ctx, now, want)
		if err != nil {
			return err
		}
		known := len(r.seen)
		for _, id := range ids {
			if r.seen[id] || r.handled == r.limit {
				continue
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			r.take(ctx, id)
		}
		if len(r.seen) == known || len(ids) < want {
			return nil
		}
	}
	return nil
}

// take moves one row on, or puts it off if it is only to be looked at.
func (r *sweepRun) take(ctx context.Context, id string) {
	c, err := r.Ledger.Get(ctx, id)
	if err == nil && c.onlyLooks() {
		if len(r.looks) < looksEach*r.limit {
			r.seen[id] = true
			r.looks = append(r.looks, id)
			r.swept.Due++
		}
		return
	}
	r.seen[id] = true
	r.handled++
	r.swept.Due++
	moved := false
	if err == nil {
		moved, err = r.sweepRow(ctx, c)
	}
	r.note(ctx, id, moved, err)
}

func (r *sweepRun) move(ctx context.Context, id string) {
	moved, err := r.SweepRow(ctx, id)
	r.note(ctx, id, moved, err)
}

func (r *sweepRun) note(ctx context.Context, id string, moved bool, err error) {
	switch {
	case err != nil && !errors.Is(err, ErrNotFound):
		r.swept.Failed++
		r.Observer.Decided(ctx, Decided{What: "step-failed", RowID: id, Code: CodeOf(err), Reason: err.Error()})
	case moved:
		r.swept.Moved++
	}
}

// onlyLooks reports whether all that is due in the row is a look at what became of its contact.
func (c Call) onlyLooks() bool {
	return c.State == Placed && c.DueReason == whyOutcome && c.Next == nil && c.Turn == nil
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
