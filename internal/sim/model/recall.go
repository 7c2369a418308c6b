package model

import "github.com/ringonce/ringonce/internal/call"

// Who opens a ring, besides the messages, which are numbered from 1.
const (
	byOperator uint8 = 50
	byRule     uint8 = 60 // plus the ring that the automaton saw
)

// beginRecall begins an operator's click, or an automaton's re-call of a final ring.
func (m *machine) beginRecall(s *state, w *worker, k kind) bool {
	if s.rows[0] == 0 {
		return false
	}
	last := uint8(m.row(s.rows[0]).LastRing) //nolint:gosec // below maxRings
	if last+1 >= m.c.Rings {
		return false // the bound of the configuration
	}
	if k == doClick {
		if s.left.Click == 0 {
			return false
		}
		s.left.Click--
		if s.saw == 0 {
			s.saw = last + 1
		}
		w.saw, w.opener = s.saw-1, byOperator
	} else {
		top := s.rows[last]
		if s.left.Rule == 0 || top == 0 || !m.row(top).State.Final() || m.row(top).State == call.InDoubt {
			return false
		}
		s.left.Rule--
		w.saw, w.opener = last, byRule+last
	}
	w.pc, w.then = atReadFirst, thenRecall
	return true
}

// recallTop looks for the highest ring.
func (m *machine) recallTop(s *state, w *worker) {
	switch {
	case w.first == 0:
		m.release(w)
	case m.row(w.first).LastRing == 0:
		m.recallOpen(s, w, w.first)
	default:
		w.pc, w.then = atReadTop, thenRecall
	}
}

// recallOpen claims the next ring, if the core permits it.
func (m *machine) recallOpen(s *state, w *worker, top rowID) {
	now := s.now + w.skew
	w.child = 0
	first, row := *m.row(w.first), *m.row(top)
	rule := w.opener >= byRule
	withdrawn := !first.CanceledBefore.IsZero() && call.CancelHits(row.RequestedAt, row.Tier, call.CauseRule, first.CanceledBefore)
	if rule && (!row.State.Final() || row.State == call.InDoubt || withdrawn) {
		m.release(w)
		return
	}
	k := writeKey{op: opRecall, row: w.first, with: top, at: now, a: w.saw}
	cause := call.CauseOperator
	if rule {
		k.b, cause = 1, call.CauseRule
	}
	w.next = m.written(k, func() (call.Event, bool) {
		asked := instant(now)
		if row.RequestedAt.After(asked) {
			asked = row.RequestedAt
		}
		child := call.Child{Cause: cause, RequestedAt: asked, Tier: call.TierPayload, Reason: "again"}
		if rule { // for the same request, of whose budget it is part
			child.RequestedAt, child.Tier, child.NotAfter, child.Recalls = row.RequestedAt, row.Tier, row.NotAfter, row.Recalls+1
		}
		saw := int(w.saw)
		if m.v == "R8" {
			saw = row.Ring
		}
		event, err := m.v.openNext(first, row, saw, child, instant(now))
		m.seen.recall(call.CodeOf(err))
		return event, err == nil
	})
	if w.next == 0 {
		m.release(w)
		return
	}
	w.pc, w.then, w.after = atWrite, thenOpened, thenHeld
}
