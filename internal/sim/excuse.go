package sim

import (
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
)

// Corner is the count of worlds that show the promised corner: under A1' with resend: token, a lost answer may ring twice (protocol.md section 5).
const Corner = "promised corner of token under A1'"

// excused takes out what the protocol says is possible, and counts it:
//   - the second ring of a lost answer under A1' with resend: token, once the first contact has ended (section 5);
//   - of a key that rang in the time that a restore has forgotten, what a request that is proven to be newer asks for anew (section 11);
//   - of a ring number, or of a turn of an escalation list, that rang in that time, what uses it again after an operator has closed the
//     recovery (section 11);
//   - an intent that was forgotten while evidence of its contact came before the taint (I2), and rings of later ring numbers that nobody asks
//     for any more (I7): what a restore has forgotten of a re-call or of a list.
func (w *World) excused(rows []call.Call, found []call.Breach) (left []call.Breach) {
	first := map[string]bool{}
	for _, s := range w.subjects {
		first[s.row()] = len(s.asked) > 0 // whom a list names only is as a re-call is
	}
	for _, b := range found {
		c, known := hasRow(rows, b.RowID)
		switch {
		case b.Invariant == "I1" && w.cornered(c):
			w.mark(Corner)
		case known && w.provenNewer(c): // the forgotten request of the key rang, this one may have ended in any way
			w.mark("excused: a forgotten key asked for anew after a restore")
		case (b.Invariant == "I1" || b.Invariant == "I3") && w.usedAgain(c): // the new ring may end in any way
			w.mark("excused: a forgotten ring number used again after its recovery was closed")
		case b.Invariant == "I2" && w.truth.restored && c.ContactFrom != "answer" && w.rangForgotten(c.ID):
			w.mark("excused: a forgotten intent")
		case b.Invariant == "I7" && !known && w.truth.restored && !first[b.RowID] && w.rangForgotten(b.RowID):
			w.mark("excused: a forgotten re-call")
		case b.Invariant == "I7" && !known && !w.truth.quiet && w.rangForgotten(b.RowID): // its request comes again
		default:
			left = append(left, b)
		}
	}
	return left
}

// corner reports whether the row is resent on its token in a world where tokens die with their contacts.
func (w *World) corner(c call.Call) bool {
	return w.Setting.Network.Reading == connectemu.A1Prime && w.Setting.Resend == "token" && c.Key.Kind.NeedsNumber()
}

// cornered reports whether more than one ring of the row is that corner: the row was sent again, or restored, and each contact had ended before the
// next one rang.
func (w *World) cornered(c call.Call) bool {
	if !w.corner(c) || (c.AttemptCount <= 1 && !w.truth.restored) {
		return false
	}
	var last string
	for _, r := range w.phone.rings() {
		if r.callID != c.ID {
			continue
		}
		if last != "" && !w.phone.endedBy(last, r.at) {
			return false
		}
		last = r.contact
	}
	return true
}

// stillTraveling is how much later than the restore a request of before can ring.
const stillTraveling = 15 * time.Minute

// rangForgotten reports whether a call rang between the backup and the restore.
func (w *World) rangForgotten(row string) bool {
	t := &w.truth
	if !t.restored {
		return false
	}
	for _, r := range w.phone.rings() {
		if r.callID == row && r.at.After(t.backup.at.Add(-time.Second)) && !r.at.After(t.restoredAt.Add(stillTraveling)) {
			return true
		}
	}
	return false
}

// usedAgain reports whether the row has a ring number that rang in the forgotten time and was opened anew after the recovery was closed. A turn of
// a list is opened as a ring number is.
func (w *World) usedAgain(c call.Call) bool {
	return w.truth.closed && (c.Ring > 0 || c.Cause == call.CauseEscalation) && w.rangForgotten(c.ID)
}

// provenNewer reports whether the row belongs to a key that rang in the time that a restore has forgotten, and that a request made anew which is
// proven to be newer than the restore. Section 11 of the protocol lets it be dialed at once.
func (w *World) provenNewer(c call.Call) bool {
	key := c.Key
	if first, known := w.row(call.Naming{}.Row(key, 0)); known {
		c = w.asItWas(first)
	}
	stamp := call.Stamp{At: c.RequestedAt, Tier: c.Tier}
	if !w.truth.restored || !stamp.Trusted() || !c.RequestedAt.After(w.truth.restoredAt) {
		return false
	}
	for ring := range 20 { // more rings than any life opens
		if w.rangForgotten(call.Naming{}.Row(key, ring)) {
			return true
		}
	}
	return false
}

// excusedRow takes out the anomaly that the second ring of those leaves in its row.
func (w *World) excusedRow(c call.Call, found []call.Breach) (left []call.Breach) {
	for _, b := range found {
		if b.Invariant != "I10" || (!w.cornered(c) && !w.provenNewer(c) && !w.usedAgain(c)) {
			left = append(left, b)
		}
	}
	return left
}
