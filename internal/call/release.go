package call

import (
	"context"
	"errors"
	"slices"
	"time"
)

// Release lets a held call ring now: a person said so (docs/held.md). It lets this ring pass quiet hours, pauses of its profile
// and caps, and ends a wait. It does not pass the kill switch, the do-not-call list, notAfter, a cancel or an acknowledgment, the pause of a
// profile in the configuration, nor the pace: the answer's call may be held again, and then says why. It is refused with CodeReasonMissing, and
// with CodeNotHeld for a call that does not wait for its first dial.
func (e *Engine) Release(ctx context.Context, id, actor, reason string) Outcome {
	row, err := e.release(ctx, id, actor, reason)
	if err != nil {
		return actOutcome(err)
	}
	return outcomeOf(e.advance(ctx, row, e.profileOf(row)))
}

// ReleaseLater is Release without the dial: the call is due now, and whoever looks at due calls next dials it.
func (e *Engine) ReleaseLater(ctx context.Context, id, actor, reason string) (Call, error) {
	return e.release(ctx, id, actor, reason)
}

func (e *Engine) release(ctx context.Context, id, actor, reason string) (Call, error) {
	if reason == "" {
		return Call{}, refuse(CodeReasonMissing, "reason", "Say why the call should ring now.", "A release needs a reason.")
	}
	c, err := e.toldOf(ctx, id)
	for range advanceSteps {
		if err != nil {
			return Call{}, err
		}
		now := e.Clock.Now()
		if err = Releasable(c, e.profileOf(c), now); err != nil {
			return Call{}, err
		}
		var won bool
		if c, won, err = e.decide(ctx, c, Event{Kind: EventReleased, At: now, Actor: actor, Reason: reason}); won {
			return c, nil
		}
	}
	return Call{}, errRowMoved()
}

// Releasable returns why a person cannot let the call ring now, as an *Error of CodeNotHeld or CodeForgotten, or nil.
func Releasable(c Call, p Profile, now time.Time) error {
	if err := held(c); err != nil {
		return err
	}
	switch {
	case passed(c.NotAfter, now):
		return refuse(CodeNotHeld, "", "Send a new request, with a notificationId of its own.", "Its time limit notAfter passed at %s, so it expires and never rings.", c.NotAfter.UTC().Format(time.RFC3339))
	case p.Paused:
		return refuse(CodeNotHeld, "profile", "Let the profile go on in the configuration: its calls are released by that.",
			"The configuration pauses the profile of this call, or does not know it, and a release does not override the configuration.")
	}
	return nil
}

// held returns why the call is not one that waits for its first dial, or nil.
func held(c Call) error {
	switch {
	case c.IsForgotten():
		return refuse(CodeForgotten, "", "There is nothing to do.", "The recipient of this call was forgotten, so it never rings again.")
	case c.State != Received:
		return refuse(CodeNotHeld, "", "Look at it with ringonce calls show.", "The call is not held: it is %s.", c.State)
	case c.Superseded != "":
		return refuse(CodeNotHeld, "", "Look at the newest ring of its key.", "The next ring of this key takes over, so this one is never dialed.")
	}
	return nil
}

// toldOf returns the row that a person named.
func (e *Engine) toldOf(ctx context.Context, id string) (Call, error) {
	c, err := e.Ledger.Get(ctx, id)
	if errors.Is(err, ErrNotFound) {
		err = refuse(CodeNotFound, "id", "List the calls and use a full id.", "No call has this id.")
	}
	return c, err
}

func errRowMoved() error {
	return refuse(CodeRingMoved, "", "Look at the call and decide again.", "Somebody else changed this call just now.")
}

// actOutcome answers a person's act that was not done: refused, or the ledger failed.
func actOutcome(err error) Outcome {
	if refusal, ok := errorAs(err); ok && !slices.Contains([]Code{CodeLedgerUnavailable, CodeLedgerWentBack, CodeBreach}, refusal.Code) {
		return outcomeError(MetRefused, err)
	}
	return unavailable(err)
}
