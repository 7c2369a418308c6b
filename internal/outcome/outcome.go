package outcome

import (
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// stopSlack is how much later than the end of a contact, by our clock, we may have hung it up: the two times are of different clocks.
const stopSlack = 5 * time.Second

// Of says what a sight comes to, empty while nothing tells, and whether that is final: no event and no further DescribeContact is expected to
// change it. A final outcome may still change by a late fact, since a sight only grows.
//
// Answered means that media was established, by a person, a voicemail or a machine; only a key press makes it confirmed.
func Of(s call.Sight) (o call.ContactOutcome, final bool) {
	switch {
	case !s.Confirmed.IsZero():
		return call.OutcomeConfirmed, true
	case hungUp(s):
		return call.OutcomeEnded, s.Over()
	}
	tone, detected := tones[machineWord(s.Machine.Text)]
	switch {
	case detected && tone != call.OutcomeAnswered:
		return tone, s.Over()
	case detected || !s.Connected.IsZero() || !s.Agent.IsZero():
		return call.OutcomeAnswered, s.Over()
	}
	if !s.Over() {
		return "", false
	}
	if o, known := reasons[s.Reason.Text]; known {
		return o, true
	}
	if s.Machine.Text == unanswered { // less precise than the reasons
		return call.OutcomeNoAnswer, true
	}
	// An event may lack the reason and the stamp of the connection: only DescribeContact, asked after the end, shows that nothing tells.
	if !s.Described.Before(s.Disconnected) {
		return call.OutcomeUnknown, true
	}
	return "", false
}

// hungUp reports whether the contact was ended because the call was not wanted any more, and not before that by itself.
func hungUp(s call.Sight) bool {
	return !s.Unwanted.IsZero() && (!s.Over() || !s.Unwanted.After(s.Disconnected.Add(stopSlack)))
}

// reasons are the words of DisconnectReason that tell what became of a contact whose media was never established
// (facts/amazon-connect.md section 5). The others, among them those of contacts that were answered, tell nothing of that.
var reasons = map[string]call.ContactOutcome{
	"TELECOM_BUSY":               call.OutcomeBusy,
	"TELECOM_NUMBER_INVALID":     call.OutcomeInvalid,
	"TELECOM_POTENTIAL_BLOCKING": call.OutcomeBlocked,
	"TELECOM_UNANSWERED":         call.OutcomeNoAnswer,
	"TELECOM_TIMEOUT":            call.OutcomeNoAnswer,
	"TELECOM_ORIGINATOR_CANCEL":  call.OutcomeNoAnswer, // also after the ring timeout
	// Of outbound campaigns. The first says that the configuration does not permit the destination.
	"OUTBOUND_DESTINATION_ENDPOINT_ERROR": call.OutcomeBlocked,
	"OUTBOUND_RESOURCE_ERROR":             call.OutcomeUnknown,
	"OUTBOUND_ATTEMPT_FAILED":             call.OutcomeUnknown,
	"OUTBUND_PREVIEW_DISCARDED":           call.OutcomeEnded, // sic
	"OUTBOUND_PREVIEW_DISCARDED":          call.OutcomeEnded,
	"EXPIRED":                             call.OutcomeUnknown, // not enough agents or lines
}

// tones are the words of AnsweringMachineDetectionStatus that tell what was heard. The others (AMD_UNRESOLVED, AMD_ERROR, ...) tell nothing.
var tones = map[string]call.ContactOutcome{
	"HUMAN_ANSWERED":          call.OutcomeAnswered,
	"ANSWERED":                call.OutcomeAnswered,
	"FAX_MACHINE_DETECTED":    call.OutcomeAnswered, // media was established
	voicemail:                 call.OutcomeVoicemail,
	"SIT_TONE_BUSY":           call.OutcomeBusy,
	"SIT_TONE_INVALID_NUMBER": call.OutcomeInvalid,
	"SIT_TONE_DETECTED":       call.OutcomeUnknown, // the network's tone for a call that it does not complete, for whatever reason
}

const (
	voicemail  = "VOICEMAIL"
	unanswered = "AMD_UNANSWERED"
)

// machineWord returns the word as the table has it: there are several of voicemails, and one was once spelled with a hyphen.
func machineWord(word string) string {
	if strings.HasPrefix(word, voicemail+"_") {
		return voicemail
	}
	return strings.ReplaceAll(word, "-", "_")
}
