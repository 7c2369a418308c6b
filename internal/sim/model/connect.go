package model

import (
	"strings"

	"github.com/ringonce/ringonce/internal/call"
)

// onTheWire registers the token of a request that leaves, and judges what it carries.
func (m *machine) onTheWire(s *state, c *call.Call, f *flight) bool {
	t := tokenIn(s, f.token)
	if t == nil {
		return false // the bound of the model
	}
	if t.body == 0 {
		t.body = f.body
	}
	m.judgeSend(s, c, f, t)
	return true
}

func tokenIn(s *state, id uint8) *token {
	for i := range s.tokens {
		t := &s.tokens[i]
		if t.id == id {
			return t
		}
		if t.id == 0 {
			t.id = id
			return t
		}
	}
	return nil
}

// connect is Amazon Connect receiving a request. It returns the class and the contact that its sender is told.
func (m *machine) connect(s *state, f *flight, way uint8) (class, contact uint8, ok bool) {
	stale := s.now-f.signed > freshness || f.signed-s.now > freshness
	if stale && m.v != "N13" {
		if way != wayPlain {
			return 0, 0, false
		}
		m.seen.stale++
		return classNotSent, 0, true
	}
	t := tokenIn(s, f.token)
	switch way {
	case wayRefused, wayThrottled, waySetup, wayRefusedLost, wayThrottledLost:
		return m.refuse(s, t, way)
	case wayPlain, wayAnswerLost, wayLibrary:
	default:
		return 0, 0, false
	}
	if (way == wayAnswerLost && s.left.Lost == 0) || (way == wayLibrary && (m.v != "N25" || s.left.Lost == 0 || s.left.Refuse == 0)) {
		return 0, 0, false
	}
	n, ok := m.accept(s, t, f)
	switch {
	case !ok:
		return 0, 0, false
	case way == wayAnswerLost:
		s.left.Lost--
		return classAmbiguous, 0, true
	case way == wayLibrary:
		s.left.Lost--
		s.left.Refuse--
		return classRefused, 0, true
	}
	return classOK, n, true
}

// accept answers with the token's contact while the token holds, else rings.
func (m *machine) accept(s *state, t *token, f *flight) (contact uint8, ok bool) {
	if m.holds(s, t) && t.contact > 0 && (!m.c.Dies || !m.ended(s, &s.contacts[t.contact-1])) {
		m.seen.repeated++
		return t.contact, true
	}
	m.begins(s, t)
	for i := range s.contacts {
		if s.contacts[i].ring == 0 {
			s.contacts[i].ring, s.contacts[i].at = f.ring+1, s.now
			t.contact = uint8(i) + 1
			m.seen.rings++
			m.judgeRing(s, f.ring, t.contact)
			return t.contact, true
		}
	}
	return 0, false
}

func (m *machine) holds(s *state, t *token) bool { return t.known && s.now < t.created+validity }

// begins starts the validity of a token that has none.
func (m *machine) begins(s *state, t *token) {
	if !m.holds(s, t) {
		t.known, t.created, t.contact = true, s.now, 0
	}
}

// refuse answers without a ring.
func (m *machine) refuse(s *state, t *token, way uint8) (class, contact uint8, ok bool) {
	budget := &s.left.Refuse
	class = classRefused
	switch way {
	case wayThrottled, wayThrottledLost:
		budget, class = &s.left.Throttle, classThrottled
	case waySetup:
		budget, class = &s.left.Setup, classSetup
	}
	if *budget == 0 {
		return 0, 0, false
	}
	*budget--
	if m.c.Consumes {
		m.begins(s, t)
	}
	if way == wayRefusedLost || way == wayThrottledLost {
		if s.left.Lost == 0 {
			return 0, 0, false
		}
		s.left.Lost--
		return classAmbiguous, 0, true
	}
	return class, 0, true
}

// land lets a request arrive that travelled. Its worker is told the answer if it still waits.
func (m *machine) land(s *state, n, way uint8) bool {
	f := s.flights[n]
	if f.attempt == 0 {
		return false
	}
	var waiting *worker
	for i := range s.workers {
		if w := &s.workers[i]; w.pc == atAwait && w.attempt == f.attempt {
			waiting = w
		}
	}
	if way == wayAnswerLost && waiting == nil {
		return false
	}
	class, contact, ok := m.connect(s, &f, way)
	if !ok {
		return false
	}
	if waiting == nil {
		m.seen.late++
	}
	s.flights[n] = flight{}
	if waiting != nil {
		m.answered(s, waiting, class, contact)
	}
	return true
}

// ended reports whether a contact has ended: somebody hung up, or no call lasts so long.
func (m *machine) ended(s *state, c *contact) bool {
	return c.ended || s.now-c.at > int32(m.profile.LongestCall.Seconds())
}

// paramsOf returns what a body was made of.
func paramsOf(body string) string {
	params, _, _ := strings.Cut(body, "|")
	return params
}
