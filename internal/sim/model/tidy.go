package model

// tidy clears what a worker's program does not look at any more, so that states that behave alike are equal.
func (m *machine) tidy(s *state) {
	for i := range m.c.Workers {
		w := &s.workers[i]
		switch w.pc {
		case idle:
			*w = worker{skew: w.skew}
		case atCreate, atWrite:
			m.tidyWrite(w)
		case atMerge:
			w.next, w.child, w.opener, w.saw = 0, 0, 0, 0
			if w.then == thenResult {
				w.first, w.after = 0, 0
				m.refresh(s, w)
			}
		case atSend:
			w.first, w.next, w.child, w.opener, w.saw, w.after, w.at, w.class, w.contact = 0, 0, 0, 0, 0, 0, 0, 0, 0
		case atAwait:
			w.first, w.next, w.child, w.opener, w.saw, w.after, w.at, w.class, w.contact = 0, 0, 0, 0, 0, 0, 0, 0, 0
			m.refresh(s, w)
		case atAck:
			w.first, w.next, w.child, w.opener, w.saw, w.after, w.attempt, w.class, w.contact = 0, 0, 0, 0, 0, 0, 0, 0, 0
			if w.met != metRow {
				w.row = 0
			}
		case atReadFirst, atReadTop, atSearch:
			w.next, w.attempt, w.contact = 0, 0, 0
		}
	}
}

func (m *machine) tidyWrite(w *worker) {
	w.contact, w.attempt = 0, 0
	if w.then != thenOpened {
		if w.after != thenRecall {
			w.opener = 0
		}
		if w.then != thenFenced && w.then != thenEnded && w.after != thenEnded {
			w.class = 0
		}
	}
	switch w.then { //nolint:exhaustive // the others use what they have
	case thenNew, thenRecord:
		w.first, w.row, w.child, w.after, w.saw, w.at, w.opener = 0, 0, 0, 0, 0, 0, 0
	case thenWalk, thenHeld, thenSent:
		w.first, w.child, w.after, w.saw, w.at, w.opener = 0, 0, 0, 0, 0, 0
	}
}

// refresh gives a worker that only has a fact to merge the row as it is: it will read it again anyway.
func (m *machine) refresh(s *state, w *worker) {
	if m.v == "R28" || m.v == "N23" {
		return
	}
	if current := s.rows[m.row(w.row).Ring]; current != 0 {
		w.row = current
	}
}
