package model

import (
	"slices"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// Variant is a planted defect, by its id in protocol.md sections 15 and 16. Each replaces one step; what is not a step of a worker is a
// switch of Amazon Connect, a setting, or the act of an operator, and stands in the variant's configuration.
type Variant string

// Shipped is the protocol without a defect.
const Shipped Variant = ""

// decide asks the core, and replaces its answer where the variant does.
func (v Variant) decide(c call.Call, p call.Profile, now time.Time) call.Claim {
	v.misread(&c)
	claim := call.Decide(c, p, now)
	over := !c.FirstSigned.IsZero() && now.After(c.FirstSigned.Add(call.TokenUse))
	switch v {
	case "N3", "N9":
		if over && v == "N3" {
			return withoutEnd(c, p, now)
		}
	case "N8":
		if over && !now.After(c.FirstSigned.Add(slackUse)) {
			return withoutEnd(c, p, now)
		}
	case "N11a":
		if claim.Step == call.StepLater && claim.Why == "evidence" {
			return call.Claim{Step: call.StepSend, Look: call.LookRequired}
		}
	case "N17":
		if c.State == call.Dialing {
			return call.Claim{Step: call.StepNothing}
		}
	case "N20":
		if c.State == call.Dialing && claim.Why != "answer_pending" && claim.Why != "" || (c.State == call.Dialing && claim.Step == call.StepSend) {
			closed := call.Result(c, c.Open[0].ID, call.Answer{Class: call.ClassNotSent}, p, now, 0)
			return call.Claim{Step: call.StepWrite, Event: closed}
		}
	case "N22":
		if c.State == call.InDoubt && c.Settled(now) {
			return call.Claim{Step: call.StepSend}
		}
	case "R9", "N24":
		if c.State == call.Dialing && claim.Step == call.StepLater && (claim.Why == "settling" || claim.Why == "evidence") {
			doubted := call.Event{Kind: call.EventDoubted, At: now, Code: "resend_never"}
			return call.Claim{Step: call.StepWrite, Event: doubted}
		}
	case "R4":
		if c.State == call.Dialing && over && (claim.Step == call.StepWrite || claim.Step == call.StepLook) {
			return call.Claim{Step: call.StepNext, Cause: call.CauseTokenAge}
		}
	}
	return claim
}

// slackUse is the send rule's span with M = 2V, one tick too small (N8).
const slackUse = call.TokenValidity - 2*15*time.Minute

// withoutEnd decides as if the send rule had no end.
func withoutEnd(c call.Call, p call.Profile, now time.Time) call.Claim {
	c.FirstSigned = now
	return call.Decide(c, p, now)
}

// misread is what a variant takes the row for.
func (v Variant) misread(c *call.Call) {
	switch v {
	case "R1":
		if len(c.Open) == 0 {
			c.TokenUsed = false
		}
	case "R2":
		if len(c.Open) == 0 && c.DueReason == "not_sent" {
			c.TokenUsed = false
		}
	case "R25":
		c.CancelRequested = time.Time{}
	}
}

// beforeIntent is what a variant makes of the row and the body before the intent.
func (v Variant) beforeIntent(c *call.Call, body, today []byte) []byte {
	v.misread(c)
	switch v {
	case "R1", "R2":
		if mayRepin(c) { // the same bytes: only firstSigned begins anew
			return []byte(c.Pin)
		}
	case "R3":
		if len(c.Open) == 0 {
			c.Pin = ""
			return today
		}
	case "N4a", "N4b":
		c.Pin = ""
		return today
	case "N22":
		if c.State == call.InDoubt { // dialed anew
			c.Open, c.TokenUsed = nil, false
			return []byte(c.Pin)
		}
	case "N21":
		if c.Pin == "" {
			return today
		}
	}
	return body
}

// distort is what a variant makes of the row after an event.
func (v Variant) distort(before call.Call, e call.Event, after *call.Call) {
	switch v {
	case "N4b":
		if e.Kind == call.EventIntent || (e.Kind == call.EventAccepted && e.Attempt != nil) {
			after.Token = tokenOf(0) + after.Pin[len(after.Pin)-1:]
		}
	case "N5":
		if e.Class == call.ClassRefusedRequest && before.State == call.Dialing {
			after.State, after.Open, after.FinalAt, after.Due = call.Failed, nil, e.At, time.Time{}
		}
	case "N14":
		if e.Kind == call.EventIntent {
			after.Target.InstanceID = "j"
		}
	case "R22":
		if e.Kind == call.EventCancelRequested && e.Hits {
			after.State, after.FinalAt, after.Due = call.Canceled, e.At, time.Time{}
		}
	case "R32":
		if e.Kind == call.EventAccepted && len(after.Open) > 0 {
			after.Open[0].LeaseEnd = time.Time{}
		}
	}
}

// bounds are those of the signature.
func (v Variant) bounds(c call.Call, a call.Attempt) (notBefore, notAfter time.Time) {
	if v == "R32" && a.LeaseEnd.IsZero() { // its own process knows the lease
		a.LeaseEnd = a.Opened.Add(call.LeaseTime)
	}
	notBefore, notAfter = call.SendBounds(c, a)
	switch v {
	case "N3":
		notAfter = a.LeaseEnd
	case "N8":
		notAfter = a.LeaseEnd
		if end := c.FirstSigned.Add(slackUse); end.Before(notAfter) {
			notAfter = end
		}
	case "N9":
		notAfter = c.FirstSigned.Add(100 * call.TokenValidity)
	case "N12":
		notBefore = time.Time{}
	}
	return notBefore, notAfter
}

// reply asks the core how a delivery is answered.
func (v Variant) reply(first, top call.Call, asked call.Asked, p call.Profile) call.Reply {
	switch v {
	case "R5":
		p.WindowReopenAny = true
	case "R15":
		top.PlacedAt = top.RequestedAt
	case "R18":
		first.PlacedThrough = time.Time{}
	}
	reply := call.ReplyTo(first, top, asked, p)
	if v == "R7" && reply.Kind == call.ReplySuppress && top.State == call.Placed && asked.Stamp.At.After(top.RequestedAt) {
		reply.Kind = call.ReplyOpen
	}
	return reply
}

// openNext asks the core for the claim of a next ring.
func (v Variant) openNext(first, top call.Call, saw int, child call.Child, now time.Time) (call.Event, error) {
	event, err := call.OpenNext(first, top, saw, child, now, "")
	code := call.CodeOf(err)
	switch {
	case (v == "R9" || v == "N24") && code == call.CodeNotSettled:
		top.Open = nil
	case v == "R16" && code == call.CodeNotFinal:
		top.State = call.Failed
	case v == "R4" && code == call.CodeNotFinal:
		top.State, top.Open = call.Received, nil
	case v == "R17" && code == call.CodeNotFinal:
		top.State = call.Received
		event, err = call.OpenNext(first, top, saw, child, now, "")
		event.Closes = false
		return event, err
	default:
		return event, err
	}
	return call.OpenNext(first, top, saw, child, now, "")
}

func (v Variant) cancelHits(requestedAt time.Time, tier call.Tier, cause call.Cause, at time.Time) bool {
	return v != "R27" && call.CancelHits(requestedAt, tier, cause, at)
}

// cancelEvent asks the core for the fact of a cancel.
func (v Variant) cancelEvent(c call.Call, at, now time.Time) (call.Event, bool) {
	event, ok := call.CancelEvent(c, at, now, nil)
	switch v {
	case "R21":
		if c.State.Final() {
			return event, false
		}
	case "R23":
		event.Hits = !c.State.Final() && c.LastRing == 0
		ok = ok || event.Hits
	}
	return event, ok
}

// dueAt is when a sweep finds the row.
func (v Variant) dueAt(c *call.Call) time.Time {
	if v == "R10" || (v == "R20" && c.State.Final()) {
		return c.Due
	}
	return c.DueAt()
}

// token is the recipe.
func (v Variant) token(ring, attempts uint8) string {
	switch v {
	case "R14":
		return tokenOf(0)
	case "N1", "N16":
		return tokenOf(ring) + "-random-" + attemptID(attempts)
	}
	return tokenOf(ring)
}

// drops reports whether a variant drops a fact instead of merging it.
func (v Variant) drops(c *call.Call, w *worker, moved bool, now time.Time) bool {
	if w.then != thenResult {
		return false
	}
	switch v {
	case "R28":
		return moved
	case "N23":
		i := slices.IndexFunc(c.Open, func(a call.Attempt) bool { return a.ID == attemptID(w.attempt) })
		return i >= 0 && now.After(c.Open[i].LeaseEnd)
	}
	return false
}

// forced is the write of a variant that does not compare; zero for every other.
func (m *machine) forced(w *worker, current rowID) rowID {
	if current == 0 {
		return 0
	}
	c := *m.row(current)
	switch {
	case m.v == "R6" && w.then == thenOpened:
		next := *m.row(w.next).Next
		next.Ring = c.LastRing + 1
		return m.do(c, call.Event{Kind: call.EventRingOpened, At: next.Due, Next: &next})
	case m.v == "R11" && w.then == thenConfirmed:
		ring := 0
		if c.Next != nil {
			ring = c.Next.Ring
		}
		return m.do(c, call.Event{Kind: call.EventRingConfirmed, At: c.AcceptedAt, Ring: ring})
	}
	return 0
}

// overwrite is variant N21: a duplicate with other parameters replaces what was asked for.
func (m *machine) overwrite(s *state, w *worker) {
	c := *m.row(w.row)
	c.Fingerprint = fingerprint(m.c.Messages[w.message-1].Params)
	c.Pin, c.PinHash = "", ""
	c.Version++
	w.next = m.intern(c, call.EventNoted)
	w.pc, w.then = atWrite, thenWalk
	_ = s
}

// callFirst is variants N1 and N2: the phone is dialed before anything is durable.
func (m *machine) callFirst(s *state, w *worker, n uint8, now int32) bool {
	if s.rows[0] != 0 {
		w.first = s.rows[0]
		m.reply(s, w, w.first)
		return true
	}
	if s.attempts >= s.left.Attempts {
		return false
	}
	s.attempts++
	w.row = m.begin(beginKey{message: n, now: now, attempts: s.attempts})
	w.attempt = s.attempts
	w.pc, w.then = atSend, thenRecord
	return true
}

// recordAfterwards makes the row of a call that was placed first.
func (m *machine) recordAfterwards(s *state, w *worker) {
	if w.class != classOK {
		m.release(w)
		return
	}
	w.next = m.result(w.row, w.attempt, w.class, w.contact, w.at)
	w.pc, w.then = atCreate, thenRecord
	_ = s
}
