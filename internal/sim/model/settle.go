package model

import (
	"hash/maphash"
	"strconv"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// most is how many rounds a world may take to come to rest.
const most = 400

// settle lets faults stop: what is not acknowledged is delivered again, a sweeper runs if the configuration has one, time passes from due to
// due, and searches find nothing that they may miss. It returns what is then broken. It is asked of states in which no worker is busy.
func (m *machine) settle(s state) finding {
	s = m.calm(s)
	if m.outOfBounds(&s) {
		return finding{}
	}
	if !m.rested.add(maphash.Comparable(m.seed, s)) {
		return finding{} // it settled well before: the first finding ends the search
	}
	kept := m.bad
	m.bad = finding{}
	rest := false
	for range most {
		before := s.rows
		m.round(&s)
		if m.bad.text != "" {
			break
		}
		if m.outOfBounds(&s) {
			m.bad = kept
			return finding{}
		}
		if s.rows == before && !m.passTime(&s) {
			rest = true
			break
		}
	}
	if m.bad.text == "" {
		m.judgeRest(&s, rest)
	}
	found := m.bad
	m.bad = kept
	return found
}

// outOfBounds reports whether the next ring is one that the configuration does not follow.
func (m *machine) outOfBounds(s *state) bool {
	next := m.row(s.rows[0]).Next
	return next != nil && next.Ring >= int(m.c.Rings)
}

// calm returns the state without what only faults use, so that states that settle alike are settled once.
func (m *machine) calm(s state) state {
	s.left = Budget{Attempts: 200}
	s.point, s.saw = 0, 0
	s.flights = [maxFlights]flight{}
	s.backup, s.backOpener, s.backOff, s.savedAt = [maxRings]rowID{}, [maxRings]uint8{}, 0, 0
	if m.v != "R31" {
		s.dead, s.died = false, 0
	}
	for i := range s.workers {
		s.workers[i] = worker{}
	}
	for i := range s.messages {
		s.messages[i].copies = 0
	}
	return s
}

// round delivers, merges and sweeps once.
func (m *machine) round(s *state) {
	w := &s.workers[0]
	for i := range m.c.Messages {
		if x := &s.messages[i]; !x.acked && m.c.Messages[i].Made <= s.now {
			x.copies = 1
			before := *s
			if m.deliver(s, w, uint8(i)) {
				m.finishAlone(s, w)
			}
			x.copies = 0
			m.tellTo(&before, s, "redeliver "+strconv.Itoa(i+1))
		}
	}
	for i := range s.spool { // the next start merges them, whether or not something sweeps
		m.mergeSpooled(s, uint8(i))
	}
	if m.c.Sweeper == SweeperNone || m.v == "R31" {
		return
	}
	for r := range m.c.Rings {
		before := *s
		if m.due(s, r, s.now) && m.sweep(s, w, r) {
			m.finishAlone(s, w)
		}
		m.tellTo(&before, s, "sweep ring "+strconv.Itoa(int(r)))
	}
}

func (m *machine) tellTo(before, after *state, what string) {
	if m.told != nil {
		m.told(before, after, what)
	}
}

// finishAlone runs a worker to its end, without faults and without others.
func (m *machine) finishAlone(s *state, w *worker) {
	for range most {
		if w.pc == idle || m.bad.text != "" {
			break
		}
		if !m.effect(s, w, wayPlain) && !m.effect(s, w, wayHit) {
			break
		}
	}
	m.release(w)
}

// passTime moves on to the next instant at which something is due, and reports whether there is one.
func (m *machine) passTime(s *state) bool {
	next, found := int32(0), false
	consider := func(at int32) {
		if at <= s.now {
			at = s.now + minute // tried already: a source comes back later
		}
		if !found || at < next {
			next, found = at, true
		}
	}
	for i := range m.c.Messages {
		if !s.messages[i].acked {
			consider(m.c.Messages[i].Made)
		}
	}
	if m.c.Sweeper != SweeperNone && m.v != "R31" {
		for _, id := range s.rows {
			if id == 0 {
				continue
			}
			if at := m.v.dueAt(m.row(id)); !at.IsZero() {
				consider(seconds(at))
			}
		}
	}
	if found {
		before := *s
		s.now = next
		m.tellTo(&before, s, "")
	}
	return found
}

// judgeRest looks at a world that has come to rest.
func (m *machine) judgeRest(s *state, rest bool) {
	if !rest {
		m.find(G2, "it never comes to rest")
		return
	}
	for ring, id := range s.rows {
		if id == 0 {
			continue
		}
		m.judgeEnd(s, uint8(ring), m.row(id))
	}
	if first := m.row(s.rows[0]); s.rows[0] != 0 && first.LastRing < int(m.c.Rings) && s.rows[first.LastRing] == 0 {
		m.find(G2, "ring %d was claimed, and its call never exists", first.LastRing)
	}
	for i := range m.c.Messages {
		m.judgeServed(s, uint8(i))
	}
	m.judgeTruth(s)
}

func (m *machine) judgeEnd(s *state, ring uint8, c *call.Call) {
	first := m.row(s.rows[0])
	m.seen.ends[c.State]++
	if s.learned>>ring&1 == 1 && c.State != call.Placed {
		m.find(G5, "a contact id was received for ring %d, and the ledger says %s", ring, c.State)
	}
	switch {
	case !c.State.Final():
		m.find(G2, "ring %d stays %s for ever", ring, c.State)
	case c.State == call.Expired && c.NotAfter.IsZero():
		m.find(G2, "ring %d expired without a time limit", ring)
	case c.State == call.Expired && m.limitOf(s, ring).IsZero() && s.opener[ring] > 0:
		m.find(G2, "ring %d expired by a time limit that is not its own", ring)
	case c.State == call.Failed && (c.Code == call.Code(call.CauseTokenAge) || c.Code == call.Code(call.CauseRepin)) && first.LastRing <= int(ring):
		m.find(G2, "ring %d ended for the next ring, which was never opened", ring)
	}
}

// limitOf returns the time limit of the act that opened a ring.
func (m *machine) limitOf(s *state, ring uint8) time.Time {
	if by := s.opener[ring]; by > 0 && by < byOperator {
		return m.c.Messages[by-1].notAfter()
	}
	return time.Time{}
}

// judgeServed sees that an acknowledged request became a call, or was answered by one that the rules of protocol.md section 8 name.
func (m *machine) judgeServed(s *state, n uint8) {
	x, c := &s.messages[n], &m.c.Messages[n]
	if !x.acked || x.kept || c.Cancel || (s.restored && !m.c.Journal && m.c.Breaks != G2) {
		return
	}
	if s.rows[0] == 0 {
		m.find(G2, "request %d was acknowledged, and no call exists", n+1)
		return
	}
	if asked := m.row(s.rows[0]).Fingerprint; asked != "" && asked != fingerprint(c.Params) && !s.restored {
		m.find(G2, "request %d was acknowledged as taken, and the call has other parameters", n+1)
	}
	if !c.stamp().Trusted() || m.c.Window == 0 || (s.canceled > 0 && c.Made <= s.canceled-1) {
		return
	}
	for ring, id := range s.rows {
		if id != 0 && m.serves(s, uint8(ring), m.row(id), n) {
			return
		}
	}
	m.find(G2, "request %d was acknowledged, and no call answers it", n+1)
}

func (m *machine) serves(s *state, ring uint8, c *call.Call, n uint8) bool {
	made := m.c.Messages[n].Made
	if by := s.opener[ring]; by == n+1 || (by >= byOperator && s.openedAt[ring] >= made) || (by > 0 && by < byOperator && m.c.Messages[by-1].Made >= made) {
		return true
	}
	switch c.State { //nolint:exhaustive // what a final call suppresses
	case call.Placed:
		return made <= seconds(c.PlacedAt.Add(m.c.Window))
	case call.InDoubt:
		return true
	case call.Failed, call.Expired:
		return !instant(made).After(c.FinalAt)
	}
	return false
}

// judgeTruth asks the core's CheckTruth.
func (m *machine) judgeTruth(s *state) {
	if m.v != Shipped {
		return
	}
	var rows []call.Call
	rings := map[string][]string{}
	for ring, id := range s.rows {
		if id != 0 {
			rows = append(rows, *m.row(id))
			rings[m.naming[ring]] = nil
		}
	}
	for i := range s.contacts {
		c := &s.contacts[i]
		if c.ring > 0 && s.rows[c.ring-1] != 0 {
			rings[m.naming[c.ring-1]] = append(rings[m.naming[c.ring-1]], contactID(uint8(i)+1))
		}
	}
	for id, contacts := range rings {
		if contacts == nil {
			delete(rings, id)
		}
	}
	for _, b := range call.CheckTruth(rows, rings) {
		if b.Invariant != "I1" || !s.restored { // which act a ring belongs to is judged when it rings
			m.find(Internal, "%s", b.String())
		}
	}
}
