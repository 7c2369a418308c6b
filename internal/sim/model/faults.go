package model

// fault makes what the world does by itself.
func (m *machine) fault(s *state, a action) bool {
	switch a.kind { //nolint:exhaustive // the acts of workers and of Amazon Connect are elsewhere
	case doTick:
		if int(s.point)+1 >= len(m.c.Points) {
			return false
		}
		s.point++
		s.now = m.c.Points[s.point]
		return true
	case doCrash:
		return m.crash(s, &s.workers[a.a])
	case doEnd:
		c := &s.contacts[a.a]
		if s.left.End == 0 || c.ring == 0 || c.ended {
			return false
		}
		s.left.End--
		c.ended = true
		return true
	case doClock:
		w := &s.workers[a.a]
		if s.left.Step == 0 || w.skew == 0 {
			return false
		}
		s.left.Step--
		w.skew = 0
		return true
	case doDrift:
		if s.left.Drift == 0 {
			return false
		}
		s.left.Drift--
		s.drifted = !s.drifted
		return true
	case doBackup:
		if s.left.Restore != 2 {
			return false
		}
		s.left.Restore--
		s.backup, s.backOpener, s.backOff = s.rows, s.opener, s.canceled
		s.savedAt = s.now
		return true
	case doRestore:
		return m.restore(s)
	case doDie:
		if s.dead {
			return false
		}
		s.dead, s.died = true, s.now
		return true
	case doTTL:
		if s.now < validity {
			return false
		}
		s.rows = [maxRings]rowID{}
		return true
	}
	return false
}

func (m *machine) crash(s *state, w *worker) bool {
	if s.left.Crash == 0 {
		return false
	}
	if m.v == "R29" && s.spool[0].ring > 0 { // what was kept in memory only
		s.spool = [maxSpool]fact{}
	} else if w.pc == idle {
		return false
	}
	s.left.Crash--
	m.release(w)
	return true
}

// restore lets the ledger go back. The operator has stopped every worker first, since one that holds a message would acknowledge what the
// ledger has just forgotten; what the journal has of the forgotten time is delivered again.
func (m *machine) restore(s *state) bool {
	if s.left.Restore != 1 {
		return false
	}
	s.left.Restore--
	for i := range s.workers {
		if s.workers[i].pc != idle && m.v != "N16c" {
			m.release(&s.workers[i])
		}
	}
	s.rows, s.opener, s.canceled = s.backup, s.backOpener, s.backOff
	s.backup, s.backOpener, s.backOff = [maxRings]rowID{}, [maxRings]uint8{}, 0
	s.restored, s.learned = true, 0
	s.recovery = m.recover(s.savedAt, s.now)
	if m.v == "N15" {
		s.recovery = 0
	}
	for i := range s.messages {
		if x := &s.messages[i]; m.c.Journal && x.acked {
			x.acked, x.kept = false, false
			x.copies = max(x.copies, 1)
		}
	}
	return true
}
