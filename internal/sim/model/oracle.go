package model

import (
	"fmt"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// Promise names what a finding breaks.
type Promise string

// The promises, and what else must never be.
const (
	G1       Promise = "G1"        // one ring per act
	G2       Promise = "G2"        // nothing accepted is lost
	G4       Promise = "G4"        // one token, one body; other parameters are never dialed
	G5       Promise = "G5"        // the ledger never lies
	Canceled Promise = "cancel"    // nothing is dialed after an acknowledged cancel
	Internal Promise = "invariant" // I1 to I14, as the core checks them
)

type finding struct {
	promise Promise
	text    string
}

func (m *machine) find(p Promise, format string, args ...any) {
	if m.bad.text == "" && (m.c.Breaks == "" || m.c.Breaks == p) {
		m.bad = finding{promise: p, text: fmt.Sprintf(format, args...)}
	}
}

// judgeWrite looks at a row as it enters the ledger.
func (m *machine) judgeWrite(s *state, w *worker, ring uint8, before, after rowID) {
	b, a := m.row(before), m.row(after)
	if len(m.breaches) > 0 {
		if text := m.breaches[[2]rowID{before, after}]; text != "" {
			m.find(Internal, "the engine would refuse its own write: %s", text)
		}
	}
	kind := m.kinds[after]
	switch {
	case before == 0 && ring == 0:
		s.opener[0] = 0
		if kind == call.EventAccepted {
			s.opener[0] = w.message
		}
	case a.LastRing > b.LastRing:
		m.judgeOpening(s, w, a)
	case kind == call.EventCancelRequested:
		m.judgeCancel(s, w, ring, b, a)
	}
	if a.AttemptCount > b.AttemptCount && len(a.Open) > 0 && !a.Open[len(a.Open)-1].Phantom {
		s.attempts++
		m.judgeIntent(s, ring)
	}
	switch a.State { //nolint:exhaustive // the ends
	case call.Failed, call.Expired, call.Canceled:
		if a.State != b.State && rang(s, ring) > 0 {
			m.find(G5, "the ledger says %s of ring %d, and the phone rang", a.State, ring)
		}
	case call.Placed:
		if a.State != b.State && !owns(s, ring, a.ContactID) {
			m.find(G5, "ring %d is placed with %s, which is not its contact", ring, a.ContactID)
		}
		if a.State != b.State && (!s.restored || m.c.Strict) {
			m.judgeAge(s, ring, number(a.ContactID))
		}
	}
	if m.v == Shipped {
		m.judgeLedger(s)
	}
}

// judgeAge sees that a call is not placed with a ring so old that the request lies outside its window: then the request itself never rang.
func (m *machine) judgeAge(s *state, ring, contact uint8) {
	by := s.opener[ring]
	if contact == 0 || contact > maxContacts || m.c.Window == 0 || by == 0 || by >= byOperator {
		return
	}
	over := s.contacts[contact-1].at + int32(m.c.Window/time.Second) //nolint:gosec // weeks
	if m.c.Messages[by-1].Made > over {
		m.find(G2, "request %d is answered with a ring whose window was over when it was made", by)
	}
}

// judgeLedger asks the core's CheckLedger about the rows together, each combination once.
func (m *machine) judgeLedger(s *state) {
	text, known := m.ledger[s.rows]
	if !known {
		var rows []call.Call
		for _, id := range s.rows {
			if id != 0 {
				rows = append(rows, *m.row(id))
			}
		}
		for _, b := range call.CheckLedger(rows, instant(s.now), 0) {
			text = b.String()
		}
		for i := range rows {
			for _, b := range call.CheckRow(rows[i]) {
				text = b.String()
			}
		}
		m.ledger[s.rows] = text
	}
	if text != "" {
		m.find(Internal, "%s", text)
	}
}

func rang(s *state, ring uint8) int {
	n := 0
	for i := range s.contacts {
		if s.contacts[i].ring == ring+1 {
			n++
		}
	}
	return n
}

func owns(s *state, ring uint8, id string) bool {
	n := number(id)
	return n > 0 && int(n) <= maxContacts && s.contacts[n-1].ring == ring+1
}

// judgeOpening looks at the claim of a next ring: its act opens no other, a window that it asks about is over, and its parent is final.
func (m *machine) judgeOpening(s *state, w *worker, a *call.Call) {
	n := uint8(a.LastRing) //nolint:gosec // below maxRings
	if n >= maxRings || a.Next == nil {
		return
	}
	cause, by := a.Next.Cause, w.opener
	if cause == call.CauseTokenAge || cause == call.CauseRepin {
		s.opener[n], s.openedAt[n] = by, s.openedAt[n-1]
		return
	}
	for r := range n {
		if s.opener[r] == by {
			m.find(G1, "one act opens ring %d and ring %d", r, n)
		}
	}
	if parent := m.row(s.rows[n-1]); !parent.State.Final() {
		m.find(G1, "ring %d is opened while ring %d is %s", n, n-1, parent.State)
	}
	s.opener[n] = by
	if by >= byOperator {
		s.openedAt[n] = seconds(a.Next.RequestedAt)
		return
	}
	made := m.c.Messages[by-1].Made
	for i := range s.contacts {
		c := &s.contacts[i]
		if c.ring == 0 || c.ring > n {
			continue
		}
		if m.c.Window == 0 || made <= c.at+int32(m.c.Window/time.Second) { //nolint:gosec // weeks
			m.find(G1, "ring %d is opened by a request that was made inside the window of ring %d", n, c.ring-1)
		}
	}
}

// judgeCancel sees that a cancel touches only what was asked for before it.
func (m *machine) judgeCancel(s *state, w *worker, ring uint8, b, a *call.Call) {
	hit := (b.CancelRequested.IsZero() && !a.CancelRequested.IsZero()) || (a.State == call.Canceled && b.State != call.Canceled)
	if !hit || w.message == 0 {
		return
	}
	cancel := &m.c.Messages[w.message-1]
	if by := s.opener[ring]; by > 0 && by < byOperator && cancel.stamp().Trusted() {
		if c := &m.c.Messages[by-1]; c.stamp().Trusted() && c.Made > cancel.Made {
			m.find(G2, "a cancel withdraws ring %d, which was asked for after it", ring)
		}
	}
}

// judgeIntent sees that nothing is dialed that an acknowledged cancel withdrew.
func (m *machine) judgeIntent(s *state, ring uint8) {
	if s.canceled == 0 {
		return
	}
	at, by := s.canceled-1, s.opener[ring]
	hit := false
	switch {
	case by == 0:
	case by >= byOperator:
		hit = s.openedAt[ring] < at
	default:
		c := &m.c.Messages[by-1]
		hit = !c.stamp().Trusted() || c.Made <= at
	}
	if hit {
		m.find(Canceled, "ring %d is dialed after the cancel was acknowledged", ring)
	}
}

// judgeSend looks at a request as it leaves: its bytes are the stored ones, the first that its token carries, and of the accepted request.
func (m *machine) judgeSend(s *state, c *call.Call, f *flight, t *token) {
	if t.body != f.body {
		m.find(G4, "one token carries two bodies")
	}
	if m.v != Shipped {
		return
	}
	if call.HashBody([]byte(c.Pin)) != c.PinHash {
		m.find(Internal, "I5: the stored bytes fail their hash")
	}
	if date := instant(f.signed); date.Before(c.FirstSigned) || date.After(c.FirstSigned.Add(call.TokenUse)) {
		m.find(Internal, "I6: signed outside the bounds")
	}
	if s.rows[f.ring] == 0 && !s.restored {
		m.find(Internal, "I2: sent without a durable row")
	}
	if by := s.opener[f.ring]; by > 0 && by < byOperator && s.rows[f.ring] != 0 {
		if paramsOf(c.Pin) != m.row(s.rows[f.ring]).Fingerprint {
			m.find(G4, "other parameters are dialed than the ledger has")
		}
	}
}

// judgeRing looks at a phone that rings.
func (m *machine) judgeRing(s *state, ring, contact uint8) {
	by := s.opener[ring]
	for i := range s.contacts {
		c := &s.contacts[i]
		if c.ring == 0 || uint8(i)+1 == contact {
			continue
		}
		if c.ring == ring+1 && (!s.restored || c.by == by) { // a restore may forget a ring, whose number another request then takes
			m.find(G1, "ring %d rings a second time", ring)
		}
		if by > 0 && c.by == by {
			m.find(G1, "one act rings as ring %d and as ring %d", c.ring-1, ring)
		}
	}
	s.contacts[contact-1].by = by
	if s.rows[0] != 0 && m.row(s.rows[0]).LastRing > int(ring) {
		m.find(G1, "ring %d rings after the next ring took over", ring)
	}
	if s.rows[ring] == 0 {
		if !s.restored && m.v == Shipped {
			m.find(Internal, "I7: a phone rang for no row")
		}
		return
	}
	switch state := m.row(s.rows[ring]).State; state { //nolint:exhaustive // the ends without a ring
	case call.Failed, call.Expired, call.Canceled:
		m.find(G5, "ring %d rings, and the ledger says %s", ring, state)
	}
}
