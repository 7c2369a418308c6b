package call

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// dial sends the stored bytes once and merges what came of it. It never returns an unmerged answer without leaving it in the
// spool or, without one, in the log. What was taken for the dial is given back when it was definitely not accepted; its pacing slot is used.
func (e *Engine) dial(ctx context.Context, c Call, attempt Attempt, p Profile, taken slot) Call {
	e.overrode(ctx, c, taken)
	notBefore, notAfter := SendBounds(c, attempt)
	answer := e.Dialer.Dial(ctx, Send{
		Kind: c.Key.Kind, CallID: c.ID, AttemptID: attempt.ID, Target: c.Target, Token: c.Token, Body: []byte(c.Pin), NotBefore: notBefore, NotAfter: notAfter,
	}).sound()
	if blamesSetup(answer.Class, answer.Code) && e.sentAsConfigured(c, p) {
		e.pause(ctx, p, e.Clock.Now().Add(waitSetup.after(c.Retries, 0)), answer.Code)
	}
	if acceptsSetup(answer.Class) && (c.SetupRefused || !e.pausedUntil(p).IsZero()) && e.sentAsConfigured(c, p) {
		e.unpause(p)
		e.parked.again() // the others of the profile need not wait for the next look ahead
	}
	at, spread := e.Clock.Now(), e.spread()
	row := e.keep(ctx, c, func(now Call) (Event, bool) { return Result(now, attempt.ID, answer, p, at, spread), true })
	if answer.Class.Definite() && answer.Class != ClassOK && row.ID != "" && !row.hasOpen(attempt.ID) { // one that stays open is sent again as one that was counted
		e.returnPass(ctx, taken)
	}
	return e.afterContact(ctx, row)
}

// sentAsConfigured reports whether the stored bytes are what today's configuration would send. A refusal of older bytes blames a
// setting that was changed since: it must not pause the profile that the change has repaired.
func (e *Engine) sentAsConfigured(c Call, p Profile) bool {
	if c.dialedWith(p).settings() != p.settings() { // pinned to what was configured once
		return false
	}
	body, target, err := e.body(c, p)
	return err != nil || (HashBody(body) == c.PinHash && target == c.Target)
}

// keep merges a fact, whatever became of the caller's context, and spools it when the ledger does not take it.
func (e *Engine) keep(ctx context.Context, c Call, build func(Call) (Event, bool)) Call {
	op := e.factOp(c.ID)
	row, err := e.mergeWaiting(context.WithoutCancel(ctx), ctx, c, op, build)
	if err != nil {
		event, _ := build(row)
		e.setAside(ctx, c, Fact{RowID: c.ID, Op: op, Event: event}, err)
	}
	return row
}

func (e *Engine) factOp(rowID string) string {
	op, err := e.id()
	if err != nil {
		op = "fact-" + rowID + "-" + e.Clock.Now().Format(time.RFC3339Nano)
	}
	return op
}

// setAside spools a fact that the ledger did not take, and tells it. kept is false when only the log has it.
func (e *Engine) setAside(ctx context.Context, c Call, f Fact, cause error) (kept bool) {
	what := "fact-logged"
	if e.Spool != nil {
		if err := e.Spool.Keep(f); err == nil {
			what, kept = "fact-spooled", true
		}
	}
	e.Observer.Decided(context.WithoutCancel(ctx), Decided{
		What: what, RowID: f.RowID, Ring: c.Ring, State: c.State, Code: f.Event.Code, Class: f.Event.Class, Contact: f.Event.ContactID,
		Reason: cause.Error(), Alarm: true,
	})
	return kept
}

// afterContact stops a contact that a cancel came too late for.
func (e *Engine) afterContact(ctx context.Context, c Call) Call {
	if c.State != Placed || c.CancelRequested.IsZero() {
		return c
	}
	if err := e.Dialer.Stop(context.WithoutCancel(ctx), e.targetOf(c), c.ContactID); err != nil {
		e.Observer.Decided(ctx, Decided{What: "stop-failed", RowID: c.ID, Contact: c.ContactID, Reason: err.Error(), Alarm: true})
		return c
	}
	return e.hungUp(ctx, c)
}

// MergeSpool merges the facts that an earlier run could not write. It is called at start and by every sweep. One fact that cannot be
// merged stops no other.
func (e *Engine) MergeSpool(ctx context.Context) error {
	if e.Spool == nil {
		return nil
	}
	facts, err := e.Spool.Pending()
	failed := []error{err}
	for _, fact := range facts {
		if err := e.mergeSpooled(ctx, fact); err != nil {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// mergeSpooled merges one fact and then forgets it. A contact id whose call the ledger does not know stays in the spool: it is
// proof of a ring, and a ledger that went back may get its call again.
func (e *Engine) mergeSpooled(ctx context.Context, fact Fact) error {
	row, err := e.Ledger.Get(ctx, fact.RowID)
	if err == nil && e.elsewhere(row, fact.Target) { // as the same report is answered that finds the ledger
		e.Observer.Decided(ctx, Decided{What: "fact-elsewhere", RowID: row.ID, Ring: row.Ring, State: row.State, Contact: fact.Event.ContactID, Reason: WhyElsewhere, Alarm: true})
		return e.Spool.Done(fact)
	}
	if err == nil {
		row, err = e.tainted(ctx, row)
	}
	if err == nil {
		row, err = e.mergeWaiting(ctx, ctx, row, fact.Op, func(c Call) (Event, bool) { return e.refit(fact, c) })
	}
	if err == nil && fact.Event.Sight != nil && !fact.Event.Sight.Confirmed.IsZero() {
		_, err = e.acknowledgeByKey(ctx, row, fact.Event.ContactID, fact.Event.Sight.Confirmed)
	}
	switch {
	case errors.Is(err, ErrNotFound) && fact.Event.ContactID == "":
		e.Observer.Decided(ctx, Decided{What: "fact-orphaned", RowID: fact.RowID, Class: fact.Event.Class, Reason: err.Error()})
	case err != nil:
		return fmt.Errorf("merge a spooled fact of call %s: %w", fact.RowID, err)
	}
	e.afterContact(ctx, row)
	return e.Spool.Done(fact)
}

// refit returns the event of a spooled fact for the row as it is. What was seen of a contact is judged anew.
func (e *Engine) refit(fact Fact, c Call) (event Event, news bool) {
	return e.sighted(c, fact.Event), fact.news(c)
}

// hasOpen reports whether the answer of an attempt is still open.
func (c Call) hasOpen(attempt string) bool {
	return slices.ContainsFunc(c.Open, func(a Attempt) bool { return a.ID == attempt })
}

// news reports whether the fact still says something about the row. What an attempt was answered that the row does not know, since a
// restore forgot it or since the answer was merged, is none; a contact id always is, unless it comes with a sight that is merged already.
func (f Fact) news(c Call) bool {
	if f.Event.Sight != nil && c.knows(f.Event.ContactID) {
		return c.learns(f.Event.ContactID, *f.Event.Sight)
	}
	return f.Event.Kind != EventResult || f.Event.Class == ClassOK ||
		c.hasOpen(f.Event.AttemptID)
}
