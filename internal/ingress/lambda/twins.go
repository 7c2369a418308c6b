package lambda

import "github.com/ringonce/ringonce/internal/call"

// ReasonSameBatch is the reason of a suppression by a flight of the same document. It occurs without a ledger only: with one, the
// core answers each record from the row.
const ReasonSameBatch = "same-batch"

// sent reports whether an outcome is the answer of a flight, which every record with the same token shares. Refusals that look at
// the delivery itself, its age or its time limit, are nobody else's answer. Only outcomes without a ledger are asked for.
func sent(met call.Situation) bool {
	switch met {
	case call.MetPlaced, call.MetFailed, call.MetUnknown, call.MetRetryLater:
		return true
	case call.MetReceived, call.MetDialing, call.MetExpired, call.MetCanceled, call.MetInDoubt, call.MetCancelKept, call.MetConflict,
		call.MetRefused, call.MetStale, call.MetUnreadable, call.MetParked, call.MetTaken, call.MetIgnored, call.MetUnavailable,
		call.MetNotStarted:
		return false
	}
	return false
}

// twin answers a record from the flight of an earlier one with the same key and fingerprint. With a ledger there is no such
// answer: a twin may carry a later requestedAt that opens the next ring, and only the core can tell.
func (w *work) twin(i int, flights map[string]call.Outcome) (call.Outcome, bool) {
	a := w.asks[i]
	out, flown := flights[a.rowID]
	if w.h.Mode != call.ModeNone || !flown || a.fingerprint == "" {
		return call.Outcome{}, false
	}
	w.h.observe(w.context(i), call.Decided{
		What: "suppressed", RowID: a.rowID, State: out.Call.State, Code: out.Code, Reason: ReasonSameBatch, Contact: out.ContactID,
		Number: a.delivery.Request.Destination, Source: w.doc.Source, Delivery: a.delivery.ID,
	})
	out.Replayed, out.Suppressed, out.By = true, ReasonSameBatch, a.rowID
	return out, true
}

// conflict refuses a record whose key was asked for with another fingerprint earlier in the document.
func (w *work) conflict(i int) call.Outcome {
	a := w.asks[i]
	out := w.h.outcome(w.doc, call.MetConflict, call.CodeConflict, "The same batch asks for this key with another number, profile or attributes.")
	out.Fix, out.By = "Send a new recallId for an intended re-call, or correct the producer.", a.rowID
	w.h.observe(w.context(i), call.Decided{
		What: "refused", RowID: a.rowID, Code: out.Code, Reason: out.Message, Number: a.delivery.Request.Destination,
		Source: w.doc.Source, Delivery: a.delivery.ID,
	})
	return out
}
