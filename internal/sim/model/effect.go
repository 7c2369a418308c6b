package model

// effect makes the worker's next effect in the given way.
func (m *machine) effect(s *state, w *worker, way uint8) bool {
	switch w.pc {
	case atCreate, atWrite:
		return m.writeEffect(s, w, way)
	case atMerge:
		return m.merge(s, w, way)
	case atReadFirst:
		return m.readFirst(s, w)
	case atReadTop:
		return m.readTop(s, w)
	case atSend:
		return m.send(s, w, way)
	case atAwait:
		return m.timeout(s, w)
	case atSearch:
		return m.search(s, w, way)
	case atAck:
		return m.ack(s, w, way)
	case idle:
	}
	return false
}

// writeEffect is a create or a compare-and-set of a decision, with everything that can become of its answer.
func (m *machine) writeEffect(s *state, w *worker, way uint8) bool {
	if w.own { // asked again under the same op: the ledger says that the write is its own
		if way != wayPlain {
			return false
		}
		ring := m.row(w.next).Ring
		w.own = false
		if (m.v == "N18" || m.v == "N19") && w.message > 0 { // misread as a lost race: somebody else is at it
			s.messages[w.message-1].acked = true
			m.release(w)
			return true
		}
		m.completed(s, w, s.rows[ring], true)
		return true
	}
	switch way {
	case wayPlain:
		current, applied := m.compareAndSet(s, w)
		m.completed(s, w, current, applied)
		return true
	case wayLost:
		if s.left.Loss == 0 {
			return false
		}
		if _, applied := m.compareAndSet(s, w); !applied {
			return false
		}
		s.left.Loss--
		w.own = true
		return true
	case wayGivenUp:
		if s.left.GiveUp == 0 {
			return false
		}
		if _, applied := m.compareAndSet(s, w); !applied {
			return false
		}
	case wayNotApplied:
		if s.left.GiveUp == 0 {
			return false
		}
	}
	s.left.GiveUp--
	m.unanswered(s, w)
	return true
}

// unanswered is what a worker does when the ledger gives it no answer: a new key goes back to its source, a step that was begun is left to
// the next sweep or delivery, and the delivery is answered by the row as the worker knows it.
func (m *machine) unanswered(s *state, w *worker) {
	switch w.then { //nolint:exhaustive // only steps of a row that is known go on
	case thenWalk, thenHeld, thenSent, thenFenced, thenEnded:
		m.finish(w)
	default:
		if m.v == "H3" && w.then == thenNew && w.later {
			s.messages[w.message-1].acked = true
		}
		m.release(w)
	}
}

// compareAndSet writes next if the row is as the worker read it. It returns the row that is then in the ledger.
func (m *machine) compareAndSet(s *state, w *worker) (current rowID, applied bool) {
	ring := uint8(m.row(w.next).Ring) //nolint:gosec // below maxRings
	current = s.rows[ring]
	if w.pc == atCreate {
		if current != 0 {
			return current, false
		}
		m.store(s, w, ring, 0, w.next)
		return w.next, true
	}
	base := w.base()
	if current == 0 || m.row(current).Version != m.row(base).Version {
		if forced := m.forced(w, current); forced != 0 {
			m.store(s, w, ring, current, forced)
			return forced, true
		}
		return current, false
	}
	m.store(s, w, ring, current, w.next)
	return w.next, true
}

// base is the row that a pending write was made from.
func (w *worker) base() rowID {
	if w.then == thenOpened || w.then == thenConfirmed {
		return w.first
	}
	return w.row
}

// store puts a row into the ledger and lets the oracle look.
func (m *machine) store(s *state, w *worker, ring uint8, before, after rowID) {
	s.rows[ring] = after
	m.seen.events[m.kinds[after]]++
	m.judgeWrite(s, w, ring, before, after)
}

// completed goes on after a write whose answer came.
func (m *machine) completed(s *state, w *worker, current rowID, won bool) {
	if !won {
		m.seen.lostCompares++
	}
	switch w.then { //nolint:exhaustive // the others belong to reads and facts
	case thenNew:
		m.opened(s, w, current, won)
	case thenChild:
		m.childExists(s, w, current)
	case thenTombstone:
		if won {
			m.kept(w, current)
			return
		}
		w.first = current
		m.withdraw(s, w)
	case thenOpened:
		m.claimed(s, w, current, won)
	case thenConfirmed:
		m.confirmed(s, w)
	case thenEnded:
		if w.child == w.row { // claimed by an earlier run
			w.child = current
		}
		w.row, w.child = w.child, 0
		m.walk(s, w)
	case thenHeld:
		w.row = current
		if won {
			m.finish(w)
			return
		}
		m.walk(s, w)
	case thenSent:
		w.row = current
		m.intended(s, w, won)
	case thenFenced:
		w.row = current
		if won && (!m.row(current).State.Final() || m.v == "R17") {
			m.fenced(s, w)
			return
		}
		m.walk(s, w)
	case thenRecord:
		w.row = current
		m.finish(w)
	default:
		w.row = current
		m.walk(s, w)
	}
}

// intended goes on after an intent: the one who won it dials, unless evidence ended the call while the answer was lost.
func (m *machine) intended(s *state, w *worker, won bool) {
	c := m.row(w.row)
	if !won || c.State.Final() {
		m.walk(s, w)
		return
	}
	intent := m.row(w.next).Open
	w.attempt = number(intent[len(intent)-1].ID)
	w.pc, w.then, w.next = atSend, thenResult, 0
}

func number(id string) uint8 {
	n := uint8(0)
	for i := 1; i < len(id); i++ {
		n = n*10 + id[i] - '0'
	}
	return n
}

// readFirst reads the first row of the key.
func (m *machine) readFirst(s *state, w *worker) bool {
	w.first = s.rows[0]
	switch w.then { //nolint:exhaustive // the purposes of this read
	case thenCancel:
		m.cancelFirst(s, w)
	case thenAgain:
		m.answer(s, w)
	case thenContinue:
		m.claimLater(s, w)
	case thenRecall:
		m.recallTop(s, w)
	case thenRecallNow:
		m.recallOpen(s, w, w.child)
	default:
		m.release(w)
	}
	return true
}

// readTop reads the highest ring; the row of a claimed ring that does not exist yet is created on the way.
func (m *machine) readTop(s *state, w *worker) bool {
	first := m.row(w.first)
	top := s.rows[first.LastRing]
	if top == 0 {
		switch {
		case first.Next != nil && m.v == "R10":
			w.row = w.first
			m.finish(w)
		case first.Next != nil && m.v == "R27" && w.then == thenTarget:
			m.kept(w, w.first)
		case first.Next != nil:
			m.ensureChild(s, w, w.then)
		default:
			m.release(w) // not found: the delivery goes back
		}
		return true
	}
	m.topRead(s, w, w.then, top)
	return true
}

func (m *machine) topRead(s *state, w *worker, purpose then, top rowID) {
	switch purpose { //nolint:exhaustive // the purposes of this read
	case thenReply:
		m.reply(s, w, top)
	case thenTarget:
		w.row = top
		m.withdrawTarget(s, w)
	case thenRecall:
		if m.row(w.first).Next != nil { // it was confirmed on the way or by somebody else: read it again
			w.pc, w.then, w.child = atReadFirst, thenRecallNow, top
			return
		}
		m.recallOpen(s, w, top)
	default:
		m.release(w)
	}
}
