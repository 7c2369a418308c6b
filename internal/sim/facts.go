package sim

import (
	"maps"
	"slices"
	"strings"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// fresh is a contact id that a process was told in the act that is under way.
type fresh struct {
	process *app.App
	row     string
	contact string
}

// told notes a contact id that a worker was told and lived to write.
func (w *World) told(k *worker, s call.Send, a call.Answer) {
	if a.Class != call.ClassOK {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fresh = append(w.fresh, fresh{k.app, s.CallID, a.ContactID})
}

// judgeFresh sees, at the end of an act, that what a living process was told is in the ledger, or was given to the spool: a fact is accepted from
// whoever reports it, lease or not (N23), and is never dropped (R28). What is in the ledger now must be there in the end.
func (w *World) judgeFresh() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, f := range w.fresh {
		c, _ := w.truth.row(f.row)
		lives := slices.ContainsFunc(w.workers, func(k *worker) bool { return k.app == f.process })
		name := f.row + " " + f.contact
		switch {
		case !lives:
		case knows(c, f.contact):
			w.owed[name] = true
		case !w.spooled[name]:
			w.findings = append(w.findings, "a contact id of "+w.names[f.row]+" was received, and it is neither in the ledger nor in the spool")
		}
	}
	w.fresh = w.fresh[:0]
}

// cutFact returns the row and the contact of a contact id that is owed.
func cutFact(name string) (row, contact string, found bool) { return strings.Cut(name, " ") }

// knows reports whether a row has the contact id, be it as one that must not exist.
func knows(c call.Call, contact string) bool {
	return c.ContactID == contact || slices.Contains(c.Anomalies, contact)
}

// judgeFacts sees, when everything has its end, that every contact id which a process was told, and lived to write or to spool, is in the ledger.
func (w *World) judgeFacts(rows []call.Call) {
	if !w.truth.quiet { // it may wait in the spool
		return
	}
	for _, name := range slices.Sorted(maps.Keys(w.owed)) {
		id, contact, _ := cutFact(name)
		c, known := hasRow(rows, id)
		switch {
		case knows(c, contact):
		case !known && !w.truth.lost.has(id) && w.rangForgotten(id): // a process told it of a row that no ledger has again
			w.mark(ExcusedSpool)
		default:
			w.find("a contact id was received, the ledger says %s is %s", w.nameOf(id), c.State)
		}
	}
	for id, contact := range w.truth.safe {
		if c, _ := hasRow(rows, id); c.ContactID != contact {
			w.find("the contact id of %s changed", w.nameOf(id))
		}
	}
}
