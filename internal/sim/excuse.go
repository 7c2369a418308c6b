package sim

import (
	"slices"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
)

// Corner is the count of worlds that show the promised corner: under A1' with resend: token, a lost answer may ring twice (protocol.md section 5).
const Corner = "promised corner of token under A1'"

// What else is excused is what a restore has forgotten (protocol.md section 11), each by the rows, tokens and numbers of the forgotten time, and
// counted under these names.
const (
	ExcusedNewer        = "excused: a forgotten key asked for anew after a restore"
	ExcusedUsedAgain    = "excused: a forgotten ring number used again after its recovery was closed"
	ExcusedIntent       = "excused: a forgotten intent"
	ExcusedRecall       = "excused: a forgotten re-call"
	ExcusedUntilAgain   = "excused: a forgotten request that has not come again yet"
	ExcusedSend         = "excused: a request on the wire that the ledger has forgotten"
	ExcusedBody         = "excused: another body under a forgotten token"
	ExcusedNumber       = "excused: another number for a forgotten key"
	ExcusedConfirmation = "excused: a forgotten confirmation"
	ExcusedPause        = "excused: a forgotten pause"
	ExcusedCount        = "excused: a forgotten count of a limit"
	ExcusedBudget       = "excused: a forgotten ring of a budget"
	ExcusedToken        = "excused: the token of a forgotten ring of a key that is only known as withdrawn"
	ExcusedSpool        = "excused: a spooled contact of a forgotten row"
)

// Excuses lists the names under which what the oracle excuses is counted.
func Excuses() []string {
	return []string{
		Corner, ExcusedNewer, ExcusedUsedAgain, ExcusedIntent, ExcusedRecall, ExcusedUntilAgain, ExcusedSend, ExcusedBody, ExcusedNumber,
		ExcusedConfirmation, ExcusedPause, ExcusedCount, ExcusedBudget, ExcusedToken, ExcusedSpool,
	}
}

