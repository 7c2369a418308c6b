package lambda

import (
	"errors"
	"regexp"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
	"github.com/ringonce/ringonce/internal/flow"
	"github.com/ringonce/ringonce/internal/outcome"
)

// initiatedByAPI is the initiation method of contacts that StartOutboundVoiceContact made (facts/amazon-connect.md section 5).
const initiatedByAPI = "API"

var (
	regionName = regexp.MustCompile(`^[a-z]{2,4}(-[a-z]{2,12}){1,3}-[0-9]{1,2}$`)
	guid       = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
)

// seen is a contact event as the core takes it.
type seen struct {
	target    call.Target
	contactID string
	sight     call.Sight
}

// seenIn returns where a contact event happened, to which contact, and what it tells. ours is false for events that cannot be about a call of
// ours: contacts that no API made, and events without an instance or contact that Amazon Connect could be asked about.
func seenIn(record envelope.Record) (s seen, ours bool) {
	event := record.Contact
	if event == nil || (event.InitiationMethod != "" && event.InitiationMethod != initiatedByAPI) || !guid.MatchString(event.ContactID) {
		return seen{}, false
	}
	s = seen{target: flow.InstanceOf(event.InstanceARN), contactID: event.ContactID, sight: outcome.Told{
		Initiated: event.InitiationTimestamp, Connected: event.ConnectedToSystemTimestamp, Queued: event.EnqueueTimestamp,
		Agent: event.ConnectedToAgentTimestamp, Disconnected: event.DisconnectTimestamp, Updated: event.LastUpdateTimestamp,
		Reason: event.DisconnectReason, Machine: event.AnsweringMachineDetectionStatus,
	}.Sight()}
	return s, regionName.MatchString(s.target.Region) && guid.MatchString(s.target.InstanceID)
}

// contact hands a contact event to the core as a fact. A contact that is none of ours is acknowledged like any other event that is
// no request.
func (w *work) contact(i int) call.Outcome {
	s, ours := seenIn(w.doc.Records[i])
	if !ours {
		return w.settled(i, call.MetTaken, "ignored")
	}
	if !w.limit.mayStart() {
		return w.notStarted(i, call.CodeDeadlineTooNear, "The Lambda deadline is too near to start this record.")
	}
	row, err := w.h.Contacts.SawContactEvent(w.context(i), s.target, s.contactID, s.sight)
	switch {
	case errors.Is(err, call.ErrNotFound):
		return w.settled(i, call.MetTaken, "ignored")
	case err != nil:
		out := w.h.outcome(w.doc, call.MetUnavailable, call.CodeLedgerUnavailable, "The contact event could not be merged.")
		if code := call.CodeOf(err); code != "" {
			out.Code = code
		}
		out.Fix = "The event goes back to its source; check the ledger and the right to connect:DescribeContact."
		w.h.observe(w.context(i), call.Decided{
			What: "contact-event-failed", Code: out.Code, Reason: maskDigits(err.Error()), Contact: s.contactID, Source: w.doc.Source,
			Delivery: w.doc.Records[i].Identity.Delivery,
		})
		return out
	}
	out := w.h.outcome(w.doc, call.MetTaken, call.Code(envelope.ReasonContactEvent), "The contact event was merged into its call.")
	out.Call, out.ContactID = row, s.contactID
	return out
}
