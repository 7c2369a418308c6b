package call

import "time"

// IsForgotten reports whether the recipient was erased from the row (protocol.md section 17).
func (c Call) IsForgotten() bool { return !c.Forgotten.IsZero() }

// leaves reports whether a key with this first row is forgotten, or about to be: no ring is opened for it any more.
func (c Call) leaves() bool { return c.IsForgotten() || !c.Forgetting.IsZero() }

// Forgotten returns the decision that erases a recipient from a row, or the *Error that says why it may not be made yet. firstRow is the id
// of the key's first row.
func Forgotten(c Call, firstRow string, now time.Time, actor, reason string) (Event, error) {
	switch {
	case c.IsForgotten():
		return Event{}, refuse(CodeForgotten, "", "There is nothing to do.", "The recipient of this call was forgotten already.")
	case !c.State.Final() || c.Next != nil || c.Turn != nil:
		return Event{}, refuse(CodeNotFinal, "", "Cancel it first, or wait for its end.", "The call is not final yet: it is %s.", c.State)
	case !c.Settled(now):
		return Event{}, refuse(CodeNotSettled, "", "Wait until "+c.SettledAt().Format(time.RFC3339)+".", "An attempt of this call can still be accepted.")
	}
	left := c.residue(firstRow, now)
	return Event{Kind: EventForgotten, At: now, Actor: actor, Reason: reason, Residue: &left, Prev: c.Head}, nil
}

// residue returns what is left of a row when its recipient is erased: the ring and its evidence, which are about a dial and not about a
// person. What was asked, by whom and for whom, and every hash of it that somebody could guess, is not in it.
func (c Call) residue(firstRow string, now time.Time) Call {
	left := c.clone()
	left.ID, left.Version, left.Head = "", 0, "" // the event's entry has them
	left.empty()
	left.Schema, left.Forgotten = ForgottenSchema, now
	if c.Ring > 0 {
		left.FirstRow = firstRow
	}
	return left
}

// empty removes everything that tells, or lets guess, who was to be rung about what.
func (c *Call) empty() {
	c.Key = Key{Kind: c.Key.Kind}
	c.Message = ""
	c.Fingerprint, c.Destination, c.Attributes, c.AskedToken = "", "", nil, ""
	c.Token, c.Pin, c.PinHash = "", "", ""
	c.NotAfter, c.Forgetting = time.Time{}, time.Time{}
	c.Producer, c.Zone, c.Released, c.Settings = "", "", "", nil
	c.Dialed = nil
	c.Follows, c.Escalation, c.EscalatedFrom, c.EscalatedTo, c.Joined, c.JoinedTurn = false, nil, "", "", false, time.Time{}
	if c.Sight != nil {
		sight := *c.Sight
		sight.Key = Remark{}
		c.Sight = &sight
	}
	if c.State != InDoubt { // what becomes of the contact is not asked any more
		c.Due, c.DueReason = time.Time{}, ""
	}
}

// bare reports whether a forgotten row holds nothing of its recipient, is final and claims no further ring.
func (c Call) bare() bool {
	emptied := c.clone()
	emptied.empty()
	return c.State.Final() && c.Next == nil && c.Turn == nil && sameRow(c, emptied) && c.Pin == ""
}

// applyForgotten replaces the row by what is left of it, whatever it was: the history of a forgotten row begins here.
func (c *Call) applyForgotten(e Event) {
	if e.Residue == nil {
		return // a history that was tampered with is reported, never a panic
	}
	left := e.Residue.clone()
	left.ID, left.Version = c.ID, c.Version
	*c = left
}

// checkForgotten sees that a row is forgotten only when nothing can happen to it any more, and that the rest is what it ought to be.
func (f *findings) checkForgotten(before Call, e Event, after Call) {
	f.check(before.State.Final() && before.Next == nil && before.Turn == nil && before.Settled(e.At), "I15", "forgotten while it is not final and settled")
	f.check(!before.IsForgotten(), "I15", "forgotten twice")
	f.check(e.Prev == before.Head && e.Prev != "", "I9", "forgotten after another entry than the newest")
	left := before.residue(after.FirstRow, e.At)
	left.ID, left.Version, left.Head = after.ID, after.Version, after.Head
	f.check(sameRow(left, after), "I15", "what is left is not what was there without its recipient")
}

// checkForgetting sees that an erasure begins on the first row of a key, when nothing can happen there any more.
func (f *findings) checkForgetting(before Call) {
	f.check(before.Ring == 0, "I15", "the erasure of a key began on ring %d", before.Ring)
	f.check(before.State.Final() && before.Next == nil, "I15", "the erasure of a key began while its first ring is not final")
	f.check(!before.leaves(), "I15", "the erasure of a key began twice")
}

// withoutWords returns an event for a forgotten row: the fact, without what a person, a producer or a transport said beside it.
func (e Event) withoutWords() Event {
	e.Message, e.Delivery = "", nil
	return e
}
