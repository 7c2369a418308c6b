package lambda

import (
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
)

// wake hands a hint to the core, which asks the row whether it is due. Whatever the hint meets, it has done its work and is acknowledged;
// only when the ledger cannot say does it go back to its source.
func (w *work) wake(i int, hint envelope.Wake) call.Outcome {
	if w.h.Wakes == nil {
		out := w.notStarted(i, call.CodeNeedsLedger, "A hint that a call is due needs a ledger.")
		out.Fix = "Configure the ledger that the hint was given for, or feed its queue to the function that has it."
		return out
	}
	if !w.limit.mayStart() {
		return w.notStarted(i, call.CodeDeadlineTooNear, "The Lambda deadline is too near to start this record.")
	}
	told := call.Decided{RowID: hint.Call, Source: w.doc.Source, Delivery: w.doc.Records[i].Identity.Delivery}
	met, err := w.h.Wakes.Woken(w.limit.ctx, hint.Call, hint.Due)
	if err != nil {
		out := w.h.outcome(w.doc, call.MetUnavailable, codeOr(err, call.CodeLedgerUnavailable), "The row of the hint could not be read or moved.")
		out.Fix = "The hint goes back to its source; check the ledger."
		told.What, told.Code, told.Reason = "wake-returned", out.Code, maskDigits(err.Error())
		w.h.observe(w.limit.ctx, told)
		return out
	}
	told.What = string(met)
	w.h.observe(w.limit.ctx, told)
	return w.h.outcome(w.doc, call.MetIgnored, call.Code(envelope.ReasonWake), "The hint was taken: "+string(met)+".")
}
