package model

import (
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// planKind is what a worker does next with a row that it has just read or written.
type planKind uint8

const (
	planRest   planKind = iota // nothing now
	planWrite                  // make next durable
	planSearch                 // look for evidence
	planNext                   // the next ring takes over
	planSend                   // make the intent durable, then dial
)

type planKey struct {
	row      rowID
	now      int32
	recovery uint8
	attempts uint8
	drifted  bool
	looked   bool
}

type plan struct {
	kind     planKind
	next     rowID
	then     then
	cause    call.Cause
	required bool // the search decides whether anything is sent
}

// plan asks the core what may be done with a row. It is the model's copy of the step that the engine makes of a claim.
func (m *machine) plan(k planKey) plan {
	p, known := m.plans[k]
	if !known {
		p = m.makePlan(k)
		m.plans[k] = p
	}
	return p
}

func (m *machine) makePlan(k planKey) plan {
	c, now := *m.row(k.row), instant(k.now)
	if r := m.recovery(k.recovery); untainted(&c, r) {
		return plan{kind: planWrite, next: m.do(c, call.Taint(c, *r, now)), then: thenWalk}
	}
	claim := m.v.decide(c, m.profile, now)
	m.seen.claim(claim)
	switch claim.Step {
	case call.StepLater:
		return m.hold(c, claim, now)
	case call.StepWrite:
		return plan{kind: planWrite, next: m.do(c, claim.Event), then: thenWalk}
	case call.StepLook:
		return plan{kind: planSearch, then: thenLook}
	case call.StepNext:
		return plan{kind: planNext, cause: claim.Cause}
	case call.StepSend:
		if claim.Look != call.LookNone && !k.looked {
			return plan{kind: planSearch, then: thenResend, required: claim.Look == call.LookRequired}
		}
		return m.intend(c, claim, k)
	case call.StepNothing, call.StepDescribe, call.StepFollow: // the model tracks no contact, and nothing follows its calls
	}
	return plan{}
}

// hold writes a due only when the row does not say so already.
func (m *machine) hold(c call.Call, claim call.Claim, now time.Time) plan {
	overdue := !c.Due.IsZero() && !c.Due.After(now) && !claim.Due.After(now)
	if c.Due.Equal(claim.Due) || overdue {
		return plan{}
	}
	held := call.Event{Kind: call.EventHeld, At: now, Due: claim.Due, Reason: claim.Why}
	return plan{kind: planWrite, next: m.do(c, held), then: thenHeld}
}

// intend makes the intent of the next attempt, or hands over to the next ring when a repaired setup changes the body.
func (m *machine) intend(c call.Call, claim call.Claim, k planKey) plan {
	repaired := c.State == call.Received && c.SetupRefused
	body, target := []byte(c.Pin), c.Target
	if c.Pin == "" || mayRepin(&c) || repaired {
		body, target = m.body(&c, k.drifted), m.target()
	}
	if repaired && !mayRepin(&c) && call.HashBody(body) != c.PinHash {
		return plan{kind: planNext, cause: call.CauseRepin}
	}
	before := c
	body = m.v.beforeIntent(&c, body, m.body(&c, k.drifted))
	intent := call.Intent(c, attemptID(k.attempts), body, target, instant(k.now), string(claim.Look))
	if m.v == Shipped {
		c = before
	}
	return plan{kind: planSend, next: m.do(c, intent)}
}

// Kinds of writes that depend on more than the row and the instant.
const (
	opResult = iota
	opContact
	opCancel
	opLooked
	opTaint
	opConfirm
	opFence
	opEnd
	opHeld
	opBlind
	opOverwrite
	opClaim
	opAttach
	opRecall
)

type writeKey struct {
	op   uint8
	row  rowID
	with rowID
	at   int32
	a    uint8
	b    uint8
	c    uint8
}

// written returns the row after a write, each made once. A zero result says that there is nothing to write.
func (m *machine) written(k writeKey, build func() (call.Event, bool)) rowID {
	next, known := m.writes[k]
	if !known {
		if e, news := build(); news {
			next = m.do(*m.row(k.row), e)
		}
		m.writes[k] = next
	}
	return next
}
