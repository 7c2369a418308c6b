package call

import (
	"context"
	"errors"
	"time"
)

// advanceSteps bounds how many steps one delivery or sweep carries a row; what is left stays due.
const advanceSteps = 8

// advance carries a row as far as it goes now: it sends, looks, ends or holds it. Errors of the ledger end the walk; the row stays
// due and the next delivery or sweep goes on.
func (e *Engine) advance(ctx context.Context, c Call, p Profile) Call {
	c, err := e.walk(ctx, c, p)
	if err != nil {
		e.Observer.Decided(ctx, Decided{What: "step-failed", RowID: c.ID, Ring: c.Ring, State: c.State, Code: CodeOf(err), Reason: err.Error()})
	}
	return c
}

func (e *Engine) walk(ctx context.Context, c Call, p Profile) (Call, error) {
	for range advanceSteps {
		next, more, err := e.step(ctx, c, p)
		if CodeOf(err) == CodeBreach { // a row that cannot move must not stand at the head of every sweep
			now := e.Clock.Now()
			why := "breach"
			if next.State.Final() { // its reason says what is still to be done
				why = next.DueReason
			}
			next, _, _ = e.holdUntil(ctx, next, now.Add(HeartbeatTime), why, now)
		}
		if c = next; err != nil || !more {
			return c, err
		}
	}
	return c, nil
}

// step does what Decide allows. more reports whether another step may be possible now.
func (e *Engine) step(ctx context.Context, c Call, p Profile) (row Call, more bool, err error) {
	now := e.Clock.Now()
	if c.untainted(e.identity.Recovery) {
		row, _, err := e.decide(ctx, c, Taint(c, *e.identity.Recovery, now))
		return row, err == nil, err
	}
	claim := Decide(c, p, now)
	switch claim.Step {
	case StepNothing:
		return c, false, nil
	case StepLater:
		return e.holdUntil(ctx, c, claim.Due, claim.Why, now)
	case StepWrite:
		row, _, err = e.decide(ctx, c, claim.Event)
		return row, err == nil && (!row.State.Final() || !row.Due.IsZero()), err // a doubt may have a look due, an end what follows it
	case StepLook:
		return e.look(ctx, c, now)
	case StepNext:
		row, err = e.continueNext(ctx, c, claim.Cause, now)
		return row, err == nil, err
	case StepFollow:
		return e.follow(ctx, c, p, now)
	case StepDescribe:
		row, err = e.lookAtContact(ctx, c, p)
		return row, false, err
	case StepSend:
		return e.sendAgain(ctx, c, p, claim.Look)
	}
	return c, false, nil
}

// holdUntil writes a due time only when the row does not say so already; a row that is due stays due without a write, and one that is parked
// stays so.
func (e *Engine) holdUntil(ctx context.Context, c Call, due time.Time, why string, now time.Time) (Call, bool, error) {
	overdue := !c.Due.IsZero() && !c.Due.After(now) && !due.After(now)
	parked := parks(why) && c.DueReason == why && c.Due.After(now)
	if c.Due.Equal(due) || overdue || parked {
		return c, false, nil
	}
	row, won, err := e.decide(ctx, c, Event{Kind: EventHeld, At: now, Due: due, Reason: why})
	return row, err == nil && !won, err
}

// sendAgain opens an attempt on an existing row and dials.
func (e *Engine) sendAgain(ctx context.Context, c Call, p Profile, look Look) (Call, bool, error) {
	if err := e.permitted(ctx, c.Destination, c.Producer); err != nil {
		return e.denied(ctx, c, err)
	}
	if look != LookNone {
		if k := e.wouldHold(ctx, c, c.dialedWith(p)); !k.free() {
			return e.keepBack(ctx, c, k)
		}
		found, ok, _ := e.search(ctx, c, look)
		switch {
		case len(found) > 0:
			row, err := e.mergeContacts(ctx, c, found, "search")
			return row, false, err
		case !ok && look == LookRequired:
			return e.holdUntil(ctx, c, e.Clock.Now().Add(time.Minute), "search_failed", e.Clock.Now())
		}
	}
	taken, k := e.hold(ctx, c, c.dialedWith(p))
	if !k.free() {
		return e.keepBack(ctx, c, k)
	}
	row, dialed, more, err := e.sendNow(ctx, c, p, look, taken)
	if !dialed {
		e.unused(ctx, taken, errors.As(err, &intentError{}))
	}
	return row, more, err
}

// keepBack holds a call that is not dialed now, or ends one that never will be.
func (e *Engine) keepBack(ctx context.Context, c Call, k keeping) (Call, bool, error) {
	if k.refuse != nil {
		return e.denied(ctx, c, k.refuse)
	}
	return e.holdUntil(ctx, c, k.due, k.why, e.Clock.Now())
}

// sendNow opens an attempt and dials, with a slot that was taken and after the look. dialed reports whether the slot was used.
func (e *Engine) sendNow(ctx context.Context, c Call, p Profile, look Look, taken slot) (row Call, dialed, more bool, err error) {
	now := e.Clock.Now()
	if Decide(c, p, now).Step != StepSend { // time passed while a slot or a search was waited for
		return c, false, true, nil
	}
	if row, withdrawn, err := e.withdrawnMeanwhile(ctx, c); err != nil || withdrawn {
		return row, false, err == nil && !row.State.Final(), err
	}
	body, target := []byte(c.Pin), c.Target
	if c.needsBody() {
		var err error
		if body, target, err = e.body(c, p); err != nil {
			row, more, err = e.unprepared(ctx, c, p, err, now)
			return row, false, more, err
		}
	}
	if c.mustRepin(body) {
		row, err := e.continueNext(ctx, c, CauseRepin, now)
		return row, false, err == nil, err
	}
	attemptID, err := e.id()
	if err != nil {
		return c, false, false, err
	}
	intent := e.recordSettings(c, p, Intent(c, attemptID, body, target, now, taken.reason(look)))
	var won bool
	row, won, err = e.decide(ctx, c, intent)
	if mayBeWritten(err) {
		err = intentError{err}
	}
	if err != nil || !won || row.State.Final() { // final when evidence came while the write's answer was lost
		return row, false, err == nil, err
	}
	return e.dial(ctx, row, *intent.Attempt, p, taken), true, true, nil
}

// needsBody reports whether today's configuration decides what is sent, or whether the call is repaired by it. Otherwise the
// stored bytes are sent, whatever the configuration became.
func (c Call) needsBody() bool {
	return c.Pin == "" || c.mayRepin() || (c.State == Received && c.SetupRefused)
}

// mustRepin reports whether a setup error was repaired by configuration that changes the body, so that the next ring takes over.
func (c Call) mustRepin(body []byte) bool {
	return c.State == Received && c.SetupRefused && !c.mayRepin() && HashBody(body) != c.PinHash
}

// unprepared ends or holds a call whose body cannot be made. Only a fault of the configuration pauses the profile: one bad request
// must not hold a queue.
func (e *Engine) unprepared(ctx context.Context, c Call, p Profile, err error, now time.Time) (Call, bool, error) {
	if refusal, ok := errorAs(err); ok && refusal.Code != CodeConfiguration && c.State == Received {
		row, _, err := e.decide(ctx, c, end(EventFailed, refusal.Code, now, refusal.Message).Event)
		return row, err == nil && !row.State.Final(), err
	}
	e.pause(ctx, p, now.Add(waitSetup.first), CodeOf(err))
	return e.holdUntil(ctx, c, c.parkUntil(now, leastParked), whySetupPause, now)
}
