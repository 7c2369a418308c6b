package model

import (
	"slices"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

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
