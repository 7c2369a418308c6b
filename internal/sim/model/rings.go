package model

import "github.com/ringonce/ringonce/internal/call"

// claimed goes on after the compare-and-set that claims the next ring number.
func (m *machine) claimed(s *state, w *worker, current rowID, won bool) {
	if !won {
		switch w.after { //nolint:exhaustive // the purposes of a claim
		case thenNew: // a delivery asks again
			w.first = current
			m.answer(s, w)
		case thenWalk: // the first row itself was to be continued
			w.row = current
			m.walk(s, w)
		case thenEnded:
			m.walk(s, w)
		default: // an operator is told that somebody else was first
			m.release(w)
		}
		return
	}
	ring := uint8(m.row(w.next).LastRing) //nolint:gosec // below maxRings
	w.first, w.next = current, 0
	if next := m.row(current).Next; next == nil || next.Ring != int(ring) { // its answer was lost, and somebody made the row meanwhile
		w.child = s.rows[ring]
		m.confirmed(s, w)
		return
	}
	m.ensureChild(s, w, w.after)
}

// ensureChild creates the row of the claimed next ring, which then clears the claim. after says what the worker wants of it.
func (m *machine) ensureChild(s *state, w *worker, after then) {
	child := m.row(w.first).Next
	if child.Ring >= int(m.c.Rings) { // the bound of the configuration
		m.release(w)
		return
	}
	w.after = after
	w.next = m.beginChild(beginKey{now: s.now + w.skew, recovery: s.recovery, first: w.first, ring: uint8(child.Ring)}) //nolint:gosec // below maxRings
	w.pc, w.then = atCreate, thenChild
}

func (m *machine) beginChild(k beginKey) rowID {
	id, known := m.begun[k]
	if !known {
		id = m.makeChild(k)
		m.begun[k] = id
	}
	return id
}

func (m *machine) makeChild(k beginKey) rowID {
	first, now := m.row(k.first), instant(k.now)
	child := *first.Next
	if m.v == "R12" {
		child.NotAfter = first.NotAfter
	}
	id := m.naming[k.ring]
	opening := &call.Opening{
		Key: first.Key, Ring: child.Ring, Cause: child.Cause, Fingerprint: first.Fingerprint, Destination: first.Destination,
		Token: m.v.token(k.ring, k.attempts), RequestedAt: child.RequestedAt, Tier: child.Tier, NotAfter: child.NotAfter,
		Recalls: child.Recalls,
	}
	event := call.Event{Kind: call.EventAccepted, At: now, Opening: opening, Due: now, Actor: child.Actor, Reason: child.Reason}
	r := m.recovery(k.recovery)
	known := r != nil && (covers(r, first.AcceptedAt) || hasPhantom(first))
	if known {
		event.Attempt, event.Signed = phantom(id, r), r.Backup
	}
	canceled := !first.CanceledBefore.IsZero() && m.v.cancelHits(child.RequestedAt, child.Tier, child.Cause, first.CanceledBefore)
	switch {
	case canceled:
		event.Kind, event.Code, event.Message = call.EventTombstone, "canceled", "The producer withdrew the key before this ring."
	case !known && !child.NotAfter.IsZero() && now.After(child.NotAfter):
		event.Code, event.Message = "not_after", "The time limit notAfter had passed when the ring was opened."
	}
	return m.do(call.Begin(id), event)
}

// childExists clears the claim by compare-and-set; a lost compare needs nothing.
func (m *machine) childExists(s *state, w *worker, current rowID) {
	w.child = current
	now := s.now + w.skew
	ring := m.row(current).Ring
	w.next = m.written(writeKey{op: opConfirm, row: w.first, at: now, a: uint8(ring)}, func() (call.Event, bool) { //nolint:gosec // below maxRings
		return call.Event{Kind: call.EventRingConfirmed, At: instant(now), Ring: ring}, true
	})
	w.pc, w.then = atWrite, thenConfirmed
}

