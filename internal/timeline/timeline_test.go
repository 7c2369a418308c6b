package timeline

import (
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

var start = time.Date(2026, 11, 29, 3, 0, 0, 0, time.UTC)

// kinds lists one event of every kind, as the core writes them.
func kinds() []call.Event {
	due := start.Add(time.Minute)
	sqs := &call.Arrival{Source: call.SourceSQS, ID: "m-1", Origin: "e-1", ReceiveCount: 3, Replay: "r-1"}
	open := &call.Attempt{ID: "a-1", Opened: start, LeaseEnd: due}
	return []call.Event{
		{Kind: call.EventAccepted, Opening: &call.Opening{}, Delivery: sqs, Attempt: open},
		{Kind: call.EventTombstone, Delivery: sqs},
		{Kind: call.EventBodyAttached, Delivery: sqs},
		{Kind: call.EventIntent, Attempt: open, Reason: "answer_lost"},
		{Kind: call.EventHeld, Due: due, Reason: "pacing"},
		{Kind: call.EventResult, AttemptID: "a-1", Class: call.ClassAmbiguous, Code: "timeout", Message: "No answer came.", Took: 5 * time.Second, Due: due},
		{Kind: call.EventContact, ContactID: "c-1", From: "search"},
		{Kind: call.EventLooked, Due: due},
		{Kind: call.EventSeen, From: "event", Sight: &call.Sight{Disconnected: start, Reason: call.Remark{Text: "TELECOM_BUSY"}}, Outcome: call.OutcomeBusy},
		{Kind: call.EventCancelRequested, Hits: true, Delivery: sqs},
		{Kind: call.EventCanceled, Code: "canceled", Message: "Withdrawn."},
		{Kind: call.EventExpired, Code: "not_after", Message: "Too late."},
		{Kind: call.EventFailed, Code: "destination_not_allowed", Message: "Not allowed."},
		{Kind: call.EventDoubted, Code: "no_evidence", Message: "Nothing decides it."},
		{Kind: call.EventSuperseded, Reason: "token-age"},
		{Kind: call.EventRingOpened, Next: &call.Child{Ring: 1, Cause: call.CauseOperator, Reason: "nobody answered"}},
		{Kind: call.EventRingConfirmed, Ring: 1},
		{Kind: call.EventTainted, Signed: start, Attempt: &call.Attempt{ID: "phantom-1", Phantom: true}},
		{Kind: call.EventNoted, Reason: "spoke to them", Actor: "kim"},
		{Kind: call.EventReleased, Reason: "the boiler leaks", Actor: "kim"},
		{Kind: call.EventFollowed, Followup: call.FollowedNothing, Reason: "busy is not rung again"},
		{Kind: call.EventEscalated, Reason: "nobody confirmed"},
		{Kind: call.EventTurnConfirmed, RowID: "Y5260kC5qMvFabc"},
		{Kind: call.EventJoined, RowID: "Y5260kC5qMvFabc"},
		{Kind: call.EventForgetting, Reason: "request 7", Actor: "kim"},
		{Kind: call.EventForgotten, Reason: "request 7", Actor: "kim"},
	}
}

func TestEveryEventIsASentence(t *testing.T) {
	t.Parallel()
	want := map[call.EventKind]string{
		call.EventAccepted:        "accepted from sqs m-1 (origin e-1), delivery 3, replay r-1; dial 1 is recorded and about to be sent",
		call.EventTombstone:       "withdrawn before any request arrived from sqs m-1 (origin e-1), delivery 3, replay r-1",
		call.EventBodyAttached:    "the first request for the withdrawn key arrived from sqs m-1 (origin e-1), delivery 3, replay r-1; it is kept and not dialed",
		call.EventIntent:          "dial 2 is recorded and about to be sent: the answer was lost",
		call.EventHeld:            "waits until 2026-11-29T03:01:00.000Z: the rate limit",
		call.EventResult:          "given up after 5.0s: answer lost: the phone may have rung (timeout: No answer came.); next step at 2026-11-29T03:01:00.000Z",
		call.EventContact:         "contact c-1 is known from a search",
		call.EventLooked:          "looked for the contact and found none, which proves nothing; next step at 2026-11-29T03:01:00.000Z",
		call.EventSeen:            "a contact event told: it ended at 2026-11-29T03:00:00.000Z, TELECOM_BUSY, outcome busy",
		call.EventCancelRequested: "a cancel arrived for this ring from sqs m-1 (origin e-1), delivery 3, replay r-1",
		call.EventCanceled:        "canceled: Withdrawn.",
		call.EventExpired:         "expired (not_after: Too late.)",
		call.EventFailed:          "failed (destination_not_allowed: Not allowed.)",
		call.EventDoubted:         "in doubt (no_evidence: Nothing decides it.)",
		call.EventSuperseded:      "the next ring takes over: the token is too old to be trusted",
		call.EventRingOpened:      "ring 1 is claimed (operator): nobody answered",
		call.EventRingConfirmed:   "ring 1 is in the ledger",
		call.EventTainted:         "the ledger was restored: a dial may have been forgotten, so one counts as open since 2026-11-29T03:00:00.000Z",
		call.EventNoted:           "note: spoke to them",
		call.EventReleased:        "released: it may ring now, whatever the hours, the caps and a pause of its profile: the boiler leaks",
		call.EventFollowed:        "nothing follows: busy is not rung again",
		call.EventEscalated:       "nobody confirmed, so the next of the escalation list is rung: nobody confirmed",
		call.EventTurnConfirmed:   "the next of the escalation list has call Y5260kC5qMvF",
		call.EventJoined:          "the escalation list of call Y5260kC5qMvF goes on with this call",
		call.EventForgetting:      "the recipient is being forgotten: no further ring is opened: request 7",
		call.EventForgotten:       "the recipient was forgotten: everything from before is erased, and this call never rings again: request 7",
	}
	lines := Of(call.Call{}, kinds())
	for i, line := range lines {
		if line.What != want[line.Kind] {
			t.Errorf("%s is told as %q, not %q", line.Kind, line.What, want[line.Kind])
		}
		if forbidden := strings.Fields("sent. delivered success"); strings.Contains(line.What, forbidden[1]) || strings.Contains(line.What, forbidden[2]) {
			t.Errorf("line %d speaks of a call as %q", i, line.What)
		}
	}
	if len(lines) != len(want) {
		t.Errorf("%d kinds are told, %d are known", len(lines), len(want))
	}
}

func TestWhatAPersonDidIsToldAsTheirs(t *testing.T) {
	t.Parallel()
	for want, event := range map[string]call.Event{
		"contact c-1 is known from a person, confirmed by Amazon Connect: it is in the list": {Kind: call.EventContact, ContactID: "c-1", From: "person", Message: "it is in the list"},
		"dropped by a person: they called back":                                              {Kind: call.EventCancelRequested, Hits: true, From: "person", Actor: "ann", Reason: "they called back"},
	} {
		if got := sentence(event, 1); got != want {
			t.Errorf("told as %q, not %q", got, want)
		}
	}
}

func TestALineOfAContactSaysFromWhereItIsKnownAndWhenTheNextLookIs(t *testing.T) {
	t.Parallel()
	for want, event := range map[string]call.Event{
		"a look by DescribeContact failed (throttling); the next look is at 2026-11-29T03:01:00.000Z": {From: "describe", Code: "throttling", At: start, Due: start.Add(time.Minute), Sight: &call.Sight{}},
		"a look by DescribeContact told nothing new":                                                  {From: "describe", Sight: &call.Sight{}},
		"StopContact told: we hung it up at 2026-11-29T03:00:00.000Z, outcome ended_by_us":            {From: "stop", Sight: &call.Sight{Unwanted: start}, Outcome: call.OutcomeEnded},
		"the flow told: a key press confirmed it at 2026-11-29T03:00:00.000Z, outcome confirmed":      {From: "check-in", Sight: &call.Sight{Confirmed: start}, Outcome: call.OutcomeConfirmed},
	} {
		event.Kind = call.EventSeen
		if got := Of(call.Call{}, []call.Event{event})[0].What; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestAnEndIsToldWithItsReason(t *testing.T) {
	t.Parallel()
	if got := saw(call.Event{Kind: call.EventSeen, From: "event", Sight: &call.Sight{Reason: call.Remark{Text: "TELECOM_BUSY"}}}); got != "a contact event told: TELECOM_BUSY" {
		t.Error(got)
	}
}

func TestEveryReasonOfAGateHasWords(t *testing.T) {
	t.Parallel()
	for _, reason := range call.HeldReasons() {
		if got := Why(reason); got == ": "+reason {
			t.Errorf("%s has no words", reason)
		}
	}
}

func TestATimelineTellsTheTimeBetweenItsLines(t *testing.T) {
	t.Parallel()
	lines := Of(call.Call{}, []call.Event{{Kind: call.EventNoted, At: start}, {Kind: call.EventNoted, At: start.Add(72 * time.Hour)}})
	if lines[0].AfterMS != 0 || lines[1].AfterMS != 72*3600*1000 || Lasted(lines[1].After) != "3d00h" {
		t.Errorf("got %d, %d and %s", lines[0].AfterMS, lines[1].AfterMS, Lasted(lines[1].After))
	}
}

func TestAttemptsAreReadFromTheHistory(t *testing.T) {
	t.Parallel()
	open := func(id string) *call.Attempt {
		return &call.Attempt{ID: id, Opened: start, LeaseEnd: start.Add(time.Minute)}
	}
	attempts := Attempts([]call.Event{
		{Kind: call.EventAccepted, Attempt: open("a-1")},
		{Kind: call.EventResult, At: start.Add(5 * time.Second), AttemptID: "a-1", Class: call.ClassAmbiguous, Took: 5 * time.Second},
		{Kind: call.EventIntent, Attempt: open("a-2")},
		{Kind: call.EventTainted, Attempt: &call.Attempt{ID: "phantom", Phantom: true}},
		{Kind: call.EventResult, AttemptID: "a-1", Class: call.ClassOK, ContactID: "c-1"}, // a late answer corrects the first report
		{Kind: call.EventResult, AttemptID: "unknown", Class: call.ClassOK},
	})
	if len(attempts) != 3 {
		t.Fatalf("%d attempts, not 3", len(attempts))
	}
	want := []string{
		"contact c-1", "no answer was recorded: it may still be on its way, or its process ended",
		"may have been made between the backup and the restore of the ledger; nothing is known about it",
	}
	for i, words := range want {
		if got := attempts[i].Words(); got != words {
			t.Errorf("attempt %d is told as %q, not %q", i+1, got, words)
		}
	}
}
