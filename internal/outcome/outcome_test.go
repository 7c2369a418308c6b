package outcome_test

import (
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/outcome"
)

var start = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

func at(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }

// said is what a call has come to.
type said struct {
	outcome call.ContactOutcome
	final   bool
}

func of(s call.Sight) said {
	o, final := outcome.Of(s)
	return said{o, final}
}

// ended is a contact that ended after a minute, with a reason and a word of the answering machine detection.
func ended(reason, machine string) call.Sight {
	return outcome.Told{Initiated: start, Disconnected: at(60), Reason: reason, Machine: machine}.Sight()
}

func heard(s call.Sight) call.Sight {
	s.Connected = at(10)
	return s
}

func TestEveryDisconnectReasonHasItsOutcome(t *testing.T) {
	t.Parallel()
	final := map[string]call.ContactOutcome{
		"TELECOM_BUSY": call.OutcomeBusy, "TELECOM_NUMBER_INVALID": call.OutcomeInvalid, "TELECOM_POTENTIAL_BLOCKING": call.OutcomeBlocked,
		"TELECOM_UNANSWERED": call.OutcomeNoAnswer, "TELECOM_TIMEOUT": call.OutcomeNoAnswer, "TELECOM_ORIGINATOR_CANCEL": call.OutcomeNoAnswer,
		"OUTBOUND_DESTINATION_ENDPOINT_ERROR": call.OutcomeBlocked, "OUTBOUND_RESOURCE_ERROR": call.OutcomeUnknown,
		"OUTBOUND_ATTEMPT_FAILED": call.OutcomeUnknown, "OUTBUND_PREVIEW_DISCARDED": call.OutcomeEnded, "OUTBOUND_PREVIEW_DISCARDED": call.OutcomeEnded,
		"EXPIRED": call.OutcomeUnknown,
	}
	for reason, want := range final {
		if got := of(ended(reason, "")); got != (said{want, true}) {
			t.Errorf("%s: %+v, want %s", reason, got, want)
		}
	}
	for _, reason := range []string{
		"TELECOM_PROBLEM", "CUSTOMER_DISCONNECT", "AGENT_DISCONNECT", "THIRD_PARTY_DISCONNECT", "BARGED", "CONTACT_FLOW_DISCONNECT",
		"CUSTOMER_NEVER_ARRIVED", "OTHER", "TELECOM_WEATHER", "",
	} {
		s := ended(reason, "")
		if got := of(s); got != (said{}) {
			t.Errorf("%q of an event without a connection: %+v, want a look by DescribeContact", reason, got)
		}
		if got := of(heard(s)); got != (said{call.OutcomeAnswered, true}) {
			t.Errorf("%q after a connection: %+v, want answered", reason, got)
		}
		s.Described = at(300)
		if got := of(s); got != (said{call.OutcomeUnknown, true}) || s.Reason.Text != reason {
			t.Errorf("%q described after the end: %+v, and the text %q", reason, got, s.Reason.Text)
		}
		s.Described = at(30)
		if got := of(s); got != (said{}) {
			t.Errorf("%q described before the end: %+v", reason, got)
		}
	}
}

func TestEveryWordOfTheMachineDetectionHasItsOutcome(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]call.ContactOutcome{
		"VOICEMAIL_BEEP": call.OutcomeVoicemail, "VOICEMAIL_NO_BEEP": call.OutcomeVoicemail, "VOICEMAIL_OF_TOMORROW": call.OutcomeVoicemail,
		"SIT_TONE_BUSY": call.OutcomeBusy, "SIT_TONE_INVALID_NUMBER": call.OutcomeInvalid, "SIT_TONE_DETECTED": call.OutcomeUnknown,
		"SIT_TONE-DETECTED": call.OutcomeUnknown, "FAX_MACHINE_DETECTED": call.OutcomeAnswered, "HUMAN_ANSWERED": call.OutcomeAnswered,
		"ANSWERED": call.OutcomeAnswered, "AMD_UNANSWERED": call.OutcomeNoAnswer,
	} {
		if got := of(ended("", word)); got != (said{want, true}) {
			t.Errorf("%s: %+v, want %s", word, got, want)
		}
		if want == call.OutcomeNoAnswer {
			want = call.OutcomeAnswered // the stamp of the connection counts
		}
		if got := of(heard(ended("CUSTOMER_DISCONNECT", word))); got != (said{want, true}) {
			t.Errorf("%s after a connection: %+v, want %s", word, got, want)
		}
	}
	for _, word := range []string{
		"AMD_UNRESOLVED", "AMD_UNRESOLVED_SILENCE", "AMD_NOT_APPLICABLE", "AMD_ERROR", "UNDETECTED", "ERROR", "AMD_OF_TOMORROW",
	} {
		if got := of(ended("TELECOM_BUSY", word)); got != (said{call.OutcomeBusy, true}) {
			t.Errorf("%s beside a reason: %+v", word, got)
		}
		if got := of(heard(ended("", word))); got != (said{call.OutcomeAnswered, true}) {
			t.Errorf("%s after a connection: %+v", word, got)
		}
	}
}

