package call

import "time"

// Step is what may be done with a row now.
type Step string

// The steps that [Decide] answers.
const (
	StepNothing  Step = "nothing"  // final, and nothing is scheduled
	StepLater    Step = "later"    // not before Due; written only when the row does not say so already
	StepSend     Step = "send"     // open an attempt and put it on the wire
	StepLook     Step = "look"     // look for evidence, then record what was found
	StepWrite    Step = "write"    // make the event durable: the row ends
	StepNext     Step = "next"     // the next ring number takes over, for Cause
	StepFollow   Step = "follow"   // the call has ended: decide what comes after it
	StepDescribe Step = "describe" // ask what became of the contact, then record it
)

// Look says whether evidence is sought before an attempt is sent again.
type Look string

// The looks before a send.
const (
	LookNone     Look = ""         // nothing can be known yet that the row does not hold
	LookIfCheap  Look = "if-cheap" // search only when its budget allows, then send
	LookRequired Look = "required" // send only after a search that worked and found nothing
)

// Claim is the answer of [Decide].
type Claim struct {
	Step  Step
	Due   time.Time // StepLater
	Why   string    // StepLater: the reason
	Event Event     // StepWrite
	Look  Look      // StepSend
	Cause Cause     // StepNext
}

// The reasons for which a row is in doubt.
const (
	codeResendNever  Code = "resend_never"
	codeSendRuleEnd  Code = "send_rule_end"
	codeNotAfter     Code = "not_after"
	codeCanceled     Code = "canceled"
	codeExhausted    Code = "attempts_exhausted"
	codeRefused      Code = "refused_after_lost_answer"
	codeAcknowledged Code = "acknowledged"
	codeSuperseded   Code = "superseded"
	codeNoSearch     Code = "not_searchable"
	codeOutlasts     Code = "outlasts_send_rule"
)

// lookTimes is the evidence schedule: how long after the row settled each look is due (protocol.md section 10).
var lookTimes = [...]time.Duration{0, 30 * time.Minute, 24 * time.Hour}

// Decide answers what may be done with the row at the instant now. It is the only place that lets an attempt on the wire, and
// it is pure: a worker acts on the answer only by a write that fails when the row has moved.
func Decide(c Call, p Profile, now time.Time) Claim {
	switch c.State {
	case Received:
		return decideReceived(c, p, now)
	case Dialing:
		return decideDialing(c, p, now)
	case InDoubt:
		return decideLooks(c, now)
	case Placed:
		if c.DueReason == whyOutcome {
			return decideOutcome(c, now)
		}
		return decideAfter(c, now)
	case Failed, Expired, Canceled:
		return decideAfter(c, now)
	}
	return Claim{Step: StepNothing}
}

func decideReceived(c Call, p Profile, now time.Time) Claim {
	switch {
	case c.Superseded != "":
		return Claim{Step: StepNext, Cause: c.Superseded}
	case passed(c.NotAfter, now):
		return end(EventExpired, codeNotAfter, now, "The time limit notAfter passed "+c.heldFor()+".")
	case p.MaxAttempts > 0 && c.Retries-c.SetupRefusals >= p.MaxAttempts:
		return end(EventFailed, codeExhausted, now, "Every permitted attempt was closed without a ring.")
	case c.TokenUsed && now.After(c.FirstSigned.Add(TokenUse)):
		return Claim{Step: StepNext, Cause: CauseTokenAge}
	case c.waits(p, now):
		return later(c.Due, c.DueReason)
	case p.Paused:
		return later(c.parkUntil(now, leastParked), whyPaused)
	case c.TokenUsed && now.Before(c.FirstSigned):
		return later(c.FirstSigned, "clock_behind")
	}
	return Claim{Step: StepSend}
}

// heldFor says what a call did when its time limit passed.
func (c Call) heldFor() string {
	if keeps(c.DueReason) {
		return "while the call was held: " + c.DueReason
	}
	return "before any dial"
}

// decideDialing is the send rule for a row with an open attempt (protocol.md section 5).
func decideDialing(c Call, p Profile, now time.Time) Claim {
	if live := c.leaseLive(now); !live.IsZero() {
		return later(live, whyAnswerPending)
	}
	if code, message := cutOff(c, now); code != "" {
		return decideCutOff(c, now, code, message)
	}
	switch p.Resend {
	case ResendEvidence:
		return decideEvidence(c, p, now)
	case ResendNever:
		return decideNever(c, now, codeResendNever, "The answer was lost, the policy forbids a resend, and every look for evidence found nothing.")
	case ResendToken:
	}
	if now.Sub(c.FirstSigned) <= FreshResend {
		return resend(c, p, now, LookNone)
	}
	return resend(c, p, now, LookIfCheap)
}