// excused takes out of what the ledger and the rings break together what the protocol says is possible, and counts it:
//   - the second ring of a lost answer under A1' with resend: token, once the first contact has ended (section 5);
//   - of a key that rang in the time that a restore has forgotten, what a request that is proven to be newer asks for anew (section 11);
//   - of a ring number, or of a turn of an escalation list, that rang in that time, what uses it again after an operator has closed the
//     recovery (section 11);
//   - an intent that was forgotten while evidence of its contact came before the taint (I2), and rings of later ring numbers that nobody asks
//     for any more (I7): what a restore has forgotten of a re-call or of a list.
//
// A ring of the forgotten time is never counted twice: of a row that rang twice since, nothing is excused.
func (w *World) excused(rows []call.Call, found []call.Breach) (left []call.Breach) {
	first := map[string]bool{}
	for _, s := range w.subjects {
		first[s.row()] = len(s.asked) > 0 // whom a list names only, or rang before the own request came, is as a re-call is
	}
	for _, b := range found {
		c, known := hasRow(rows, b.RowID)
		again := known && (b.Invariant == "I1" || b.Invariant == "I3" || b.Invariant == "I2") && w.rangOnceSince(c)
		owner := c
		if !known { // the ledger that was lost knew the row
			owner = w.truth.lost.rows[b.RowID]
		}
		switch {
		case b.Invariant == "I1" && owner.ID != "" && w.cornered(owner):
			w.mark(Corner)
		case again && w.provenNewer(c): // the forgotten request of the key rang, this one may have ended in any way
			w.mark(ExcusedNewer)
		case again && b.Invariant != "I2" && w.usedAgain(c): // the new ring may end in any way
			w.mark(ExcusedUsedAgain)
		case b.Invariant == "I2" && c.ContactFrom != "answer" && w.rangForgotten(c.ID):
			w.mark(ExcusedIntent)
		case b.Invariant == "I5" && known && w.newNumber(c):
			w.mark(ExcusedNumber)
		case b.Invariant == "I14" && known && w.tokenOfLost(c):
			w.mark(ExcusedToken)
		case b.Invariant == "I7" && !known && (!first[b.RowID] || owner.EscalatedFrom != "") && w.rangForgotten(b.RowID):
			w.mark(ExcusedRecall)
		case b.Invariant == "I7" && !known && !w.truth.quiet && w.rangForgotten(b.RowID): // its request comes again
			w.mark(ExcusedUntilAgain)
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

// cornered reports whether more than one ring of the row is that corner: the row was sent again, or has forgotten that it was sent, and each contact
// had ended before the next one rang.
func (w *World) cornered(c call.Call) bool {
	if !w.corner(c) || (c.AttemptCount <= 1 && !w.rangForgotten(c.ID)) {
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

// rangOnceSince reports whether no more than one ring of a row is not of the forgotten time, and it came when the tokens of the forgotten ones were
// dead: as long as Amazon Connect knows a token, it answers with its contact.
func (w *World) rangOnceSince(c call.Call) bool {
	its := of(w.phone.rings(), c.ID)
	since := w.remembered(its)
	return len(since) == 0 || (len(since) == 1 && !slices.ContainsFunc(its, func(r ring) bool { return r.contact != since[0].contact && !w.dead(r, since[0].at) }))
}

// dead reports whether the token of a ring may have been dead at a time. Kinds without a number have tokens of their own.
func (w *World) dead(r ring, at time.Time) bool {
	if w.Setting.Network.Reading == connectemu.A1Prime || w.Setting.Kinds {
		return w.Setting.Kinds || w.phone.endedBy(r.contact, at)
	}
	return at.Sub(r.at) > call.TokenUse
}

// usedAgain reports whether the row has a ring number that rang in the forgotten time and was opened anew after the recovery was closed. A turn of
// a list is opened as a ring number is.
func (w *World) usedAgain(c call.Call) bool {
	return w.truth.closed && (c.Ring > 0 || c.Cause == call.CauseEscalation) && !w.truth.lost.has(c.ID) && w.rangForgotten(c.ID)
}

// provenNewer reports whether the row belongs to a key that rang in the time that a restore has forgotten, and that a request made anew which is
// proven to be newer than the restore. Section 11 of the protocol lets it be dialed at once.
func (w *World) provenNewer(c call.Call) bool {
	key := c.Key
	if first, known := w.row(call.Naming{}.Row(key, 0)); known {
		c = w.asItWas(first)
	}
	stamp := call.Stamp{At: c.RequestedAt, Tier: c.Tier}
	if !w.truth.restored || !stamp.Trusted() || !c.RequestedAt.After(w.truth.restoredAt) || w.truth.lost.has(c.ID) {
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
		if b.Invariant != "I10" || !w.mayHaveAnomaly(c) {
			left = append(left, b)
		}
	}
	return left
}

// mayHaveAnomaly reports whether a row may know a second contact: that of an excused ring.
func (w *World) mayHaveAnomaly(c call.Call) bool {
	return w.cornered(c) || ((w.provenNewer(c) || w.usedAgain(c)) && w.rangOnceSince(c))
}

// tokenOfLost reports whether the row has no token, as nobody has asked for the call since it was forgotten, and rang under the token that it had.
func (w *World) tokenOfLost(c call.Call) bool {
	was := w.truth.lost.rows[c.ID]
	return c.Token == "" && was.Token != "" && !slices.ContainsFunc(of(w.phone.rings(), c.ID), func(r ring) bool { return r.token != was.Token || !w.forgotten(c.ID, r.at) })
}

// newNumber reports whether the rings of a row that are not of its number are all of the forgotten time, and the copy knows no number of its key:
// of two requests of one key that contradict each other the other one came first.
func (w *World) newNumber(c call.Call) bool {
	kept, known := w.truth.lost.kept[call.Naming{}.Row(c.Key, 0)]
	return w.truth.restored && (!known || kept.Destination == "") && !slices.ContainsFunc(w.remembered(of(w.phone.rings(), c.ID)), func(r ring) bool { return r.number != c.Destination })
}
