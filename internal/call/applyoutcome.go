package call

import (
	"cmp"
	"time"
)

// The looks that repair missing contact events: when the first one is due after a ring, and that each further one waits as long as the
// ring is old.
const outcomeLook = 3 * time.Minute

// The reasons of the dues that a final call can have.
const (
	whyOutcome = "outcome" // DescribeContact is asked what became of the contact
	whyFollow  = "follow"  // what comes after the end is to be decided
)

// dueAtEnd sets when a call that just became final is looked at again: a placed one for its outcome, one that ended without a ring for what
// comes after it. Of a forgotten one nothing is asked. A row whose request continues under the next ring number is followed there.
func (c *Call) dueAtEnd(e Event) {
	switch {
	case c.IsForgotten():
	case c.State == Placed && c.Tracked:
		c.Due, c.DueReason = e.At.Add(outcomeLook), whyOutcome
	case c.State != Placed && c.isFollowed():
		c.Due, c.DueReason = e.At, whyFollow
	}
}

// isFollowed reports whether what comes after the end of a call is to be decided. Of a call that was withdrawn it is only where a list may go
// on that named its recipient too: from a call of its own producer's, whose first row alone tells.
func (c Call) isFollowed() bool {
	if !c.Follows {
		return false
	}
	switch c.State {
	case Placed:
		return true
	case Failed, Expired:
		return !continues(Cause(c.Code))
	case Canceled:
		return c.Code != codeAcknowledged && c.Cause != CauseEscalation && (c.Ring > 0 || (c.EscalatedFrom != "" && len(c.Escalation) > 0))
	case Received, Dialing, InDoubt:
	}
	return false
}

// applySeen merges what became known of the call's contact. The event says what it comes to and when to look again, since the rules for both
// are not the fold's.
func (c *Call) applySeen(e Event) {
	if e.Sight == nil || c.ContactID == "" || c.ContactID != e.ContactID {
		return
	}
	known := Sight{}
	if c.Sight != nil {
		known = *c.Sight
	}
	known = known.Merge(*e.Sight)
	c.Sight, c.Outcome = &known, e.Outcome
	if c.State == Placed {
		c.Due, c.DueReason = e.Due, e.Reason
	}
}

// applyReleased lets a held call ring whatever the hours and pauses: a person said so.
func (c *Call) applyReleased(e Event) {
	if c.State != Received {
		return
	}
	c.Released = cmp.Or(e.Actor, "somebody") // that it is not empty is what lets it ring
	c.Due, c.DueReason = e.At, "released"
}

// follow notes what was decided after the end, so that it is not decided again.
func (c *Call) follow(e Event) {
	if e.Followup == "" {
		return
	}
	c.Followup = e.Followup
	if c.State.Final() && c.DueReason == whyFollow {
		c.Due, c.DueReason = time.Time{}, ""
	}
}

// applyTurnConfirmed notes that the next recipient's call exists: it has the rest of the list. Of a recipient who cannot be rung there is none,
// and the list goes on here with the turn that the event claims.
func (c *Call) applyTurnConfirmed(e Event) {
	c.Turn = cloneOf(e.Turn)
	switch {
	case e.RowID != "":
		c.EscalatedTo, c.Escalation = e.RowID, nil
	case len(c.Escalation) > 0:
		c.Escalation = c.Escalation[1:]
	}
}

// applyJoined makes the key a step of another key's escalation list: its recipient had been asked for already.
func (c *Call) applyJoined(e Event) {
	if c.EscalatedFrom != "" || c.Ring != 0 {
		return
	}
	c.Joined = len(e.Escalation) > 0 && len(c.Escalation) == 0 && c.Turn == nil && c.EscalatedTo == ""
	c.EscalatedFrom, c.JoinedTurn, c.Escalation = e.RowID, e.Claimed, e.Escalation
	if len(e.Escalation) == 0 {
		return
	}
	c.Follows, c.Tracked = true, true
	undecided := c.Followup == "" && c.Due.IsZero() // a doubt has no end yet; what closes it is followed then
	if c.State.Final() && c.State != InDoubt && (c.Followup == FollowedNothing || undecided) {
		c.Followup, c.Due, c.DueReason = "", e.At, whyFollow
	}
}
