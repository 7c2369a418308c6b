package model

import (
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// holds marks, in the number of a message, that no pacing slot is free when it is accepted.
const holds = 0x80

// deliver lets a worker take a copy of a message and prepare it, as far as no effect is needed.
func (m *machine) deliver(s *state, w *worker, n uint8) bool {
	held := n&holds != 0
	n &^= holds
	x, c := &s.messages[n], &m.c.Messages[n]
	now := s.now + w.skew
	if x.copies == 0 || s.now < c.Made {
		return false
	}
	if held {
		if s.left.Hold == 0 || c.Cancel {
			return false
		}
		s.left.Hold--
	}
	x.copies--
	w.message = n + 1
	w.opener = n + 1
	w.later = c.Later && !c.Cancel && (m.alive(s) || m.v == "H2")
	if m.v == "N7" {
		x.acked = true
	}
	if c.Tier == call.TierPayload && m.v != "R19" && instant(c.Stamp).After(instant(now).Add(futureTolerance)) {
		w.pc, w.then, w.met = atAck, thenWalk, metRefused
		return true
	}
	if c.Cancel {
		w.at = now
		if c.stamp().Trusted() {
			w.at = c.Stamp
		}
		w.pc, w.then = atReadFirst, thenCancel
		return true
	}
	if m.v == "N1" || m.v == "N2" {
		return m.callFirst(s, w, n, now)
	}
	w.next = m.begin(beginKey{
		message: n, now: now, recovery: s.recovery, attempts: s.attempts + 1, drifted: s.drifted, held: held, later: w.later,
	})
	if len(m.row(w.next).Open) > 0 && !hasPhantom(m.row(w.next)) && s.attempts >= s.left.Attempts {
		return false // the bound of the configuration
	}
	w.pc, w.then = atCreate, thenNew
	return true
}

// stampAt returns what the delivery says of its age. A transport's clock that runs ahead proves nothing.
func (m *machine) stampAt(n uint8, now time.Time) call.Stamp {
	stamp := m.c.Messages[n].stamp()
	if stamp.Tier != call.TierPayload && stamp.At.After(now.Add(futureTolerance)) {
		return call.Stamp{Tier: call.TierNone}
	}
	if m.v == "R26" && !stamp.Trusted() {
		return call.Stamp{At: now, Tier: call.TierPayload}
	}
	return stamp
}

type beginKey struct {
	message       uint8
	now           int32
	recovery      uint8
	attempts      uint8
	drifted, held bool
	later         bool
	ring          uint8 // of a next ring; message is then unused
	first         rowID
	tombstone     bool
}

// begin makes the row of a new key, merged with its first intent when the call may be dialed now.
func (m *machine) begin(k beginKey) rowID {
	id, known := m.begun[k]
	if !known {
		id = m.makeFirst(k)
		m.begun[k] = id
	}
	return id
}

func (m *machine) makeFirst(k beginKey) rowID {
	now := instant(k.now)
	c := &m.c.Messages[k.message]
	opening := m.opening(k.message, now)
	opening.Token = m.v.token(0, k.attempts)
	event := call.Event{Kind: call.EventAccepted, At: now, Opening: opening, Due: now}
	begin := call.Begin(m.naming[0])
	r := m.recovery(k.recovery)
	switch {
	case forgotten(r, m.stampAt(k.message, now)):
		event.Attempt, event.Signed = phantom(m.naming[0], r), r.Backup
	case !c.notAfter().IsZero() && now.After(c.notAfter()):
		event.Code, event.Message = "not_after", "The time limit notAfter had passed when the request arrived."
	case k.held:
		event.Due, event.Reason = now.Add(time.Second), "pacing"
	case k.later: // due at once, without an attempt
		if m.v == "H1" {
			event.Due = time.Time{}
		}
	default:
		row := begin.Apply(event)
		merged := call.Intent(row, attemptID(k.attempts), m.body(&row, k.drifted), m.target(), now, "")
		merged.Kind, merged.Opening, merged.Due, merged.Reason = event.Kind, event.Opening, event.Due, event.Reason
		event = merged
	}
	return m.do(begin, event)
}

func (m *machine) opening(n uint8, now time.Time) *call.Opening {
	c := &m.c.Messages[n]
	stamp := m.stampAt(n, now)
	return &call.Opening{
		Key: theKey, Cause: call.CauseRequest, Fingerprint: fingerprint(c.Params), Destination: theNumber, Token: tokenOf(0),
		RequestedAt: stamp.At, Tier: stamp.Tier, NotAfter: c.notAfter(),
	}
}

// opened goes on after the create of a first row: the one whose write it was dials.
func (m *machine) opened(s *state, w *worker, current rowID, won bool) {
	c := m.row(current)
	if !won {
		w.first, w.row = current, 0
		m.answer(s, w)
		return
	}
	w.row = current
	intended := len(m.row(w.next).Open) > 0 && !hasPhantom(m.row(w.next))
	if intended && c.Version == 1 {
		w.attempt = number(c.Open[0].ID)
		w.pc, w.then, w.next = atSend, thenResult, 0
		return
	}
	m.walk(s, w)
}

// answer replies to a delivery of a key that the ledger knows.
func (m *machine) answer(s *state, w *worker) {
	switch {
	case w.first == 0:
		m.release(w)
	case m.row(w.first).LastRing == 0:
		m.reply(s, w, w.first)
	default:
		w.pc, w.then = atReadTop, thenReply
	}
}

type askKey struct {
	first, top rowID
	now        int32
	message    uint8
}

type answerPlan struct {
	reply call.Reply
	next  rowID // of an opening: the first row with its claim; zero when the key moved
}

// reply answers from the first row and the highest ring.
func (m *machine) reply(s *state, w *worker, top rowID) {
	now := s.now + w.skew
	a := m.ask(askKey{first: w.first, top: top, now: now, message: w.message - 1})
	w.row = top
	switch a.reply.Kind {
	case call.ReplyConflict:
		if m.v == "H4" && w.later {
			m.finish(w)
			return
		}
		if m.v == "N21" && !m.row(top).State.Final() {
			m.overwrite(s, w)
			return
		}
		w.met = metConflict
		m.finish(w)
	case call.ReplyAttach:
		w.row, w.at = w.first, now
		w.pc, w.then = atMerge, thenAttach
	case call.ReplyOpen:
		if a.next == 0 {
			w.pc, w.then = atReadFirst, thenAgain
			return
		}
		if m.v == "R13" {
			s.messages[w.message-1].acked = true
		}
		w.opener = w.message
		w.pc, w.then, w.after, w.next = atWrite, thenOpened, thenNew, a.next
	case call.ReplySuppress:
		state := m.row(top).State
		w.busy = !state.Final() || state == call.InDoubt
		if m.row(top).State.Final() {
			m.finish(w)
			return
		}
		m.walk(s, w)
	}
}

func (m *machine) ask(k askKey) answerPlan {
	a, known := m.asked[k]
	if known {
		return a
	}
	now := instant(k.now)
	c := &m.c.Messages[k.message]
	first, top := *m.row(k.first), *m.row(k.top)
	stamp := m.stampAt(k.message, now)
	a.reply = m.v.reply(first, top, call.Asked{Fingerprint: fingerprint(c.Params), Stamp: stamp, ReceivedAt: now}, m.profile)
	m.seen.reply(a.reply)
	if a.reply.Kind == call.ReplyOpen {
		child := call.Child{Cause: call.CauseWindow, RequestedAt: stamp.At, Tier: stamp.Tier, NotAfter: c.notAfter()}
		event, err := m.v.openNext(first, top, top.Ring, child, now)
		if err == nil {
			a.next = m.do(first, event)
		}
	}
	m.asked[k] = a
	return a
}
