package call

import (
	"cmp"
	"time"
)

// ContactOutcome is what became of a contact, in the field's words. It is made of a [Sight] by package outcome.
type ContactOutcome string

// The outcomes of a contact. "Answered" is never "confirmed": a voicemail answers too.
const (
	OutcomeUnknown   ContactOutcome = "unknown"        // nothing tells, and nothing more will
	OutcomeAnswered  ContactOutcome = "answered"       // media was established; nobody is known to have listened
	OutcomeConfirmed ContactOutcome = "confirmed"      // the flow reported a key press that counts as confirmation
	OutcomeVoicemail ContactOutcome = "voicemail"      // answering machine detection says so
	OutcomeNoAnswer  ContactOutcome = "no_answer"      // TELECOM_UNANSWERED, TELECOM_TIMEOUT, TELECOM_ORIGINATOR_CANCEL
	OutcomeBusy      ContactOutcome = "busy"           //
	OutcomeInvalid   ContactOutcome = "invalid_number" //
	OutcomeBlocked   ContactOutcome = "blocked"        // the network or the far end rejects our number
	OutcomeEnded     ContactOutcome = "ended_by_us"    // StopContact, or the flow found that the call is not wanted any more
)

// ContactOutcomes lists every outcome.
func ContactOutcomes() []ContactOutcome {
	return []ContactOutcome{
		OutcomeUnknown, OutcomeAnswered, OutcomeConfirmed, OutcomeVoicemail, OutcomeNoAnswer, OutcomeBusy, OutcomeInvalid, OutcomeBlocked, OutcomeEnded,
	}
}

// Remark is a word that Amazon Connect may say again differently: the newest counts (facts/amazon-connect.md section 6, LastUpdateTimestamp).
type Remark struct {
	Text string    `json:"text,omitempty"`
	At   time.Time `json:"at,omitzero"`
}

// newer returns the remark that counts: one that says something before one that does not, then the newest, then the greater text.
func (r Remark) newer(o Remark) Remark {
	order := cmp.Or(compareEmpty(r.Text, o.Text), r.At.Compare(o.At), cmp.Compare(r.Text, o.Text))
	if order < 0 {
		return o
	}
	return r
}

func compareEmpty(a, b string) int {
	switch {
	case a == "" && b != "":
		return -1
	case a != "" && b == "":
		return 1
	}
	return 0
}

// Sight is what is known of a contact from its events, from DescribeContact and from the flow's check-in. The zero value knows nothing.
type Sight struct {
	Initiated    time.Time `json:"initiated,omitzero"`
	Connected    time.Time `json:"connected,omitzero"` // media was established (CONNECTED_TO_SYSTEM)
	Queued       time.Time `json:"queued,omitzero"`
	Agent        time.Time `json:"agent,omitzero"` // connected to an agent
	Disconnected time.Time `json:"disconnected,omitzero"`
	Reason       Remark    `json:"reason,omitzero"`  // DisconnectReason
	Machine      Remark    `json:"machine,omitzero"` // AnsweringMachineDetectionStatus
	CheckedIn    time.Time `json:"checkedIn,omitzero"`
	Key          Remark    `json:"key,omitzero"`       // the key that was pressed last
	Confirmed    time.Time `json:"confirmed,omitzero"` // first key press that counts as confirmation
	Unwanted     time.Time `json:"unwanted,omitzero"`  // the flow was told that the call is not wanted any more
	Described    time.Time `json:"described,omitzero"` // latest DescribeContact that showed the contact
}

// Merge returns what both know. It is commutative, associative and idempotent, so that events may come in any order and number: of an
// instant the earliest counts, of a remark the newest, of looks the latest.
func (s Sight) Merge(o Sight) Sight {
	s.Initiated = earliest(s.Initiated, o.Initiated)
	s.Connected = earliest(s.Connected, o.Connected)
	s.Queued = earliest(s.Queued, o.Queued)
	s.Agent = earliest(s.Agent, o.Agent)
	s.Disconnected = earliest(s.Disconnected, o.Disconnected)
	s.CheckedIn = earliest(s.CheckedIn, o.CheckedIn)
	s.Confirmed = earliest(s.Confirmed, o.Confirmed)
	s.Unwanted = earliest(s.Unwanted, o.Unwanted)
	s.Reason = s.Reason.newer(o.Reason)
	s.Machine = s.Machine.newer(o.Machine)
	s.Key = s.Key.newer(o.Key)
	if o.Described.After(s.Described) {
		s.Described = o.Described
	}
	return s
}

// Over reports whether the contact has ended.
func (s Sight) Over() bool { return !s.Disconnected.IsZero() }

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func earliest(a, b time.Time) time.Time {
	if a.IsZero() || (!b.IsZero() && b.Before(a)) {
		return b
	}
	return a
}
