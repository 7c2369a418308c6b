package connectemu

import "time"

// Disconnect reasons that more than one way of ending has.
const (
	reasonCustomer = "CUSTOMER_DISCONNECT"
	reasonCancel   = "TELECOM_ORIGINATOR_CANCEL"
	reasonBusy     = "TELECOM_BUSY"
	reasonProblem  = "TELECOM_PROBLEM"
	reasonFlow     = "CONTACT_FLOW_DISCONNECT"
	reasonOther    = "OTHER"
)

// trait is what becomes of a call.
type trait struct {
	// answered calls connect after the ring time and last for the talk time; agent says that they reach an agent.
	answered, agent bool
	// after is when a call ends that nobody answers. 0 means the ring timeout of the request.
	after time.Duration
	// reason is the disconnect reason; machine is the answering machine detection status, where a campaign asked for it.
	reason, machine string
}

// traits are those of each fate, in order. Calls of the two fates that are refused never get here.
var traits = [...]trait{
	FateAnswers:          {answered: true, reason: reasonCustomer, machine: "HUMAN_ANSWERED"},
	FateFlowEnds:         {answered: true, reason: reasonFlow, machine: "HUMAN_ANSWERED"},
	FateBusy:             {after: 2 * time.Second, reason: reasonBusy, machine: "SIT_TONE_BUSY"},
	FateNoAnswer:         {reason: reasonCancel, machine: "AMD_UNANSWERED"},
	FateTimeout:          {after: maxRing, reason: "TELECOM_TIMEOUT", machine: "AMD_UNANSWERED"},
	FateUnreachable:      {after: 5 * time.Second, reason: "TELECOM_UNANSWERED", machine: "AMD_UNANSWERED"},
	FateInvalid:          {after: time.Second, reason: "TELECOM_NUMBER_INVALID", machine: "SIT_TONE_INVALID_NUMBER"},
	FateProblem:          {after: 2 * time.Second, reason: reasonProblem, machine: "SIT_TONE_DETECTED"},
	FateBlocked:          {after: 3 * time.Second, reason: "TELECOM_POTENTIAL_BLOCKING", machine: "AMD_UNANSWERED"},
	FateNotAllowed:       {after: 2 * time.Second, reason: reasonProblem},
	FateNotPermitted:     {after: 2 * time.Second, reason: reasonProblem},
	FateVoicemail:        {answered: true, reason: reasonFlow, machine: "VOICEMAIL_BEEP"},
	FateAgentEnds:        {answered: true, agent: true, reason: "AGENT_DISCONNECT", machine: "HUMAN_ANSWERED"},
	FateThirdParty:       {answered: true, agent: true, reason: "THIRD_PARTY_DISCONNECT", machine: "HUMAN_ANSWERED"},
	FateBarged:           {answered: true, agent: true, reason: "BARGED", machine: "HUMAN_ANSWERED"},
	FateFastBusy:         {after: time.Second, reason: reasonBusy, machine: "AMD_ERROR"},
	FateOther:            {answered: true, reason: reasonOther, machine: "AMD_UNRESOLVED"},
	FateNoReason:         {answered: true, machine: "AMD_UNRESOLVED"},
	FateNeverArrived:     {after: 5 * time.Second, reason: "CUSTOMER_NEVER_ARRIVED", machine: "AMD_NOT_APPLICABLE"},
	FateEndpointError:    {after: time.Second, reason: "OUTBOUND_DESTINATION_ENDPOINT_ERROR", machine: "AMD_ERROR"},
	FateResourceError:    {after: time.Second, reason: "OUTBOUND_RESOURCE_ERROR", machine: "AMD_ERROR"},
	FateAttemptFailed:    {after: time.Second, reason: "OUTBOUND_ATTEMPT_FAILED", machine: "AMD_ERROR"},
	FatePreviewDiscarded: {after: time.Second, reason: "OUTBUND_PREVIEW_DISCARDED", machine: "AMD_NOT_APPLICABLE"},
	FateExpired:          {after: time.Second, reason: "EXPIRED", machine: "AMD_NOT_APPLICABLE"},
}

// maxRing is the default dial timeout of the service.
const maxRing = 60 * time.Second

// life is when a contact connects and ends after it was initiated, and why it ends. A connect of less than zero means never.
type life struct {
	connect, end time.Duration
	reason       string
}

// never is the connect time of a contact that nobody answers.
const never = time.Duration(-1)

// lifeOf computes the life of a contact that dials; timeout is the ring timeout of the request.
func lifeOf(fate Fate, cfg *Config, timeout time.Duration) life {
	switch t := traits[fate]; {
	case t.answered && cfg.RingTime >= timeout:
		return life{never, timeout, reasonCancel}
	case t.answered:
		return life{cfg.RingTime, cfg.RingTime + cfg.TalkTime, t.reason}
	case t.after == 0:
		return life{never, timeout, t.reason}
	default:
		return life{never, t.after, t.reason}
	}
}
