package sim

import (
	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
)

// Corner is the count of worlds that show the promised corner: under A1' with resend: token, a lost answer may ring twice (protocol.md section 5).
const Corner = "promised corner of token under A1'"

// excused takes out what is promised to be possible: the second ring of that corner, and rings of an operator's re-call that a restore has
// forgotten.
func (w *World) excused(rows []call.Call, found []call.Breach) (left []call.Breach) {
	first := map[string]bool{}
	for _, s := range w.subjects {
		first[s.row()] = true
	}
	for _, b := range found {
		c, known := hasRow(rows, b.RowID)
		switch {
		case b.Invariant == "I1" && w.corner(c) && (c.AttemptCount > 1 || w.truth.restored):
			w.mark(Corner)
		case known && w.provenNewer(c): // the forgotten request of the key rang, this one may have ended in any way
			w.mark("a forgotten key asked for anew after a restore")
		case (b.Invariant == "I1" || b.Invariant == "I3") && w.truth.closed && c.Ring > 0: // the new ring may end in any way, and the forgotten one rang
			w.mark("a forgotten ring number used again after its recovery was closed")
		case b.Invariant == "I2" && w.truth.restored && c.ContactFrom != "answer": // its intent was forgotten, and evidence came before the taint
		case b.Invariant == "I7" && !known && w.truth.restored && !first[b.RowID]:
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

// provenNewer reports whether the row belongs to a key that a restore may have forgotten and that a request made anew which is proven to
// be newer than the restore. Section 11 of the protocol lets it be dialed at once, although an earlier request of the same key may have
// rung in the forgotten time.
func (w *World) provenNewer(c call.Call) bool {
	if first, known := w.row(call.Naming{}.Row(c.Key, 0)); known {
		c = w.asItWas(first)
	}
	stamp := call.Stamp{At: c.RequestedAt, Tier: c.Tier}
	return w.truth.restored && stamp.Trusted() && c.RequestedAt.After(w.truth.restoredAt)
}

// excusedRow takes out the anomaly that the second ring of that corner leaves in its row.
func (w *World) excusedRow(c call.Call, found []call.Breach) (left []call.Breach) {
	for _, b := range found {
		corner := w.corner(c) && (c.AttemptCount > 1 || w.truth.restored)
		if b.Invariant != "I10" || (!corner && !w.provenNewer(c)) {
			left = append(left, b)
		}
	}
	return left
}