func TestAnsweredIsNeverConfirmed(t *testing.T) {
	t.Parallel()
	s := call.Sight{Initiated: start}
	if got := of(s); got != (said{}) {
		t.Errorf("while it rings: %+v", got)
	}
	s.Connected = at(10)
	if got := of(s); got != (said{call.OutcomeAnswered, false}) {
		t.Errorf("answered, and it lasts: %+v", got)
	}
	s.Agent, s.CheckedIn, s.Key = at(12), at(11), call.Remark{Text: "9", At: at(20)}
	s.Disconnected, s.Reason = at(25), call.Remark{Text: "CUSTOMER_DISCONNECT", At: at(25)}
	if got := of(s); got != (said{call.OutcomeAnswered, true}) {
		t.Errorf("an agent, a check-in and a key that counts as nothing: %+v, want answered", got)
	}
	s.Machine = call.Remark{Text: "VOICEMAIL_BEEP"}
	if got := of(s); got != (said{call.OutcomeVoicemail, true}) {
		t.Errorf("a voicemail: %+v", got)
	}
	s.Confirmed = at(21)
	if got := of(s); got != (said{call.OutcomeConfirmed, true}) {
		t.Errorf("a key that confirms: %+v", got)
	}
	if got := of(call.Sight{Confirmed: at(21)}); got != (said{call.OutcomeConfirmed, true}) {
		t.Errorf("a confirmation alone: %+v", got)
	}
}

func TestWhatWeHungUpIsEndedByUs(t *testing.T) {
	t.Parallel()
	s := ended("TELECOM_ORIGINATOR_CANCEL", "")
	s.Unwanted = at(59)
	if got := of(s); got != (said{call.OutcomeEnded, true}) {
		t.Errorf("stopped: %+v", got)
	}
	if got := of(heard(s)); got != (said{call.OutcomeEnded, true}) {
		t.Errorf("answered, then stopped: %+v", got)
	}
	s.Unwanted = at(62) // our clock is ahead
	if got := of(s); got != (said{call.OutcomeEnded, true}) {
		t.Errorf("stopped by a clock that is ahead: %+v", got)
	}
	s.Unwanted = at(90)
	if got := of(s); got != (said{call.OutcomeNoAnswer, true}) {
		t.Errorf("stopped after its end: %+v", got)
	}
	if got := of(call.Sight{Unwanted: at(5)}); got != (said{call.OutcomeEnded, false}) {
		t.Errorf("told to end, and it lasts: %+v", got)
	}
}

func TestToldIsReadWithItsHazards(t *testing.T) {
	t.Parallel()
	unset := time.Date(1970, 1, 1, 0, 0, 0, 1_000_000, time.UTC)
	s := outcome.Told{
		Initiated: start.In(time.FixedZone("", 3600)), Connected: unset, Queued: unset, Agent: unset, Disconnected: at(60), Updated: unset,
		Reason: " TELECOM_\nBUSY\x00 ", Machine: "",
	}.Sight()
	want := call.Sight{Initiated: start, Disconnected: at(60), Reason: call.Remark{Text: "TELECOM_BUSY", At: at(60)}}
	if s != want {
		t.Errorf("got %+v, want %+v", s, want)
	}
	long := outcome.Told{Disconnected: at(60), Reason: string(make([]byte, 10)) + "X" + string(make([]byte, 10))}.Sight()
	if long.Reason.Text != "X" {
		t.Errorf("a reason of control characters is kept as %q", long.Reason.Text)
	}
}

func TestOfTwoReasonsTheNewerUpdateCounts(t *testing.T) {
	t.Parallel()
	first := outcome.Told{Disconnected: at(60), Reason: "TELECOM_BUSY", Updated: at(61)}.Sight()
	again := outcome.Told{Disconnected: at(60), Reason: "TELECOM_UNANSWERED", Updated: at(600)}.Sight()
	silent := outcome.Told{Disconnected: at(60), Updated: at(900)}.Sight()
	for name, s := range map[string]call.Sight{
		"in order": first.Merge(again).Merge(silent), "reversed": silent.Merge(again).Merge(first), "doubled": again.Merge(first).Merge(again),
	} {
		if got := of(s); got != (said{call.OutcomeNoAnswer, true}) {
			t.Errorf("%s: %+v, want the reason of the newest LastUpdateTimestamp", name, got)
		}
	}
}

func TestEveryOutcomeCanBeReached(t *testing.T) {
	t.Parallel()
	reached := map[call.ContactOutcome]bool{
		of(ended("TELECOM_BUSY", "")).outcome: true, of(ended("TELECOM_NUMBER_INVALID", "")).outcome: true, of(ended("EXPIRED", "")).outcome: true,
		of(ended("TELECOM_POTENTIAL_BLOCKING", "")).outcome: true, of(ended("TELECOM_TIMEOUT", "")).outcome: true,
		of(ended("", "VOICEMAIL_BEEP")).outcome: true, of(heard(ended("", ""))).outcome: true, of(call.Sight{Confirmed: start}).outcome: true,
		of(call.Sight{Unwanted: start}).outcome: true,
	}
	for _, o := range call.ContactOutcomes() {
		if !reached[o] {
			t.Errorf("nothing leads to %s", o)
		}
	}
}
