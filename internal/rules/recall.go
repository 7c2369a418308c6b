package rules

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// OutcomeFailed is the word of a re-call rule for a call that ended without a ring although nobody refused it for good: every permitted attempt
// was throttled or did not get through.
const OutcomeFailed call.ContactOutcome = "failed"

// RecallRule says which ends of a call ring again, after which wait, and how often.
type RecallRule struct {
	Budget int                                   // re-calls of one request, over all outcomes; 0 is none
	Pinned bool                                  // with the flow, queue and caller id of the ring before
	Wait   map[call.ContactOutcome]time.Duration // from the end of the ring; an outcome that is not listed rings no more
}

// MaxRecalls is the largest budget.
const MaxRecalls = 20

// recallable lists the outcomes that a rule may name, in the order in which they are shown, and how long each may wait: an error of the API is
// over in seconds, a line in minutes, and a person who does not answer does not want the next call at once.
var recallable = []struct {
	outcome           call.ContactOutcome
	shortest, longest time.Duration
}{
	{OutcomeFailed, time.Second, time.Hour},
	{call.OutcomeBusy, time.Minute, 24 * time.Hour},
	{call.OutcomeNoAnswer, 5 * time.Minute, 24 * time.Hour},
	{call.OutcomeVoicemail, 5 * time.Minute, 24 * time.Hour},
	{call.OutcomeAnswered, 5 * time.Minute, 24 * time.Hour},
	{call.OutcomeUnknown, 5 * time.Minute, 24 * time.Hour},
	{call.OutcomeBlocked, 5 * time.Minute, 24 * time.Hour},
}

// never says why an outcome may not be listed.
var never = map[call.ContactOutcome]string{
	call.OutcomeConfirmed: "somebody knows", call.OutcomeInvalid: "the number stays invalid", call.OutcomeEnded: "it was ended on purpose",
}

// RecallRange returns how long the wait of an outcome may be. Its error says, in words that go on after the name of a setting, why the outcome
// may not be listed.
func RecallRange(outcome call.ContactOutcome) (low, high time.Duration, err error) {
	if why, known := never[outcome]; known {
		return 0, 0, fmt.Errorf("never rings again: %s", why)
	}
	var words []string
	for _, r := range recallable {
		if r.outcome == outcome {
			return r.shortest, r.longest, nil
		}
		words = append(words, string(r.outcome))
	}
	return 0, 0, fmt.Errorf("is no outcome that can ring again: those are %s", strings.Join(words, ", "))
}

// Check refuses a rule whose numbers are out of range. The field of its *call.Error is that of the rule: budget, or wait.OUTCOME.
func (r RecallRule) Check() error {
	if r.Budget < 0 || r.Budget > MaxRecalls {
		return &call.Error{
			Code: call.CodeConfiguration, Field: "budget", Message: fmt.Sprintf("is not from 0 to %d.", MaxRecalls), Fix: "It counts re-calls over all outcomes.",
		}
	}
	outcomes := make([]call.ContactOutcome, 0, len(r.Wait))
	for outcome := range r.Wait {
		outcomes = append(outcomes, outcome)
	}
	slices.Sort(outcomes)
	for _, outcome := range outcomes {
		field := "wait." + string(outcome)
		low, high, err := RecallRange(outcome)
		switch wait := r.Wait[outcome]; {
		case err != nil:
			return &call.Error{Code: call.CodeConfiguration, Field: field, Message: err.Error() + ".", Fix: "Remove it."}
		case wait < low || wait > high:
			return &call.Error{
				Code: call.CodeConfiguration, Field: field, Message: fmt.Sprintf("is %s, outside the allowed %s to %s.", wait, low, high), Fix: "Choose a wait inside of it.",
			}
		}
	}
	if r.Budget > 0 && len(r.Wait) == 0 {
		return &call.Error{Code: call.CodeConfiguration, Field: "wait", Message: "is missing.", Fix: "Say which outcomes ring again, and after which wait."}
	}
	return nil
}

// Decide says whether a call that ended is rung again. It looks at nothing but the row: whether somebody knows meanwhile is the engine's to ask.
func Decide(c call.Call, rule RecallRule) call.Follow {
	follow := call.Follow{Pinned: rule.Pinned}
	outcome, why := ended(c)
	if outcome == "" {
		follow.Why = why
		return follow
	}
	wait, listed := rule.Wait[outcome]
	_, _, err := RecallRange(outcome)
	switch {
	case err != nil:
		follow.Why = fmt.Sprintf("%s: %s", outcome, err)
	case !listed:
		follow.Why = fmt.Sprintf("%s: no rule rings again after it", outcome)
	case c.Recalls >= rule.Budget:
		follow.Why = fmt.Sprintf("%s: the budget of %d re-calls is used up", outcome, rule.Budget)
	default:
		follow.Again, follow.Wait = true, wait
		follow.Why = fmt.Sprintf("%s: again %s after its end, re-call %d of %d", outcome, wait, c.Recalls+1, rule.Budget)
	}
	return follow
}

// ended names how a call ended, in the words of a rule; empty, with the reason, when no rule can ring it again.
func ended(c call.Call) (outcome call.ContactOutcome, why string) {
	switch c.State {
	case call.Placed:
		if c.Outcome == "" {
			return call.OutcomeUnknown, ""
		}
		return c.Outcome, ""
	case call.Failed:
		// What Amazon Connect or our own rules refuse is refused tomorrow too.
		if c.Refused != "" || c.AttemptCount == 0 || c.Code == call.CodeDestinationDenied || c.Code == call.CodeDoNotCall || c.Code == call.CodeTokenTaken {
			return "", "it was refused for good"
		}
		return OutcomeFailed, ""
	case call.InDoubt:
		return "", "a doubt is never rung again by itself"
	case call.Expired:
		return "", "its time limit has passed"
	case call.Canceled:
		return "", "it was canceled"
	case call.Received, call.Dialing:
	}
	return "", "it has not ended"
}