// confirmed goes on with the next ring, whose row exists.
func (m *machine) confirmed(s *state, w *worker) {
	if w.child == 0 {
		m.release(w)
		return
	}
	switch w.after { //nolint:exhaustive // what a next ring is made for
	case thenReply, thenTarget, thenRecall:
		m.topRead(s, w, w.after, w.child)
	case thenEnded:
		m.endParent(s, w)
	default:
		w.row, w.child = w.child, 0
		m.walk(s, w)
	}
}

// continueNext ends a row whose token or body cannot be used any more and carries its request on under the next ring number.
func (m *machine) continueNext(s *state, w *worker, cause call.Cause) {
	c := m.row(w.row)
	now := s.now + w.skew
	switch {
	case c.Ring == 0 && m.v == "R17":
		w.next = m.written(writeKey{op: opFence, row: w.row, at: now, a: causeNumber(cause)}, func() (call.Event, bool) {
			return call.Event{Kind: call.EventFailed, At: instant(now), Code: call.Code(cause)}, true
		})
		w.pc, w.then, w.class = atWrite, thenFenced, causeNumber(cause)
	case c.Ring == 0:
		w.first = w.row
		m.claim(s, w, cause, thenWalk)
	case c.Superseded == "":
		w.next = m.written(writeKey{op: opFence, row: w.row, at: now, a: causeNumber(cause)}, func() (call.Event, bool) {
			return call.Event{Kind: call.EventSuperseded, At: instant(now), Reason: string(cause)}, true
		})
		w.pc, w.then, w.class = atWrite, thenFenced, causeNumber(cause)
	default:
		w.pc, w.then, w.class = atReadFirst, thenContinue, causeNumber(cause)
	}
}

// fenced goes on when no worker can dial the parent any more.
func (m *machine) fenced(s *state, w *worker) {
	if m.v == "R17" && m.row(w.row).Ring == 0 {
		w.first = w.row
		m.claim(s, w, causeOf(w.class), thenWalk)
		return
	}
	w.pc, w.then = atReadFirst, thenContinue
}

// claimLater claims the ring after a later one, unless an earlier run has.
func (m *machine) claimLater(s *state, w *worker) {
	if w.first == 0 {
		m.finish(w)
		return
	}
	if m.row(w.first).LastRing == m.row(w.row).Ring {
		m.claim(s, w, causeOf(w.class), thenEnded)
		return
	}
	w.child = 0
	m.endParent(s, w)
}

// claim prepares the claim of the ring that continues the row that the worker has.
func (m *machine) claim(s *state, w *worker, cause call.Cause, after then) {
	now := s.now + w.skew
	k := writeKey{op: opClaim, row: w.first, with: w.row, at: now, a: causeNumber(cause)}
	c := *m.row(w.row)
	w.opener = s.opener[c.Ring]
	w.next = m.written(k, func() (call.Event, bool) {
		child := call.Child{Cause: cause, RequestedAt: c.RequestedAt, Tier: c.Tier, NotAfter: c.NotAfter, Reason: string(cause), Recalls: c.Recalls}
		event, err := m.v.openNext(*m.row(w.first), c, c.Ring, child, instant(now))
		return event, err == nil
	})
	if w.next == 0 {
		m.finish(w)
		return
	}
	w.pc, w.then, w.after = atWrite, thenOpened, after
}

// endParent ends the fenced parent, after the claim, so that no crash loses the call.
func (m *machine) endParent(s *state, w *worker) {
	now := s.now + w.skew
	if w.child == 0 { // claimed by an earlier run: go on with the parent, which is then final
		w.child = w.row
	}
	w.next = m.written(writeKey{op: opEnd, row: w.row, at: now, a: w.class}, func() (call.Event, bool) {
		code := call.Code(causeOf(w.class))
		return call.Event{Kind: call.EventFailed, At: instant(now), Code: code, Message: "The request continues under the next ring number."}, true
	})
	w.pc, w.then = atWrite, thenEnded
}

func causeNumber(c call.Cause) uint8 {
	if c == call.CauseTokenAge {
		return 1
	}
	return 2
}

func causeOf(n uint8) call.Cause {
	if n == 1 {
		return call.CauseTokenAge
	}
	return call.CauseRepin
}
