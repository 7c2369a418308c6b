package rules_test

import (
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/rules"
)

func rule() rules.RecallRule {
	return rules.RecallRule{Budget: 2, Pinned: true, Wait: map[call.ContactOutcome]time.Duration{
		rules.OutcomeFailed: 30 * time.Second, call.OutcomeBusy: 5 * time.Minute, call.OutcomeNoAnswer: 15 * time.Minute,
	}}
}

func placed(o call.ContactOutcome, recalls int) call.Call {
	return call.Call{State: call.Placed, Outcome: o, Recalls: recalls}
}

func TestWhichEndsRingAgain(t *testing.T) {
	t.Parallel()
	failed := call.Call{State: call.Failed, Code: "attempts_exhausted", AttemptCount: 3}
	refused := call.Call{State: call.Failed, Code: "invalid_parameter", Refused: "invalid_parameter", AttemptCount: 1}
	for name, c := range map[string]struct {
		call  call.Call
		again bool
		wait  time.Duration
		why   string
	}{
		"busy":                             {placed(call.OutcomeBusy, 0), true, 5 * time.Minute, "re-call 1 of 2"},
		"no answer, the last one":          {placed(call.OutcomeNoAnswer, 1), true, 15 * time.Minute, "re-call 2 of 2"},
		"no answer, budget used up":        {placed(call.OutcomeNoAnswer, 2), false, 0, "used up"},
		"every attempt closed":             {failed, true, 30 * time.Second, "failed: again 30s"},
		"refused for good":                 {refused, false, 0, "refused for good"},
		"a denied number":                  {call.Call{State: call.Failed, Code: call.CodeDestinationDenied, AttemptCount: 1}, false, 0, "refused for good"},
		"a number of the do-not-call list": {call.Call{State: call.Failed, Code: call.CodeDoNotCall, AttemptCount: 1}, false, 0, "refused for good"},
		"a body that is not made":          {call.Call{State: call.Failed, Code: "field_value"}, false, 0, "refused for good"},
		"not listed":                       {placed(call.OutcomeVoicemail, 0), false, 0, "no rule"},
		"nothing known, not listed":        {placed("", 0), false, 0, "unknown: no rule"},
		"confirmed":                        {placed(call.OutcomeConfirmed, 0), false, 0, "somebody knows"},
		"an invalid number":                {placed(call.OutcomeInvalid, 0), false, 0, "stays invalid"},
		"a blocked one, not listed":        {placed(call.OutcomeBlocked, 0), false, 0, "no rule"},
		"in doubt":                         {call.Call{State: call.InDoubt, Outcome: call.OutcomeBusy}, false, 0, "a doubt"},
		"expired":                          {call.Call{State: call.Expired}, false, 0, "time limit"},
		"canceled":                         {call.Call{State: call.Canceled}, false, 0, "canceled"},
		"not over":                         {call.Call{State: call.Received}, false, 0, "not ended"},
	} {
		got := rules.Decide(c.call, rule())
		if got.Again != c.again || got.Wait != c.wait || !strings.Contains(got.Why, c.why) || !got.Pinned {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestARuleThatListsWhatNeverRingsAgainRingsItNeverAllTheSame(t *testing.T) {
	t.Parallel()
	r := rule()
	for _, outcome := range []call.ContactOutcome{call.OutcomeInvalid, call.OutcomeConfirmed, call.OutcomeEnded} {
		r.Wait = map[call.ContactOutcome]time.Duration{outcome: 5 * time.Minute}
		if err := r.Check(); err == nil {
			t.Errorf("%s may be listed", outcome)
		}
		if got := rules.Decide(placed(outcome, 0), r); got.Again {
			t.Errorf("%s rings again: %+v", outcome, got)
		}
	}
	r.Wait = map[call.ContactOutcome]time.Duration{call.OutcomeBlocked: 5 * time.Minute}
	if err := r.Check(); err != nil || !rules.Decide(placed(call.OutcomeBlocked, 0), r).Again {
		t.Errorf("blocked cannot be listed: %v", err)
	}
}

func TestScenarioV53AWaitOutOfItsRangeIsRefusedWithTheRange(t *testing.T) {
	t.Parallel()
	for _, outcome := range call.ContactOutcomes() {
		low, high, err := rules.RecallRange(outcome)
		if err != nil {
			continue
		}
		for wait, fits := range map[time.Duration]bool{low: true, high: true, low - 1: false, high + 1: false, 0: false, -time.Minute: false} {
			r := rules.RecallRule{Budget: 1, Wait: map[call.ContactOutcome]time.Duration{outcome: wait}}
			err := r.Check()
			if (err == nil) != fits {
				t.Errorf("%s after %s: %v", outcome, wait, err)
			}
			if err != nil && !strings.Contains(err.Error(), low.String()+" to "+high.String()) {
				t.Errorf("the range is not named: %v", err)
			}
		}
	}
}
