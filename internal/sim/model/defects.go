package model

import (
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// Variant is a planted defect, by its id in protocol.md sections 15 and 16. Each replaces one step; what is not a step of a worker is a
// switch of Amazon Connect, a setting, or the act of an operator, and stands in the variant's configuration.
type Variant string

// Shipped is the protocol without a defect.
const Shipped = ""

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
