package timeline

import (
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

func TestWhatFollowsAnEndIsASentence(t *testing.T) {
	t.Parallel()
	due := start.Add(15 * time.Minute)
	for want, event := range map[string]call.Event{
		"ring 1 is claimed (rule): busy: again; not before 2026-11-29T03:15:00.000Z": {
			Kind: call.EventRingOpened, Next: &call.Child{Ring: 1, Cause: call.CauseRule, Reason: "busy: again", NotBefore: due},
		},
		"ring 1 accepted (rule): busy: again; waits until 2026-11-29T03:15:00.000Z": {
			Kind: call.EventAccepted, At: start, Reason: "busy: again", Due: due, Opening: &call.Opening{Ring: 1, Cause: call.CauseRule},
		},
		"made by the escalation list of call abcdef": {
			Kind: call.EventAccepted, At: start, Opening: &call.Opening{Cause: call.CauseEscalation, EscalatedFrom: "abcdef"},
		},
		"nobody confirmed, so the next of the escalation list is rung: no_answer": {Kind: call.EventEscalated, Reason: "no_answer"},
		"the next of the escalation list has call abcdef":                         {Kind: call.EventTurnConfirmed, RowID: "abcdef"},
		"the escalation list passes over a recipient: forgotten":                  {Kind: call.EventTurnConfirmed, Reason: "forgotten"},
		"the escalation list of call abcdef goes on with this call":               {Kind: call.EventJoined, RowID: "abcdef"},
		"nothing follows: busy: the budget is used up":                            {Kind: call.EventFollowed, Followup: call.FollowedNothing, Reason: "busy: the budget is used up"},
		"no further ring: acknowledged":                                           {Kind: call.EventFollowed, Followup: call.FollowedStopped, Reason: "acknowledged"},
		"it is rung again by rule: busy":                                          {Kind: call.EventFollowed, Followup: call.FollowedRecall, Reason: "busy"},
		"an acknowledgment arrived for this ring":                                 {Kind: call.EventCancelRequested, Hits: true, Acknowledges: true},
		"an acknowledgment was known before dial: acknowledged":                   {Kind: call.EventCancelRequested, Hits: true, Acknowledges: true, Reason: "before dial: acknowledged"},
		"acknowledged before any request arrived":                                 {Kind: call.EventTombstone, Acknowledges: true, Opening: &call.Opening{}},
	} {
		if got := sentence(event, 0); got != want {
			t.Errorf("%q\n\twant %q", got, want)
		}
	}
}

func TestScenarioV46TheTimelineSaysTooLateAndHowLongItRang(t *testing.T) {
	t.Parallel()
	placed := call.Event{Kind: call.EventResult, At: start, Class: call.ClassOK, ContactID: "c-1"}
	acked := call.Event{Kind: call.EventCancelRequested, At: start.Add(12 * time.Second), Hits: true, Acknowledges: true}
	for want, events := range map[string][]call.Event{
		"acknowledged too late, rang 12.0s": {placed, acked},
		"acknowledged too late, rang 7.0s": {
			placed, {Kind: call.EventSeen, At: start.Add(9 * time.Second), Sight: &call.Sight{Initiated: start.Add(time.Second), Connected: start.Add(8 * time.Second)}}, acked,
		},
		"an acknowledgment arrived for this ring": {{Kind: call.EventIntent, At: start}, acked},
	} {
		lines := Of(call.Call{}, events)
		if got := lines[len(lines)-1].What; !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
