package call

import (
	"context"
	"fmt"
	"time"
)

// whyRecallWait is the reason of the due of a re-call by rule: the wait after the end of the ring before.
const whyRecallWait = "recall_wait"

// topLook is how long the end of a later ring is waited for that is not followed by itself.
const topLook = 15 * time.Minute

// decideAfter says whether what comes after the end of a call is to be decided now. Of a placed one its end is asked for first.
func decideAfter(c Call, now time.Time) Claim {
	switch {
	case c.DueReason != whyFollow || c.Due.IsZero():
		return Claim{Step: StepNothing}
	case now.Before(c.Due):
		return later(c.Due, whyFollow)
	case c.unseen():
		return Claim{Step: StepDescribe}
	}
	return Claim{Step: StepFollow}
}

// unseen reports whether the end of a placed call is to be followed and was never looked for: it rang while nobody tracked it, as a profile without
// outcomes does, or a key that is only known as withdrawn, and became a step of a list.
func (c Call) unseen() bool {
	return c.State == Placed && c.Tracked && c.Outcome == "" && c.DueReason == whyFollow
}

// follow decides what comes after the end of a ring: nothing, because somebody knows or no rule asks for more; the next ring; or the next
// recipient of the list. It claims that on the key's first row before the row itself notes it, so a crash between the two loses nothing, and
// whoever comes after it finds the claim.
func (e *Engine) follow(ctx context.Context, c Call, p Profile, now time.Time) (row Call, more bool, err error) {
	first, err := e.Ledger.Get(ctx, e.firstRow(c))
	if err != nil {
		return c, false, err
	}
	if c.ID == first.ID && c.Version != first.Version { // what it was read for may be done, or need another decision
		return first, true, nil
	}
	ended := c
	if first.LastRing > c.Ring {
		top, err := e.top(ctx, first)
		switch {
		case err != nil:
			return c, false, err
		case c.Ring > 0 || top.Follows || top.IsForgotten():
			return e.followed(ctx, c, overtaken(top), now)
		case top.State == InDoubt && top.Due.IsZero(): // nothing more is looked for: a person closes it, and nothing follows a doubt by itself
			return e.followed(ctx, c, after{FollowedNothing, fmt.Sprintf("ring %d is in doubt", top.Ring)}, now)
		case !top.over(): // it was opened before the key became a step of a list
			return e.holdUntil(ctx, c, now.Add(topLook), whyFollow, now)
		}
		ended = top
	}
	if stop, err := e.stopped(ctx, first, ended); err != nil || stop != "" {
		if err != nil {
			return c, false, err
		}
		return e.followed(ctx, c, after{FollowedStopped, stop}, now)
	}
	rule := e.again(ended, p)
	if withdrawnAlone(first, ended) {
		rule.Again, rule.Why = false, "its own producer withdrew it"
	}
	limit := ended.NotAfter
	if next := endOf(ended, now).Add(rule.Wait); rule.Again && passed(limit, next) {
		rule.Again, rule.Why = false, rule.Why+"; the time limit passes before"
	}
	switch {
	case rule.Again && ended.State != Canceled && len(ended.Anomalies) == 0:
		return e.ringAgain(ctx, c, first, ended, rule, now)
	case passed(limit, now):
		return e.followed(ctx, c, after{FollowedNothing, "the time limit has passed"}, now)
	case first.Turn != nil || first.EscalatedTo != "":
		return e.followed(ctx, c, after{FollowedEscalation, "the list went on"}, now)
	case len(first.Escalation) > 0 && len(ended.Anomalies) == 0 && !first.leaves():
		return e.escalate(ctx, c, first, ended, rule.Why, now)
	}
	return e.followed(ctx, c, after{FollowedNothing, rule.Why}, now)
}

// after is what was decided after the end of a ring, with its reason in words.
type after struct{ what, why string }

// overtaken says what followed a ring that is not the newest one any more.
func overtaken(top Call) after {
	if top.Cause == CauseRule {
		return after{FollowedRecall, fmt.Sprintf("ring %d", top.Ring)}
	}
	return after{FollowedNothing, fmt.Sprintf("ring %d was opened meanwhile (%s)", top.Ring, top.Cause)}
}

// followed notes a decision on the row that ended.
func (e *Engine) followed(ctx context.Context, c Call, a after, now time.Time) (Call, bool, error) {
	row, won, err := e.decide(ctx, c, Event{Kind: EventFollowed, At: now, Followup: a.what, Reason: a.why})
	return row, err == nil && !won, err
}

// over reports whether nothing more is learned about a call that nothing follows.
func (c Call) over() bool { return c.State.Final() && c.State != InDoubt && c.Due.IsZero() }

// endOf returns when a ring ended: what a rule waits is counted from there. Where nobody knows, it is the instant at which that was decided.
func endOf(c Call, now time.Time) time.Time {
	switch {
	case c.State != Placed:
		return c.FinalAt
	case c.Sight != nil && c.Sight.Over() && c.Sight.Disconnected.Before(now):
		return c.Sight.Disconnected
	}
	return now
}

// ringAgain opens the next ring of the key, to be dialed when its wait is over. It is for the same request: what cancels that cancels this too,
// and it uses up its budget.
func (e *Engine) ringAgain(ctx context.Context, c, first, ended Call, rule Follow, now time.Time) (row Call, more bool, err error) {
	child := Child{
		Cause: CauseRule, RequestedAt: ended.RequestedAt, Tier: ended.Tier, NotAfter: ended.NotAfter, Reason: rule.Why,
		NotBefore: endOf(ended, now).Add(rule.Wait), Recalls: ended.Recalls + 1,
	}
	if rule.Pinned {
		child.Settings = ended.Dialed
	}
	next, opened, err := e.openNext(ctx, first, ended, ended.Ring, child, "", nil)
	switch refusal, refused := errorAs(err); {
	case refused && (refusal.Code == CodeForgotten || refusal.Code == CodeCanceledBeforeCall):
		return e.followed(ctx, c, after{FollowedNothing, refusal.Message}, now)
	case refused && refusal.Code != CodeRingMoved, err != nil && !refused:
		return c, false, err
	}
	if c.ID == first.ID {
		row, err = e.Ledger.Get(ctx, c.ID)
		more = !opened
	} else if row = c; opened {
		row, more, err = e.followed(ctx, c, after{FollowedRecall, rule.Why}, now)
	} else {
		more = true // somebody else decided: look again
	}
	if opened {
		e.advance(ctx, next, e.profileOf(next))
	}
	return row, more, err
}
