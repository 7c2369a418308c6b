package model

import "github.com/ringonce/ringonce/internal/call"

// cancelFirst withdraws a key whose first row was read: an absent one becomes a tombstone.
func (m *machine) cancelFirst(s *state, w *worker) {
	if w.first != 0 {
		if stamp := m.c.Messages[w.message-1].stamp(); !stamp.Trusted() {
			if at := m.row(w.first).RequestedAt; at.After(instant(w.at)) { // who withdraws without a date means what is there
				w.at = seconds(at)
			}
		}
		m.withdraw(s, w)
		return
	}
	if m.v == "R24" {
		m.kept(w, 0)
		return
	}
	k := beginKey{message: w.message - 1, now: s.now + w.skew, recovery: s.recovery, tombstone: true}
	id, known := m.begun[k]
	if !known {
		event := call.Event{
			Kind: call.EventTombstone, At: instant(k.now), Before: instant(w.at), Code: "canceled", Message: "The producer withdrew the key before any request arrived.",
			Opening: &call.Opening{Key: theKey, Cause: call.CauseRequest},
		}
		if r := m.recovery(s.recovery); r != nil {
			event.Attempt, event.Signed, event.Message = phantom(m.naming[0], r), r.Backup, "The producer withdrew the key; a call that the restore forgot may have rung."
		}
		id = m.do(call.Begin(m.naming[0]), event)
		m.begun[k] = id
	}
	w.next = id
	w.pc, w.then = atCreate, thenTombstone
}

// withdraw lets the first row learn the cancel's time before the target is touched.
func (m *machine) withdraw(s *state, w *worker) {
	w.row = w.first
	w.pc, w.then = atMerge, thenWithdraw
	if untainted(m.row(w.row), m.recovery(s.recovery)) {
		w.then, w.after = thenTaint, thenWithdraw
	}
}

// withdrawTarget merges the cancel into the highest ring.
func (m *machine) withdrawTarget(s *state, w *worker) {
	w.pc, w.then = atMerge, thenTarget
	if untainted(m.row(w.row), m.recovery(s.recovery)) {
		w.then, w.after = thenTaint, thenTarget
	}
}

// kept answers a cancel: it is durable.
func (m *machine) kept(w *worker, row rowID) {
	w.row, w.met = row, metCancelKept
	at := w.at
	m.finish(w)
	w.at = at
}

// cancelAcked takes down that the producer was told that nothing rings any more.
func (m *machine) cancelAcked(s *state, w *worker) {
	c := &m.c.Messages[w.message-1]
	at := w.at
	if c.stamp().Trusted() {
		at = c.Made
	}
	s.canceled = max(s.canceled, at+1)
}