// decideEvidence sends again only after a search that can find the contact: one whose kind is searched for by name, and that has ended
// for certain before the send rule does, since a search may not show a contact that still lasts. Nothing else permits a second send.
func decideEvidence(c Call, p Profile, now time.Time) Claim {
	switch {
	case !c.Key.Kind.searchable():
		return decideNever(c, now, codeNoSearch, "The answer was lost, and a contact of this kind cannot be searched for, so it is never sent again.")
	case p.outlasts():
		return decideNever(c, now, codeOutlasts, "The answer was lost, every look for evidence found nothing, and a contact that a search does not show may last longer than the send rule.")
	}
	ready := c.SettledAt().Add(p.LongestCall)
	switch {
	case now.Before(ready) && c.DueReason == whyRecallWait && c.Due.After(ready): // of a ring that a restore may have forgotten
		return later(c.Due, c.DueReason)
	case now.Before(ready):
		return later(ready, "evidence")
	}
	return resend(c, p, now, LookRequired)
}

// outlasts reports whether a contact of the profile may last longer than an attempt may be repeated.
func (p Profile) outlasts() bool { return p.LongestCall >= TokenUse }

// decideNever follows the evidence schedule and then gives the row up.
func decideNever(c Call, now time.Time, code Code, message string) Claim {
	if !c.Key.Kind.searchable() && !c.Settled(now) { // there is no look that would wait for it
		return later(c.SettledAt().Add(1), "settling")
	}
	if claim := decideLooks(c, now); claim.Step != StepNothing {
		return claim
	}
	return doubt(c, now, code, message)
}

func resend(c Call, p Profile, now time.Time, look Look) Claim {
	switch {
	case now.Before(c.FirstSigned):
		return later(c.FirstSigned, "clock_behind")
	case c.waits(p, now):
		return later(c.Due, c.DueReason)
	}
	return Claim{Step: StepSend, Look: look}
}

// cutOff names what forbids any further attempt of a row for ever.
func cutOff(c Call, now time.Time) (Code, string) {
	switch {
	case c.Refused != "":
		return codeRefused, "A later dial was refused for good while the answer of an earlier one is lost."
	case !c.CancelRequested.IsZero():
		return codeCanceled, "It was canceled while the answer of a dial was open."
	case passed(c.NotAfter, now):
		return codeNotAfter, "The time limit passed while the answer of a dial was open."
	case c.Superseded != "":
		return codeSuperseded, "The next ring was to take over when a restore found an attempt that it may have forgotten."
	case now.After(c.FirstSigned.Add(TokenUse)):
		return codeSendRuleEnd, "The answer was lost, and the token is too old to be sent again safely."
	}
	return "", ""
}

func decideCutOff(c Call, now time.Time, code Code, message string) Claim {
	if !c.Settled(now) {
		return later(c.SettledAt().Add(1), "settling")
	}
	if c.Looks == 0 && c.Key.Kind.searchable() {
		return Claim{Step: StepLook}
	}
	return doubt(c, now, code, message)
}

func doubt(c Call, now time.Time, code Code, message string) Claim {
	claim := end(EventDoubted, code, now, message)
	if due := nextLook(c, c.Looks); !due.IsZero() {
		claim.Event.Due, claim.Event.Reason = due.Add(1), "evidence"
	}
	return claim
}

func end(kind EventKind, code Code, now time.Time, message string) Claim {
	return Claim{Step: StepWrite, Event: Event{Kind: kind, At: now, Code: code, Message: message}}
}

func later(due time.Time, why string) Claim { return Claim{Step: StepLater, Due: due, Why: why} }

func passed(limit, now time.Time) bool { return !limit.IsZero() && now.After(limit) }

// leaseLive returns the latest lease end of the attempts that may still be on their way; zero when none is.
func (c Call) leaseLive(now time.Time) time.Time {
	var live time.Time
	for _, a := range c.Open {
		if !a.Answered && !now.After(a.LeaseEnd) && a.leaseOver().After(live) {
			live = a.leaseOver()
		}
	}
	return live
}
