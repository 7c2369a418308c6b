package lambda

import (
	"github.com/ringonce/ringonce/internal/call"
)

// CodeNotParked is the code of a record that could not be read and could not be parked either.
const CodeNotParked call.Code = "not_parked"

// unreadable answers a record that no request could be read from. Where records are parked, its source may forget it once the ledger has it,
// and not before (G2). A document that is no batch at all, and one whose caller waits for the answer, is never parked.
func (w *work) unreadable(i int) call.Outcome {
	record := w.doc.Records[i]
	if w.h.Parking == nil || record.Kept == nil || call.Acknowledge(call.MetParked, w.doc.Source, w.h.Mode, false) != call.AckDone {
		return w.settled(i, call.MetUnreadable, "unreadable")
	}
	told := call.Decided{Source: w.doc.Source, Delivery: record.Identity.Delivery, Code: call.Code(record.Reason), Reason: record.Message}
	if len(record.Kept.Document) > call.MaxParkedBytes {
		told.What, told.Reason, told.Alarm = "park-refused", "The record is too large to be parked, so its source keeps it.", true
		w.h.observe(w.context(i), told)
		return w.settled(i, call.MetUnreadable, "unreadable")
	}
	if !w.limit.mayStart() {
		return w.notStarted(i, call.CodeDeadlineTooNear, "The Lambda deadline is too near to park this record.")
	}
	producer := record.ProducerARN()
	fresh, err := w.h.Parking.Park(w.context(i), call.Parked{
		ID: call.ParkedID(w.doc.Source, producer, record.Kept.Content), At: w.h.Clock.Now(), Source: w.doc.Source, Producer: producer,
		Delivery: record.Identity.Delivery, Code: told.Code, Message: record.Message, Document: record.Kept.Document, Size: len(record.Kept.Document),
	})
	if err != nil {
		out := w.h.outcome(w.doc, call.MetUnavailable, CodeNotParked, "The record could not be read and could not be parked.")
		out.Fix = "It goes back to its source; check the ledger."
		told.What, told.Code, told.Reason = "park-failed", CodeNotParked, maskDigits(err.Error())
		w.h.observe(w.context(i), told)
		return out
	}
	told.What, told.Alarm = "parked", fresh
	w.h.observe(w.context(i), told)
	out := w.h.outcome(w.doc, call.MetParked, told.Code, record.Message)
	out.Fix, out.Replayed = "Repair what keeps it from being read, then run ringonce parked feed.", !fresh
	return out
}
