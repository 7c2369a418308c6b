package connectemu

import (
	"fmt"
	"time"
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
)

var fateWords = []string{
	"answers", "flow-ends", "busy", "no-answer", "timeout", "unreachable", "invalid", "problem", "blocked", "not-allowed", "not-permitted",
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

// life is when a contact connects and ends after it was initiated, and why it ends. A connect of less than zero means never.
type life struct {
	connect, end time.Duration
	reason       string
}

// never is the connect time of a contact that nobody answers.
const never = time.Duration(-1)

// maxRing is the default dial timeout of the service.
const maxRing = 60 * time.Second

// lifeOf computes the life of a contact that dials; timeout is the ring timeout of the request.
func lifeOf(fate Fate, cfg *Config, timeout time.Duration) life {
	switch fate {
	case FateAnswers, FateFlowEnds:
		if cfg.RingTime >= timeout {
			return life{never, timeout, "TELECOM_ORIGINATOR_CANCEL"}
		}
		reason := "CUSTOMER_DISCONNECT"
		if fate == FateFlowEnds {
			reason = "CONTACT_FLOW_DISCONNECT"
		}
		return life{cfg.RingTime, cfg.RingTime + cfg.TalkTime, reason}
	case FateBusy:
		return life{never, 2 * time.Second, "TELECOM_BUSY"}
	case FateNoAnswer:
		return life{never, timeout, "TELECOM_ORIGINATOR_CANCEL"}
	case FateTimeout:
		return life{never, maxRing, "TELECOM_TIMEOUT"}
	case FateUnreachable:
		return life{never, 5 * time.Second, "TELECOM_UNANSWERED"}
	case FateInvalid:
		return life{never, time.Second, "TELECOM_NUMBER_INVALID"}
	case FateBlocked:
		return life{never, 3 * time.Second, "TELECOM_POTENTIAL_BLOCKING"}
	case FateProblem, FateNotAllowed, FateNotPermitted:
		return life{never, 2 * time.Second, "TELECOM_PROBLEM"}
	}
	return life{never, 2 * time.Second, "TELECOM_PROBLEM"}
}
