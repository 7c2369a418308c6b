package model

import "github.com/ringonce/ringonce/internal/call"

// What a delivery met, where the state of a row does not say it.
const (
	metRow uint8 = iota
	metCancelKept
	metConflict
	metRefused
)

// walk goes on with the row that the worker knows: it chooses the effect that comes next. This is the engine's advance.
// A delivery that only accepts leaves it to the sweep.
func (m *machine) walk(s *state, w *worker) {
	if w.later && w.message != 0 {
		m.finish(w)
		return
	}
	m.walkOn(s, w, false)
}

func (m *machine) walkOn(s *state, w *worker, looked bool) {
	p := m.plan(planKey{row: w.row, now: s.now + w.skew, recovery: s.recovery, attempts: s.attempts + 1, drifted: s.drifted, looked: looked})
	switch p.kind {
	case planRest:
		m.finish(w)
	case planWrite:
		w.pc, w.then, w.next = atWrite, p.then, p.next
	case planSearch:
		w.pc, w.then = atSearch, p.then
		w.met = metRow
		w.class = 0
		if p.required {
			w.class = 1
		}
	case planNext:
		m.continueNext(s, w, p.cause)
	case planSend:
		if s.attempts >= s.left.Attempts { // the bound of the configuration: this history is not followed
			m.release(w)
			return
		}
		w.pc, w.then, w.next = atWrite, thenSent, p.next
	}
}

// finish ends the worker's program: a delivery is answered, everything else is over.
func (m *machine) finish(w *worker) {
	if w.message == 0 {
		m.release(w)
		return
	}
	w.pc, w.then = atAck, thenWalk
	w.first, w.next, w.child, w.at, w.attempt, w.class, w.contact, w.own, w.opener, w.after, w.saw = 0, 0, 0, 0, 0, 0, 0, false, 0, 0, 0
}

// release makes the worker idle. A delivery that it holds goes back to its source.
func (*machine) release(w *worker) { *w = worker{skew: w.skew} }

// ack tells the source what the acknowledge table says. A process that has accepted a call may dial it then, before a sweep does; what it was
// going to dial dies with it.
func (m *machine) ack(s *state, w *worker, way uint8) bool {
	x, source := &s.messages[w.message-1], call.SourceSQS
	if m.c.Messages[w.message-1].Later {
		source = call.SourceHTTP
	}
	if way == wayDials && (!w.later || w.met != metRow || m.row(w.row).State.Final()) {
		return false
	}
	ring, taken := uint8(m.row(w.row).Ring), false //nolint:gosec // below maxRings
	met := call.MetRefused
	switch w.met {
	case metRow:
		met = call.MetState(m.row(w.row).State)
	case metCancelKept:
		met = call.MetCancelKept
	case metConflict:
		met = call.MetConflict
	}
	switch call.Acknowledge(met, source, call.ModeLedger, m.alive(s)) {
	case call.AckDone:
		taken = true
		m.seen.acked[met]++
		x.acked = true
		x.kept = x.kept || w.met == metConflict || w.busy
		if w.met == metCancelKept {
			m.cancelAcked(s, w)
		}
	case call.AckRefuse:
		m.seen.refused++
		x.acked, x.kept = true, true
	case call.AckRetry, call.AckNever:
		m.seen.returned[met]++
	}
	m.release(w)
	return way != wayDials || taken && m.sweep(s, w, ring)
}

// alive reports whether a heartbeat is young enough.
func (m *machine) alive(s *state) bool {
	switch {
	case m.v == "R30":
		return true
	case m.c.Sweeper == SweeperNone:
		return false
	case s.dead:
		return s.now-s.died < int32(call.HeartbeatTime.Seconds())
	}
	return true
}

// sweep takes a due row: its unconfirmed next ring first, then the row itself.
func (m *machine) sweep(s *state, w *worker, ring uint8) bool {
	if s.rows[ring] == 0 || !m.due(s, ring, s.now+w.skew) {
		return false
	}
	w.row = s.rows[ring]
	c := m.row(w.row)
	switch {
	case c.Next != nil && m.v != "R10":
		w.first = w.row
		m.ensureChild(s, w, thenWalk)
	case c.State.Final() && c.State != call.InDoubt:
		return false
	default:
		m.walk(s, w)
	}
	return true
}

// due reports whether a sweep at the instant finds the row of a ring.
func (m *machine) due(s *state, ring uint8, now int32) bool {
	if s.rows[ring] == 0 {
		return false
	}
	at := m.v.dueAt(m.row(s.rows[ring]))
	return !at.IsZero() && !at.After(instant(now))
}
