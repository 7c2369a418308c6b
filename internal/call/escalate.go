package call

import (
	"context"
	"errors"
	"time"
)

// escalate claims the next recipient of the list on the first row of the key, and makes their call.
func (e *Engine) escalate(ctx context.Context, c, first, ended Call, why string, now time.Time) (row Call, more bool, err error) {
	event := Event{Kind: EventEscalated, At: now, Turn: turnOf(first.Escalation, ended, now), Reason: why}
	if c.ID == first.ID {
		event.Followup = FollowedEscalation
	}
	first, won, err := e.decide(ctx, first, event)
	if err != nil || !won {
		return c, err == nil, err
	}
	if c.ID == first.ID {
		row = first
	} else if row, more, err = e.followed(ctx, c, after{FollowedEscalation, why}, now); err != nil {
		return row, more, err
	}
	if first.Turn == nil { // its answer was lost, and somebody made the call meanwhile
		return row, more, nil
	}
	next, err := e.ensureTurn(ctx, first)
	if err != nil {
		return row, more, err
	}
	e.advance(ctx, next, e.profileOf(next))
	if row.ID == first.ID {
		row, err = e.Ledger.Get(ctx, row.ID)
	}
	return row, more, err
}

// turnOf returns the claim of the first recipient of a list, for the request of the ring that ended; nil when the list is at its end.
func turnOf(list []Recipient, ended Call, now time.Time) *Turn {
	if len(list) == 0 {
		return nil
	}
	return &Turn{Recipient: list[0], RequestedAt: ended.RequestedAt, Tier: ended.Tier, NotAfter: ended.NotAfter, Due: now}
}

// ensureTurn makes the call of the recipient whose turn is claimed, or makes the call that is there already a step of the list, then clears the
// claim by compare-and-set. It returns that call's first row, or the given one when the list is at its end. Whoever cannot be rung is passed over.
func (e *Engine) ensureTurn(ctx context.Context, first Call) (next Call, err error) {
	for range MaxEscalation + 1 {
		turn := first.Turn
		if turn == nil {
			break
		}
		next, joins, err := e.turnRow(ctx, first, *turn)
		why := whyPassed(next)
		if CodeOf(err) == CodeTokenInvalid { // trying again would never help, and would keep everybody behind them waiting
			why, err = "no client token can be made for their key", nil
		}
		if err != nil {
			return first, err
		}
		event := Event{Kind: EventTurnConfirmed, At: e.Clock.Now(), RowID: next.ID}
		if !joins {
			event.RowID, event.Reason = "", "this recipient cannot be rung for it: "+why
			if len(first.Escalation) > 1 {
				passedOver := *turn
				passedOver.Recipient, passedOver.Due = first.Escalation[1], event.At
				event.Turn = &passedOver
			}
		}
		row, _, err := e.decide(ctx, first, event)
		if err != nil {
			return first, err
		}
		if joins {
			return next, nil
		}
		first = row
	}
	if first.EscalatedTo != "" {
		return e.Ledger.Get(ctx, first.EscalatedTo)
	}
	return first, nil
}

func whyPassed(c Call) string {
	switch {
	case c.leaves():
		return "forgotten"
	case c.Tombstone:
		return "withdrawn before it was asked for"
	}
	return "the window of an earlier ring still runs, or a request without a time may not re-open it"
}

// turnRow returns the first row of the claimed recipient's key, created if it was absent. joins is false when the key cannot be a step of the
// list.
func (e *Engine) turnRow(ctx context.Context, first Call, turn Turn) (row Call, joins bool, err error) {
	key := first.Key
	key.RecipientID = turn.Recipient.RecipientID
	id := e.Naming.Row(key, 0)
	row, err = e.Ledger.Get(ctx, id)
	if errors.Is(err, ErrNotFound) {
		row, err = e.createTurn(ctx, first, turn, key, id)
	}
	switch {
	case err != nil:
		return row, false, err
	case row.leaves(), row.Tombstone && row.Acknowledged.IsZero(): // there is no call that could become a step
		return row, false, nil
	case row.EscalatedFrom == first.ID && (turn.made(row) || turn.joined(row) || first.LastRing == 0):
		return row, true, nil
	case row.EscalatedFrom == "":
		return e.join(ctx, first, row, turn)
	}
	return e.ringInTurn(ctx, first, turn, row)
}

// made reports whether a ring is for the request of the turn. Requests without a time are told apart by when the turn was claimed: each of them has the
// same time, which is none, and a ring is made after its claim.
func (t Turn) made(c Call) bool {
	return c.RequestedAt.Equal(t.RequestedAt) && (!t.RequestedAt.IsZero() || !c.AcceptedAt.Before(t.Due))
}

// joined reports whether the key became a step of the list in this very turn: whoever made it one died before the list noted it. The instant of a
// claim names its turn among those of a recipient, whatever clock it was read from. Rows of older programs do not say it: of those one is known to
// have joined in this turn only while no further ring of the list's key was opened.
func (t Turn) joined(c Call) bool { return c.JoinedTurn.Equal(t.Due) }

