package call

import (
	"context"
	"errors"
	"time"
)

// describePatience is how long an act waits for its turn to ask DescribeContact: at 10 requests a second, for 20 that came before it.
const describePatience = 2 * time.Second

// codeDescribePacing says that DescribeContact was not asked, because too many others are.
const codeDescribePacing Code = "describe_pacing"

// decideOutcome lets a due look at a placed call's contact happen. What is not due yet needs no write.
func decideOutcome(c Call, now time.Time) Claim {
	if c.DueReason != whyOutcome || c.Due.IsZero() || now.Before(c.Due) {
		return Claim{Step: StepNothing}
	}
	return Claim{Step: StepDescribe}
}

// describe asks Amazon Connect what it shows of a contact, when it is this call's turn.
func (e *Engine) describe(ctx context.Context, t Target, contactID string) (Contact, error) {
	if e.Describes != nil {
		wait, ok := e.Describes.Reserve(t.Region, e.Clock.Now(), describePatience)
		if !ok || (wait > 0 && e.Clock.Sleep(ctx, wait) != nil) {
			return Contact{}, refuse(codeDescribePacing, "", "Wait: it is asked again.", "DescribeContact is asked too often to be asked now.")
		}
	}
	contact, err := e.Dialer.Describe(ctx, t, contactID)
	if err == nil {
		contact.Sight.Described = e.Clock.Now()
	}
	return contact, err
}

// lookAtContact asks what became of a placed call's contact and merges the answer. What is not asked stays due.
func (e *Engine) lookAtContact(ctx context.Context, c Call, p Profile) (Call, error) {
	var contact Contact
	var failed Code
	asked := e.Clock.Now() // the answer is no younger, however long the process stands still after it
	if e.tracks(c) {
		var err error
		contact, err = e.describe(ctx, e.targetOf(c), c.ContactID)
		if failed = lookFailed(err); failed == codeDescribePacing {
			return c, nil
		}
		if err != nil {
			e.Observer.Decided(ctx, Decided{What: "describe-failed", RowID: c.ID, Ring: c.Ring, State: c.State, Contact: c.ContactID, Code: failed, Reason: err.Error()})
		}
	}
	now := e.Clock.Now()
	row, err := e.merge(context.WithoutCancel(ctx), c, "", func(c Call) (Event, bool) { return e.looked(c, contact.Sight, failed, p, asked, now) })
	if err == nil {
		e.letGo(ctx, row, contact.Sight)
	}
	return row, err
}

// lookFailed names why a look saw nothing; empty for one that worked.
func lookFailed(err error) Code {
	switch code := CodeOf(err); {
	case err == nil:
		return ""
	case code != "":
		return code
	case errors.Is(err, ErrNotFound):
		return CodeNotFound
	}
	return "describe_failed"
}

// looked returns the fact of a look that was asked then, with when the next one is due. The row may have moved since the look was decided.
func (e *Engine) looked(c Call, told Sight, failed Code, p Profile, asked, now time.Time) (event Event, news bool) {
	if c.DueReason != whyOutcome && !c.unseen() {
		return e.saw(c, told, fromDescribe, now)
	}
	if event, _ = e.saw(c, told, fromDescribe, now); event.Kind == "" { // what becomes of contacts is not asked any more
		event = Event{Kind: EventSeen, At: now, ContactID: c.ContactID, From: fromDescribe, Sight: &Sight{}, Outcome: c.Outcome, Reason: whyOutcome}
	}
	event.Code = failed
	if event.Reason != whyOutcome {
		return event, true
	}
	event.Due = c.nextOutcomeLook(p, now)
	if !e.tracks(c) || c.givesUp(p, failed, asked) {
		if event.Outcome == "" {
			event.Outcome = OutcomeUnknown
		}
		event.Due, event.Reason = c.afterOutcome(now)
	}
	return event, true
}

// givesUp reports whether a look that told no end is the last one. One that failed late is followed by another.
func (c Call) givesUp(p Profile, failed Code, asked time.Time) bool {
	end := c.outcomeEnd(p)
	return !asked.Before(end) && (failed == "" || failed == CodeNotFound || !c.Due.Before(end))
}

// outcomeEnd returns when every contact of the profile is over for long.
func (c Call) outcomeEnd(p Profile) time.Time { return c.PlacedAt.Add(2 * p.LongestCall) }

// nextOutcomeLook returns when the contact is looked at again: after as long as the ring is old, so that a call is looked at a few times
// whatever it lasts.
func (c Call) nextOutcomeLook(p Profile, now time.Time) time.Time {
	next := now.Add(max(min(now.Sub(c.PlacedAt), p.LongestCall), outcomeLook))
	if end := c.outcomeEnd(p); now.Before(end) && end.Before(next) {
		return end
	}
	return next
}
