package model

import "github.com/ringonce/ringonce/internal/call"

// attemptOf returns the worker's attempt as its copy of the row has it.
func (m *machine) attemptOf(w *worker) (call.Attempt, bool) {
	id := attemptID(w.attempt)
	for _, a := range m.row(w.row).Open {
		if a.ID == id {
			return a, true
		}
	}
	return call.Attempt{}, false
}

// send signs the stored bytes and puts them on the wire, with everything that can become of them.
func (m *machine) send(s *state, w *worker, way uint8) bool {
	c := m.row(w.row)
	attempt, known := m.attemptOf(w)
	if !known {
		return false
	}
	now := s.now + w.skew
	notBefore, notAfter := m.v.bounds(*c, attempt)
	if date := instant(now); date.Before(notBefore) || date.After(notAfter) { // the send guard
		if way != wayPlain {
			return false
		}
		m.seen.guarded++
		m.answered(s, w, classNotSent, 0)
		return true
	}
	if way == wayNotSent {
		if s.left.NotSent == 0 {
			return false
		}
		s.left.NotSent--
		m.answered(s, w, classNotSent, 0)
		return true
	}
	name := c.Token
	if c.Target.InstanceID != m.profile.InstanceID {
		name += "@" + c.Target.InstanceID
	}
	f := flight{signed: now, attempt: w.attempt, ring: uint8(c.Ring), token: m.number(name), body: m.number(c.Pin)} //nolint:gosec // below maxRings
	if !m.onTheWire(s, c, &f) {
		return false
	}
	if way == wayDelayed {
		return m.depart(s, w, f)
	}
	class, contact, ok := m.connect(s, &f, way)
	if !ok {
		return false
	}
	m.answered(s, w, class, contact)
	return true
}

// depart lets a request travel.
func (m *machine) depart(s *state, w *worker, f flight) bool {
	if s.left.Delay == 0 {
		return false
	}
	for i := range s.flights {
		if s.flights[i].attempt == 0 {
			s.left.Delay--
			s.flights[i] = f
			w.pc = atAwait
			return true
		}
	}
	return false
}

// answered merges what the worker saw of its attempt.
func (m *machine) answered(s *state, w *worker, class, contact uint8) {
	w.class, w.contact, w.at = class, contact, s.now+w.skew
	m.seen.classes[classes[class]]++
	if w.then == thenRecord {
		m.recordAfterwards(s, w)
		return
	}
	w.pc, w.then = atMerge, thenResult
}

// timeout gives a request up that is still on its way.
func (m *machine) timeout(s *state, w *worker) bool {
	m.answered(s, w, classAmbiguous, 0)
	return true
}

// search looks for contacts of the row.
func (m *machine) search(s *state, w *worker, way uint8) bool {
	c := m.row(w.row)
	found := uint8(0)
	for i := range s.contacts {
		if int(s.contacts[i].ring) == c.Ring+1 && found == 0 {
			found = uint8(i) + 1
		}
	}
	if way == wayHit {
		if found == 0 {
			return false
		}
		w.contact, w.class = found, 0
		w.pc, w.then = atMerge, thenContact
		return true
	}
	required := w.class == 1
	if found > 0 && required && m.ended(s, &s.contacts[found-1]) && !m.c.Misses && m.v != "N11b" {
		return false // a search that decides finds what has ended
	}
	w.class = 0
	if w.then == thenResend {
		m.walkOn(s, w, true)
		return true
	}
	now := s.now + w.skew
	w.next = m.written(writeKey{op: opLooked, row: w.row, at: now}, func() (call.Event, bool) { return call.Looked(*c, instant(now), ""), true })
	w.pc, w.then = atWrite, thenWalk
	return true
}

// sawContact is told a contact by an event, which carries no attributes: it is described, and its call is found.
func (m *machine) sawContact(s *state, w *worker, n uint8) bool {
	c := &s.contacts[n]
	if s.left.Event == 0 || c.ring == 0 || s.rows[c.ring-1] == 0 {
		return false
	}
	s.left.Event--
	w.row, w.contact, w.class = s.rows[c.ring-1], n+1, 1
	w.pc, w.then = atMerge, thenContact
	return true
}
