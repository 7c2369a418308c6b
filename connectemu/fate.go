package connectemu

import (
	"fmt"
)

// Fate is what happens when a number is called.
type Fate int

// The fates of a phone. The disconnect reasons are those of the contact record reference.
const (
	// FateAnswers is answered after the ring time, talks for the talk time and is hung up by the customer: CUSTOMER_DISCONNECT.
	FateAnswers Fate = iota
	// FateFlowEnds is answered and ended by the flow: CONTACT_FLOW_DISCONNECT.
	FateFlowEnds
	// FateBusy is busy: TELECOM_BUSY.
	FateBusy
	// FateNoAnswer rings until the ring timeout: TELECOM_ORIGINATOR_CANCEL.
	FateNoAnswer
	// FateTimeout rings for 60 s on several networks: TELECOM_TIMEOUT.
	FateTimeout
	// FateUnreachable cannot be delivered now: TELECOM_UNANSWERED.
	FateUnreachable
	// FateInvalid does not exist: TELECOM_NUMBER_INVALID. The contact is created, so this is a ring.
	FateInvalid
	// FateProblem fails in the telephone network: TELECOM_PROBLEM.
	FateProblem
	// FateBlocked is taken for spam: TELECOM_POTENTIAL_BLOCKING.
	FateBlocked
	// FateNotAllowed is refused with DestinationNotAllowedException. No contact, no ring.
	FateNotAllowed
	// FateNotPermitted is refused with OutboundContactNotPermittedException. No contact, no ring.
	FateNotPermitted
	// FateVoicemail is answered by a machine; the flow leaves its message and ends: CONTACT_FLOW_DISCONNECT.
	FateVoicemail
	// FateAgentEnds is answered, connected to an agent and hung up there: AGENT_DISCONNECT.
	FateAgentEnds
	// FateThirdParty is answered, connected to an agent and ended by a third party: THIRD_PARTY_DISCONNECT.
	FateThirdParty
	// FateBarged is answered, connected to an agent and ended by a manager who barged in: BARGED.
	FateBarged
	// FateFastBusy hears the reorder tone of a quota that is used up: TELECOM_BUSY, "network busy". See [QuotaFastBusy].
	FateFastBusy
	// FateOther is answered and ends for no reason that has a name: OTHER.
	FateOther
	// FateNoReason is answered and ends without a reason, as the contact record reference says of some contacts.
	FateNoReason
	// FateNeverArrived ends as inbound web calls do: CUSTOMER_NEVER_ARRIVED.
	FateNeverArrived
	// FateEndpointError, FateResourceError, FateAttemptFailed, FatePreviewDiscarded and FateExpired end as calls of outbound campaigns do:
	// OUTBOUND_DESTINATION_ENDPOINT_ERROR, OUTBOUND_RESOURCE_ERROR, OUTBOUND_ATTEMPT_FAILED, OUTBUND_PREVIEW_DISCARDED (so spelled) and
	// EXPIRED.
	FateEndpointError
	// FateResourceError is described at [FateEndpointError].
	FateResourceError
	// FateAttemptFailed is described at [FateEndpointError].
	FateAttemptFailed
	// FatePreviewDiscarded is described at [FateEndpointError].
	FatePreviewDiscarded
	// FateExpired is described at [FateEndpointError].
	FateExpired
)

var fateWords = []string{
	"answers", "flow-ends", "busy", "no-answer", "timeout", "unreachable", "invalid", "problem", "blocked", "not-allowed", "not-permitted",
	"voicemail", "agent-ends", "third-party", "barged", "fast-busy", "other", "no-reason", "never-arrived", "endpoint-error", "resource-error",
	"attempt-failed", "preview-discarded", "expired",
}

// Fates returns every fate, in the order of their words.
func Fates() []Fate {
	all := make([]Fate, len(fateWords))
	for i := range all {
		all[i] = Fate(i)
	}
	return all
}

// String returns the word of the fate, such as "no-answer".
func (f Fate) String() string { return word("Fate", fateWords, f) }

// MarshalText returns the form of [Fate.String].
func (f Fate) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText is [ParseFate].
func (f *Fate) UnmarshalText(text []byte) error {
	parsed, err := ParseFate(string(text))
	if err == nil {
		*f = parsed
	}
	return err
}

// ParseFate is the inverse of [Fate.String].
func ParseFate(text string) (Fate, error) {
	fate, err := parseWord[Fate]("fate", fateWords, text)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return fate, nil
}

// DefaultFate is the fate of a number without an override. The last two digits decide:
//
//	90 busy          93 unreachable   96 blocked      99 not-permitted
//	91 no-answer     94 invalid       97 flow-ends
//	92 timeout       95 problem       98 not-allowed  every other number answers
//
// Each fictitious range (+1 202 555 0100 to 0199, +44 7700 900000 to 900999, +81 90 0000 0000 to 0999) has all of them.
func DefaultFate(number string) Fate {
	if len(number) < 2 || number[len(number)-2] != '9' {
		return FateAnswers
	}
	switch number[len(number)-1] {
	case '0':
		return FateBusy
	case '1':
		return FateNoAnswer
	case '2':
		return FateTimeout
	case '3':
		return FateUnreachable
	case '4':
		return FateInvalid
	case '5':
		return FateProblem
	case '6':
		return FateBlocked
	case '7':
		return FateFlowEnds
	case '8':
		return FateNotAllowed
	case '9':
		return FateNotPermitted
	default:
		return FateAnswers
	}
}