// createTurn creates the call of the next recipient, with what is left of the list.
func (e *Engine) createTurn(ctx context.Context, first Call, turn Turn, key Key, id string) (Call, error) {
	now := e.Clock.Now()
	asked, err := e.asking(ctx, first)
	if err != nil {
		return first, err
	}
	opening, err := e.turnOpening(first, asked, turn, key)
	if err != nil {
		return first, err
	}
	event := Event{Kind: EventAccepted, At: now, Opening: opening, Due: now}
	phantom := e.forgotten(id, Stamp{At: turn.RequestedAt, Tier: turn.Tier})
	if phantom != nil {
		event.Attempt, event.Signed = phantom, e.identity.Recovery.signedFrom()
	}
	wanted := Call{RequestedAt: turn.RequestedAt, Tier: turn.Tier, Cause: CauseEscalation}
	s, err := e.stoppedAbove(ctx, Call{EscalatedFrom: first.ID, Cause: CauseEscalation}, wanted)
	switch {
	case err != nil:
		return first, err
	case s.why != "":
		event.Kind, event.Before, event.Acknowledges = EventTombstone, s.at, s.acks
		event.Code, event.Message = codeCanceled, "The producer withdrew it before this recipient's turn."
		if s.acks {
			event.Code, event.Message = codeAcknowledged, "Somebody acknowledged it before this recipient's turn."
		}
	case phantom == nil && passed(turn.NotAfter, now):
		event.Code, event.Message = codeNotAfter, "The time limit notAfter had passed when it was this recipient's turn."
	}
	written, err := e.create(ctx, id, event)
	if errors.Is(err, ErrTokenTaken) && phantom == nil {
		if opening.Token = ""; event.Kind == EventAccepted && event.Code == "" {
			event.Code, event.Message = CodeTokenTaken, "The client token of this recipient's call belongs to another call."
		}
		written, err = e.create(ctx, id, event)
	}
	return written.Row, err
}

// asking returns the first row of the key whose request the list of first comes from: its own, or behind a call that joined a list, that of the
// list. Where that was forgotten or lost, the call that joined it stands for it.
func (e *Engine) asking(ctx context.Context, first Call) (Call, error) {
	asked := first
	for range MaxEscalation {
		if !asked.Joined {
			break
		}
		head, err := e.Ledger.Get(ctx, asked.EscalatedFrom)
		switch {
		case errors.Is(err, ErrNotFound), err == nil && head.IsForgotten():
			return first, nil
		case err != nil:
			return first, err
		}
		asked = head
	}
	return asked, nil
}

// turnOpening returns what the call of the next recipient begins with: a step behind first, for the request of asked.
func (e *Engine) turnOpening(first, asked Call, turn Turn, key Key) (*Opening, error) {
	token, err := e.token(key, 0)
	if err != nil {
		return nil, err
	}
	o := &Opening{
		Key: key, Cause: CauseEscalation, Destination: turn.Recipient.Destination, Attributes: asked.Attributes, Profile: turn.Recipient.Profile,
		Token: token, RequestedAt: turn.RequestedAt, Tier: turn.Tier, NotAfter: turn.NotAfter, Producer: asked.Producer, Urgent: asked.Urgent,
		EscalatedFrom: first.ID,
	}
	if o.Profile == "" {
		o.Profile = asked.Profile
	}
	if len(first.Escalation) > 1 {
		o.Escalation = first.Escalation[1:]
	}
	p := e.profileOf(Call{Key: key, Profile: o.Profile})
	o.Tracked, o.Follows = e.trackingOf(p)
	if len(o.Escalation) > 0 {
		o.Tracked, o.Follows = true, true
	}
	o.Fingerprint = Fingerprint(key, Request{Destination: turn.Recipient.Phone(), Attributes: asked.Attributes, Profile: o.Profile}, p.IgnoreAttrs)
	return o, nil
}

// join makes a call that was asked for otherwise a step of the list: its own end decides whether the list goes on.
func (e *Engine) join(ctx context.Context, first, row Call, turn Turn) (Call, bool, error) {
	var rest []Recipient
	if len(first.Escalation) > 1 {
		rest = first.Escalation[1:]
	}
	row, err := e.merge(ctx, row, "", func(c Call) (Event, bool) {
		event := Event{Kind: EventJoined, At: e.Clock.Now(), RowID: first.ID, Escalation: both(c.Escalation, rest), Claimed: turn.Due}
		return event, c.EscalatedFrom == "" && !c.leaves()
	})
	return row, !row.leaves(), err
}

// both returns a list with what the other one has more.
func both(own, rest []Recipient) []Recipient {
	list := append([]Recipient(nil), own...)
	named := map[string]bool{}
	for _, r := range own {
		named[r.RecipientID] = true
	}
	for _, r := range rest {
		if !named[r.RecipientID] {
			list = append(list, r)
		}
	}
	return list
}

// ringInTurn rings a recipient whom an escalation list rang before. A later request rings them again when their window has ended.
func (e *Engine) ringInTurn(ctx context.Context, first Call, turn Turn, row Call) (Call, bool, error) {
	top, err := e.top(ctx, row)
	if err != nil {
		return row, false, err
	}
	if turn.made(top) || !top.State.Final() || row.EscalatedFrom != first.ID {
		return row, true, nil // rung for this request already, or by the list of another recipient, which goes on by itself
	}
	p := e.profileOf(row)
	asked := Asked{Fingerprint: row.Fingerprint, Stamp: Stamp{At: turn.RequestedAt, Tier: turn.Tier}, ReceivedAt: e.Clock.Now()}
	if ReplyTo(row, top, asked, p).Kind != ReplyOpen {
		return row, false, nil
	}
	child := Child{Cause: CauseWindow, RequestedAt: turn.RequestedAt, Tier: turn.Tier, NotAfter: turn.NotAfter}
	if len(first.Escalation) > 1 {
		child.Escalation = first.Escalation[1:]
	}
	next, opened, err := e.openNext(ctx, row, top, top.Ring, child, "", nil)
	if err != nil && CodeOf(err) != CodeRingMoved {
		return row, false, err
	}
	if !opened { // somebody else opened a ring of this key just now
		return row, true, nil
	}
	e.advance(ctx, next, e.profileOf(next))
	row, err = e.Ledger.Get(ctx, row.ID)
	return row, true, err
}
