package sim

import (
	"slices"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// longestList returns how many recipients the longest list of a world names.
func (w *World) longestList() (n int) {
	for _, r := range w.requests {
		n = max(n, len(r.list))
	}
	return n
}

// judgeLists sees that a list goes from one recipient to the next: nobody is rung before the one before has ended, nobody is left out, and no list
// stops without a reason.
func (w *World) judgeLists(rows []call.Call, rings []ring) {
	for _, c := range rows {
		if c.Ring == 0 && c.Cause == call.CauseEscalation {
			w.judgeTurn(rows, rings, c)
		}
		if w.truth.quiet && c.Turn != nil {
			w.find("the turn of %s is claimed for ever", c.Turn.Recipient.RecipientID)
		}
	}
	if !w.truth.quiet || w.truth.forgets {
		return
	}
	for _, r := range w.requests {
		head, known := hasRow(rows, r.subject.row())
		if known && len(r.list) > 0 && r.subject.asked[0] == r && head.LastRing == 0 && !head.Tombstone {
			w.judgeList(rows, head, r.list)
		}
	}
}

// judgeTurn sees that everybody before on the list had hung up when it was this recipient's turn. Rows are in the order of their creation: what a
// person opened afterwards rings whenever it likes.
func (w *World) judgeTurn(rows []call.Call, rings []ring, c call.Call) {
	its := of(rings, c.ID)
	if len(its) == 0 {
		return
	}
	for _, other := range rows {
		if other.ID == c.ID {
			break
		}
		if (call.Naming{}).Row(other.Key, 0) != c.EscalatedFrom || w.cornered(other) { // which of two contacts is followed is not known
			continue
		}
		for _, r := range of(rings, other.ID) {
			ended := w.phone.storyOf(r.contact).ended
			if r.at.Before(its[0].at) && (ended.IsZero() || ended.After(its[0].at)) {
				w.find("%s rang while %s was rung", w.nameOf(c.ID), w.nameOf(other.ID))
			}
		}
	}
}

// judgeList follows a list of a key that was asked for once.
func (w *World) judgeList(rows []call.Call, at call.Call, list []string) {
	for _, name := range list {
		if w.stops(rows, at) {
			return
		}
		next, known := hasRow(rows, at.EscalatedTo)
		if (!known || keyName(next.Key) != name) && w.withdrawnBefore(rows, name) {
			continue // nobody has asked for a call of theirs, and it was withdrawn: the list passes over it
		}
		switch {
		case !known:
			w.find("the list of %s ends before %s, and nobody has confirmed", w.nameOf(at.ID), name)
			return
		case keyName(next.Key) != name:
			w.find("the list of %s goes on with %s, and %s was next", w.nameOf(at.ID), keyName(next.Key), name)
			return
		case next.LastRing > 0: // it was asked for otherwise, too
			return
		}
		w.mark("list goes on")
		at = next
	}
}

// stops reports whether a list may end with a key.
func (w *World) stops(rows []call.Call, first call.Call) bool {
	for _, c := range rows {
		if c.Key != first.Key {
			continue
		}
		unwanted := c.Sight != nil && (!c.Sight.Unwanted.IsZero() || !c.Sight.Confirmed.IsZero())
		limited := !c.NotAfter.IsZero() && time.Now().After(c.NotAfter)
		if c.State == call.InDoubt || c.State == call.Canceled || c.State == call.Expired || unwanted || limited || len(c.Anomalies) > 0 || !c.TooLate.IsZero() {
			return true
		}
	}
	if !first.CanceledBefore.IsZero() || !first.Acknowledged.IsZero() {
		return true
	}
	above, known := hasRow(rows, first.EscalatedFrom)
	return known && (!above.Acknowledged.IsZero() || !above.CanceledBefore.IsZero() || w.stoppedAbove(rows, above))
}

func (w *World) stoppedAbove(rows []call.Call, first call.Call) bool {
	above, known := hasRow(rows, first.EscalatedFrom)
	return known && (!above.Acknowledged.IsZero() || !above.CanceledBefore.IsZero() || w.stoppedAbove(rows, above))
}

// withdrawnAbove reports whether somebody confirmed a call of the key, or withdrew or confirmed one of a list that led to it.
func (w *World) withdrawnAbove(c call.Call) bool {
	rows := w.lifeRows()
	keys := []call.Key{c.Key}
	for id := (call.Naming{}).Row(c.Key, 0); ; {
		first, known := hasRow(rows, id)
		above, more := hasRow(rows, first.EscalatedFrom)
		if !known || !more || slices.Contains(keys, above.Key) {
			break
		}
		keys, id = append(keys, above.Key), above.ID
	}
	for _, r := range w.phone.rings() {
		rung, _ := hasRow(rows, r.callID)
		if !w.truth.life.pressed[r.contact].IsZero() && slices.Contains(keys, rung.Key) {
			return true
		}
	}
	return slices.ContainsFunc(w.requests, func(r *request) bool {
		return r.cancel && slices.Contains(keys, r.subject.key()) && (r.at.IsZero() || meant(r.at, c))
	})
}

// withdrawnBefore reports whether a key was withdrawn before anybody had asked for a call of it.
func (w *World) withdrawnBefore(rows []call.Call, name string) bool {
	return slices.ContainsFunc(rows, func(c call.Call) bool { return c.Ring == 0 && keyName(c.Key) == name && w.truth.tombs[c.ID] })
}
