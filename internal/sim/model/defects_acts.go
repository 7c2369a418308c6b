package model

import "github.com/ringonce/ringonce/internal/call"

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
