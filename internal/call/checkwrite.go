package call

// CheckWrite returns the invariants that a decision would break: the engine refuses to make such a write. Facts are merged
// whatever they say, since they have happened; [CheckRow] reports their anomalies afterwards.
func CheckWrite(before Call, e Event, after Call) []Breach {
	f := findings{row: after.ID}
	f.check(after.Version == before.Version+1, "I9", "version %d after %d", after.Version, before.Version)
	switch e.Kind {
	case EventIntent:
		f.checkIntent(before, e, after)
	case EventExpired, EventCanceled, EventFailed:
		f.check(len(before.Open) == 0, "I3", "%s with %d attempts open", e.Kind, len(before.Open))
		f.check(!before.State.Final(), "I3", "%s on a call that is %s", e.Kind, before.State)
	case EventDoubted:
		f.check(before.State == Dialing, "I3", "in doubt from %s", before.State)
	case EventRingOpened:
		f.check(e.Next != nil && e.Next.Ring == before.LastRing+1, "I13", "not the ring after ring %d", before.LastRing)
		f.check(!e.Closes || len(before.Open) == 0, "I3", "closed by the next ring with %d attempts open", len(before.Open))
		f.check(before.Ring == 0, "I13", "a ring opened on ring %d", before.Ring)
		f.check(!before.leaves(), "I15", "a ring opened while its key is forgotten")
		f.checkRule(before, e)
	case EventAccepted, EventTombstone:
		f.check(before.Version == 0, "I13", "a second beginning")
	case EventSuperseded:
		f.check(before.State == Received && len(before.Open) == 0, "I13", "superseded while %s", before.State)
	case EventForgetting:
		f.checkForgetting(before)
	case EventForgotten:
		f.checkForgotten(before, e, after)
	case EventBodyAttached, EventHeld, EventResult, EventContact, EventLooked, EventCancelRequested, EventRingConfirmed,
		EventTainted, EventNoted, EventSeen, EventTurnConfirmed, EventJoined:
	case EventFollowed:
		f.check(before.State.Final() && before.State != InDoubt, "I8", "followed while %s", before.State)
	case EventReleased:
		f.check(before.State == Received, "I8", "released while %s", before.State)
	case EventEscalated:
		f.check(before.Ring == 0 && before.Turn == nil && before.EscalatedTo == "", "I13", "a second step of the same escalation list")
		f.check(!before.leaves(), "I15", "escalated while its key is forgotten")
		f.check(before.LastRing > 0 || (before.State.Final() && before.State != InDoubt), "I8", "escalated while the call is %s", before.State)
		f.check(e.Turn != nil && !stopsTurn(before, *e.Turn), "I8", "escalated after it was withdrawn")
	}
	f.check(before.ContactID == "" || before.ContactID == after.ContactID, "I10", "a contact id changed")
	sound := before.Version == 0 || len(CheckRow(before)) == 0 // a row that is broken already may still be annotated
	if sound && e.Kind != EventTainted && e.Kind != EventContact && e.Kind != EventResult && e.Kind != EventSeen {
		f.found = append(f.found, CheckRow(after)...)
	}
	return f.found
}

// checkRule sees that an automaton rings again for no doubt and for nothing that was withdrawn.
func (f *findings) checkRule(first Call, e Event) {
	if e.Next == nil || e.Next.Cause != CauseRule {
		return
	}
	f.check(first.LastRing > 0 || first.State != InDoubt, "I8", "a rule rings again for a doubt")
	withdrawn := !first.CanceledBefore.IsZero() && CancelHits(e.Next.RequestedAt, e.Next.Tier, e.Next.Cause, first.CanceledBefore)
	f.check(!withdrawn, "I8", "a rule rings again after the request was withdrawn")
}

// stopsTurn reports whether a cancel or an acknowledgment of the key means the request that a turn is for.
func stopsTurn(first Call, t Turn) bool {
	at := first.CanceledBefore
	if first.Joined {
		at = first.Acknowledged // its own producer may have withdrawn its own call
	}
	return !at.IsZero() && CancelHits(t.RequestedAt, t.Tier, CauseEscalation, at)
}

func (f *findings) checkIntent(before Call, e Event, after Call) {
	f.check(!before.State.Final(), "I8", "an intent after the call became %s", before.State)
	f.check(before.CancelRequested.IsZero(), "I8", "an intent after a cancel was requested")
	f.check(before.Superseded == "", "I13", "an intent after the next ring took over")
	f.check(before.PinHash == "" || before.PinHash == after.PinHash || before.mayRepin(), "I11", "the pin changed although an attempt may have been sent")
	f.check(before.FirstSigned.IsZero() || before.FirstSigned.Equal(after.FirstSigned) || before.mayRepin(), "I11", "firstSigned changed although an attempt may have been sent")
	f.check(after.Pin != "" && after.PinHash != "", "I5", "an intent without stored bytes")
	f.check(!e.At.Before(after.FirstSigned) && !e.At.After(after.FirstSigned.Add(TokenUse)), "I6", "an intent outside [firstSigned, firstSigned + %s]", TokenUse)
}
