package sim

import (
	"maps"
	"slices"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// lostLedger is what a restore took, and what its copy has kept. After a restore nothing is excused but what these rows name.
type lostLedger struct {
	rows    map[string]call.Call // as they were when the copy took their place; erased ones as before
	byToken map[string]call.Call
	kept    map[string]call.Call // as the copy has them, before anybody recovered
	again   map[string]time.Time // rows: when they were first dialed since
	pressed map[string]bool      // contacts whose confirmation was kept then
}

// signing is a dial, and from when its row's signatures counted then: a taint that comes later, of a row that a slow clock has dated before the restore,
// counts them from earlier.
type signing struct{ at, from time.Time }

// asSigned returns a row as it was when a request was sent for it.
func (t *truth) asSigned(c call.Call, s wired) call.Call {
	for _, dial := range slices.Backward(t.signed[c.ID]) {
		if t.restored && !dial.at.After(s.at) { // the last one is that of the request
			if dial.from.After(c.FirstSigned) {
				c.FirstSigned = dial.from
			}
			break
		}
	}
	return c
}

func newLostLedger(before []call.Call) lostLedger {
	l := lostLedger{rows: map[string]call.Call{}, byToken: map[string]call.Call{}, kept: map[string]call.Call{}, again: map[string]time.Time{}}
	for _, c := range before {
		l.rows[c.ID], l.byToken[c.Token] = c, c
	}
	return l
}

// goBack takes what the world knows back to the copy. What was promised before the copy was made stays promised: the ledger knows of it.
func (w *World) goBack(before []call.Call, spooled map[string]bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := &w.truth
	b := t.backup
	t.restored = true
	t.back(b.writes)
	t.lost = newLostLedger(before)
	t.safe = map[string]string{}
	for id, m := range t.rows {
		t.lost.kept[id] = *m.Call
		if m.ContactID != "" {
			t.safe[id] = m.ContactID
		}
	}
	maps.DeleteFunc(t.made, func(id string, _ int) bool { return !t.lost.has(id) })
	t.accepted, t.promised, t.saw = b.accepted, b.promised, b.saw
	t.lost.pressed = t.life.confirmed
	t.kept, t.keptSeq, t.life.acked, t.life.confirmed = b.kept, b.keptSeq, b.acked, t.stillConfirmed(spooled)
	w.hints.given = b.given
	for i := range t.life.paused {
		if p := &t.life.paused[i]; p.until.IsZero() && !w.keepsCells(p.since) {
			p.until, p.forgotten = t.restoredAt, true
		}
	}
	w.owed = t.stillOwed(spooled)
}

// stillConfirmed returns the contacts whose confirmation was kept when the copy was made, and is in it or in the spool: what a spool had then may have
// been written since, and went with the ledger that was lost.
func (t *truth) stillConfirmed(spooled map[string]bool) map[string]bool {
	kept := map[string]bool{}
	for id, c := range t.lost.kept {
		if c.Sight != nil && !c.Sight.Confirmed.IsZero() {
			kept[c.ContactID] = t.backup.confirmed[c.ContactID]
		}
		for contact := range t.backup.confirmed {
			if spooled[id+" "+contact] {
				kept[contact] = true
			}
		}
	}
	return kept
}

// stillOwed returns the contact ids that must be in the ledger in the end: those that the copy has, and those that the spool of a row of it has. Of
// what else was written since the copy, evidence tells, or nothing.
func (t *truth) stillOwed(spooled map[string]bool) map[string]bool {
	owed := map[string]bool{}
	for id, c := range t.lost.kept {
		for _, contact := range append(slices.Clone(c.Anomalies), c.ContactID) {
			if contact != "" {
				owed[id+" "+contact] = true
			}
		}
	}
	for name := range spooled {
		if id, _, _ := cutFact(name); t.lost.has(id) {
			owed[name] = true
		}
	}
	return owed
}

// has reports whether the copy knew a row.
func (l lostLedger) has(row string) bool {
	_, known := l.kept[row]
	return known
}

// keepsCells reports whether the copy has a pause or a count of a time: it was made later. That of a light ledger is made of the writes of its rows
// and has none.
func (w *World) keepsCells(of time.Time) bool {
	_, light := w.store.(lightStore)
	return !light && !of.After(w.truth.backup.at)
}

// forgets reports whether the restored ledger has no count of the nth dial that was decided, then.
func (w *World) forgets(nth int, decided time.Time) bool {
	return w.truth.restored && nth < w.truth.decided && !w.keepsCells(decided)
}

// stillTraveling is how much later than the restore a request of before can ring.
const stillTraveling = 15 * time.Minute

// forgotten reports whether what reached the telephone for a row at a time belongs to the time that a restore has forgotten: it came between the
// backup and the restore, or was on its way when all processes ended, and none has dialed the row since.
func (w *World) forgotten(row string, at time.Time) bool {
	t := &w.truth
	if !t.restored || !at.After(t.backup.at.Add(-time.Second)) {
		return false
	}
	w.mu.Lock()
	again, dialed := t.lost.again[row]
	w.mu.Unlock()
	return !at.After(t.restoredAt.Add(stillTraveling)) && (!dialed || again.After(at))
}

// rangForgotten reports whether a call rang in the forgotten time.
func (w *World) rangForgotten(row string) bool {
	return w.truth.restored && slices.ContainsFunc(w.phone.rings(), func(r ring) bool { return r.callID == row && w.forgotten(row, r.at) })
}

// remembered returns the rings that are not of the forgotten time.
func (w *World) remembered(rings []ring) []ring {
	return slices.DeleteFunc(slices.Clone(rings), func(r ring) bool { return w.forgotten(r.callID, r.at) })
}

// untilRestore returns the rings that the lost ledger can have asked for.
func (w *World) untilRestore(rings []ring) []ring {
	return slices.DeleteFunc(slices.Clone(rings), func(r ring) bool { return r.at.After(w.truth.restoredAt) && !w.forgotten(r.callID, r.at) })
}

// ofLost reports whether a request on the wire was sent by the ledger that was lost, and returns the row that it had for it.
func (w *World) ofLost(s wired) (call.Call, bool) {
	c, known := w.truth.lost.byToken[s.token]
	return c, known && w.forgotten(c.ID, s.at)
}
