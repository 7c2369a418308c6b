package sim

import (
	"slices"

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
	if w.truth.facts[k] == nil {
		w.truth.facts[k] = map[string]string{}
	}
	w.truth.facts[k][s.CallID] = a.ContactID
	w.fresh = append(w.fresh, fresh{k.app, s.CallID, a.ContactID})
}

// judgeFresh sees, at the end of an act, that what a living process was told is in the ledger, or was given to the spool: a fact is accepted from
// whoever reports it, lease or not (N23), and is never dropped (R28).
func (w *World) judgeFresh() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, f := range w.fresh {
		lives := slices.ContainsFunc(w.workers, func(k *worker) bool { return k.app == f.process })
		c := w.truth.rows[f.row]
		if lives && c.ContactID != f.contact && !slices.Contains(c.Anomalies, f.contact) && !w.spooled[f.row] {
			w.findings = append(w.findings, "a contact id of "+w.names[f.row]+" was received, and it is neither in the ledger nor in the spool")
		}
	}
	w.fresh = w.fresh[:0]
}
