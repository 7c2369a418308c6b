package model

import (
	"slices"

	"github.com/ringonce/ringonce/internal/call"
)

// classes numbers the answers of a dial.
var classes = [...]call.Class{
	call.ClassOpen, call.ClassOK, call.ClassAmbiguous, call.ClassRefusedRequest, call.ClassRefusedSetup, call.ClassThrottled, call.ClassNotSent,
}

const (
	classOpen uint8 = iota
	classOK
	classAmbiguous
	classRefused
	classSetup
	classThrottled
	classNotSent
)

// merge writes a fact until it is in. A lost compare is a re-read and another try, which nothing can come between for good, so both are one
// effect.
func (m *machine) merge(s *state, w *worker, way uint8) bool {
	ring := uint8(m.row(w.row).Ring) //nolint:gosec // below maxRings
	current := s.rows[ring]
	if way != wayPlain {
		return m.unmerged(s, w, way, ring)
	}
	if current == 0 { // a restore took the row away
		if w.then == thenResult {
			return m.keepFact(s, w, ring)
		}
		m.release(w)
		return true
	}
	moved := m.row(current).Version != m.row(w.row).Version
	if moved {
		m.seen.lostCompares++
	}
	if m.v.drops(m.row(w.row), w, moved, instant(s.now+w.skew)) {
		m.noteLearned(s, w, ring)
		w.row = current
		m.finish(w)
		return true
	}
	w.row = current
	if next := m.factOf(s, w, current); next != 0 {
		m.store(s, w, ring, current, next)
		w.row = next
	}
	m.noteLearned(s, w, ring)
	m.merged(s, w)
	return true
}

// merged goes on after a fact.
func (m *machine) merged(s *state, w *worker) {
	switch w.then { //nolint:exhaustive // the facts
	case thenAttach:
		w.first = w.row
		m.answer(s, w)
	case thenWithdraw:
		w.first = w.row
		if m.row(w.first).LastRing == 0 {
			m.kept(w, w.first)
			return
		}
		w.pc, w.then = atReadTop, thenTarget
	case thenTarget:
		m.kept(w, w.row)
	case thenTaint:
		w.pc, w.then = atMerge, w.after
	default:
		w.attempt, w.class, w.contact, w.at = 0, 0, 0, 0
		m.walk(s, w)
	}
}

// factOf returns the row after the worker's fact; zero when the row knows it.
func (m *machine) factOf(s *state, w *worker, current rowID) rowID {
	c := *m.row(current)
	now := s.now + w.skew
	switch w.then { //nolint:exhaustive // the facts
	case thenResult:
		return m.result(current, w.attempt, w.class, w.contact, w.at)
	case thenContact:
		return m.contactFact(s, w, current)
	case thenAttach:
		k := writeKey{op: opAttach, row: current, at: w.at, a: w.message}
		return m.written(k, func() (call.Event, bool) {
			return call.Event{Kind: call.EventBodyAttached, At: instant(w.at), Opening: m.opening(w.message-1, instant(w.at))}, c.Tombstone
		})
	case thenTaint:
		k := writeKey{op: opTaint, row: current, at: now, a: s.recovery}
		return m.written(k, func() (call.Event, bool) {
			r := m.recovery(s.recovery)
			return call.Taint(c, *r, instant(now)), untainted(&c, r)
		})
	default:
		k := writeKey{op: opCancel, row: current, at: now, with: rowID(w.at)} //nolint:gosec // an instant after the start
		return m.written(k, func() (call.Event, bool) { return m.v.cancelEvent(c, instant(w.at), instant(now)) })
	}
}

// result returns the row after the answer to an attempt.
func (m *machine) result(current rowID, attempt, class, contact uint8, at int32) rowID {
	c := *m.row(current)
	k := writeKey{op: opResult, row: current, at: at, a: attempt, b: class, c: contact}
	return m.written(k, func() (call.Event, bool) {
		answer := call.Answer{Class: classes[class]}
		switch class {
		case classOK:
			answer.ContactID = contactID(contact)
		case classRefused:
			answer.Code = call.CodeDestinationRefused
		}
		return call.Result(c, attemptID(attempt), answer, m.profile, instant(at), 0), true
	})
}

func (m *machine) contactFact(s *state, w *worker, current rowID) rowID {
	c := *m.row(current)
	now := s.now + w.skew
	began := s.contacts[w.contact-1].at
	k := writeKey{op: opContact, row: current, at: now, a: w.contact, b: w.class, with: rowID(began)} //nolint:gosec // an instant after the start
	return m.written(k, func() (call.Event, bool) {
		id, from := contactID(w.contact), "search"
		if w.class == 1 {
			from = "event"
		}
		known := c.ContactID == id || slices.Contains(c.Anomalies, id)
		return call.Event{Kind: call.EventContact, At: instant(now), ContactID: id, From: from, Initiated: instant(began)}, !known
	})
}

// unmerged is a fact that the ledger gives no answer to. An answer of a dial goes to the spool; whoever brought another fact brings it again.
func (m *machine) unmerged(s *state, w *worker, way, ring uint8) bool {
	if s.left.GiveUp == 0 || (way == wayGivenUp && s.rows[ring] == 0) {
		return false
	}
	s.left.GiveUp--
	if way == wayGivenUp {
		if next := m.factOf(s, w, s.rows[ring]); next != 0 {
			m.store(s, w, ring, s.rows[ring], next)
		}
	}
	if w.then == thenResult {
		return m.keepFact(s, w, ring)
	}
	m.release(w)
	return true
}

// keepFact puts an answer into the spool.
func (m *machine) keepFact(s *state, w *worker, ring uint8) bool {
	for i := range s.spool {
		if s.spool[i].ring == 0 {
			s.spool[i] = fact{at: w.at, ring: ring + 1, attempt: w.attempt, class: w.class, contactID: w.contact}
			m.noteLearned(s, w, ring)
			m.finish(w)
			return true
		}
	}
	return false // the bound of the model
}

// noteLearned takes down that a worker was told a contact id and has dealt with it.
func (*machine) noteLearned(s *state, w *worker, ring uint8) {
	if w.then == thenResult && w.class == classOK {
		s.learned |= 1 << ring
	}
}

// mergeSpooled merges a fact that an earlier run could not write, after the taint of an open recovery, and forgets it.
func (m *machine) mergeSpooled(s *state, n uint8) bool {
	f := s.spool[n]
	if f.ring == 0 {
		return false
	}
	ring := f.ring - 1
	w := worker{then: thenTaint}
	if s.rows[ring] == 0 {
		if f.class == classOK { // proof of a ring: a ledger that went back may get its call again
			return false
		}
		s.spool[n] = fact{}
		return true
	}
	if untainted(m.row(s.rows[ring]), m.recovery(s.recovery)) {
		if next := m.factOf(s, &w, s.rows[ring]); next != 0 {
			m.store(s, &w, ring, s.rows[ring], next)
		}
	}
	current := s.rows[ring]
	news := f.class == classOK
	for _, a := range m.row(current).Open {
		news = news || a.ID == attemptID(f.attempt)
	}
	if news {
		w.then = thenResult
		m.store(s, &w, ring, current, m.result(current, f.attempt, f.class, f.contactID, f.at))
	}
	s.spool[n] = fact{}
	return true
}
