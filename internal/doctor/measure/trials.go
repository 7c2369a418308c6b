package measure

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// tries is how often a run repeats a trial whose answer was lost, before it leaves the rest to the next run.
const tries = 3

// attempt does a trial until it decides something; one that decides nothing is given up and done again.
func (r *Runner) attempt(ctx context.Context, step Step, do func(context.Context) (lost string, err error)) error {
	for n := 1; ; n++ {
		lost, err := do(ctx)
		if err != nil || lost == "" {
			return err
		}
		if err := r.giveUp(step, lost); err != nil {
			return err
		}
		if err := r.flush(ctx); err != nil {
			return err
		}
		if n == tries {
			return stuck(step, call.Answer{Code: call.CodeNotFinal, Message: fmt.Sprintf("It decided nothing in %d tries.", tries)})
		}
	}
}

// refusal is step c: a request that is refused for its flow, then a valid one with the same token.
func (r *Runner) refusal(ctx context.Context) error {
	if r.state.Refusal != nil {
		return nil
	}
	return r.attempt(ctx, StepRefusal, func(ctx context.Context) (string, error) {
		token, err := r.token()
		if err != nil {
			return "", err
		}
		wrong := r.Profile
		wrong.ContactFlowID = r.RefusedFlow
		first, err := r.send(ctx, order{step: StepRefusal, profile: wrong, token: token, rings: 1})
		if err != nil {
			return "", err
		}
		t := Trial{At: r.Clock.Now().UTC(), Code: first.Code, First: first.ContactID}
		switch first.Class {
		case call.ClassOK:
			r.state.Rings++
			t.Outcome = NotRefused
			return "", r.trial(ctx, &r.state.Refusal, t, first)
		case call.ClassAmbiguous:
			return "the answer to the request with a wrong flow was lost", nil
		case call.ClassRefusedSetup, call.ClassRefusedRequest:
		case call.ClassOpen, call.ClassThrottled, call.ClassNotSent:
			return "", r.unsent(StepRefusal, first)
		}
		r.Person.Tell("The telephone is called with a token that was refused before. It may ring.")
		second, err := r.send(ctx, order{step: StepRefusal, profile: r.Profile, token: token, rings: 1})
		if err != nil {
			return "", err
		}
		return r.second(ctx, StepRefusal, &r.state.Refusal, t, second)
	})
}

// params is step b: the same token with other parameters while its contact is alive.
func (r *Runner) params(ctx context.Context) error {
	if r.state.Params != nil {
		return nil
	}
	other, attributes := r.Profile, map[string]string{"ringonceMeasure": "other"}
	if r.OtherFlow != "" {
		other.ContactFlowID, attributes = r.OtherFlow, nil
	}
	return r.pair(ctx, StepParams, &r.state.Params, order{profile: other, attributes: attributes})
}

// scope is step e: the same token on a second instance while its contact on the first is alive.
func (r *Runner) scope(ctx context.Context) error {
	if r.state.Scope != nil || r.Second == nil {
		return nil
	}
	return r.pair(ctx, StepScope, &r.state.Scope, order{profile: *r.Second})
}

// apart is the time between the two requests of a pair: longer than a token may need to be seen, shorter than a telephone rings.
const apart = 3 * time.Second

// pair places a call and sends its token once more, otherwise, while the call lasts.
func (r *Runner) pair(ctx context.Context, step Step, to **Trial, o order) error {
	return r.attempt(ctx, step, func(ctx context.Context) (string, error) {
		token, err := r.token()
		if err != nil {
			return "", err
		}
		r.Person.Tell("The telephone is called now. Let it ring for 10 seconds, then answer and hang up.")
		first, err := r.send(ctx, order{step: step, profile: r.Profile, token: token, rings: 2})
		switch {
		case err != nil:
			return "", err
		case first.Class == call.ClassAmbiguous:
			return "the answer to the call was lost", nil
		case first.Class != call.ClassOK:
			return "", r.unsent(step, first)
		}
		r.state.Rings++
		if err := r.Clock.Sleep(ctx, apart); err != nil {
			return "", err
		}
		o.step, o.token, o.rings = step, token, 1
		again := r.Clock.Now()
		second, err := r.send(ctx, o)
		if err != nil {
			return "", err
		}
		shown, err := r.describe(ctx, r.state.Target, first.ContactID)
		if err != nil {
			return "", err
		}
		over := !shown.Disconnected.IsZero() && shown.Disconnected.Before(again.Add(apart))
		if second.Class == call.ClassOK && second.ContactID != first.ContactID && over {
			r.state.Rings++
			return "the first call had already ended", nil
		}
		lost, err := r.second(ctx, step, to, Trial{At: r.Clock.Now().UTC(), First: first.ContactID}, second)
		if err == nil {
			_, err = r.end(ctx, r.state.Target, first.ContactID)
		}
		return lost, err
	})
}

// second records what the second request of a trial found.
func (r *Runner) second(ctx context.Context, step Step, to **Trial, t Trial, a call.Answer) (lost string, err error) {
	switch a.Class {
	case call.ClassOK:
		t.Second, t.Outcome, t.Code = a.ContactID, SameContact, ""
		if a.ContactID != t.First {
			r.state.Rings++
			t.Outcome = NewContact
		}
	case call.ClassAmbiguous:
		return "the answer to the second request was lost", nil
	case call.ClassRefusedRequest, call.ClassRefusedSetup:
		t.Outcome, t.Code = Refused, a.Code
	case call.ClassOpen, call.ClassThrottled, call.ClassNotSent:
		if err := r.giveUp(step, "the second request was not taken: "+string(a.Code)); err != nil {
			return "", err
		}
		return "", stuck(step, a)
	}
	return "", r.trial(ctx, to, t, a)
}

// trial keeps a trial and waits until its last contact has ended.
func (r *Runner) trial(ctx context.Context, to **Trial, t Trial, a call.Answer) error {
	*to = &t
	if err := r.keep(); err != nil {
		return err
	}
	if a.ContactID == "" || to == &r.state.Scope { // a contact of another instance cannot be described here
		return r.Clock.Sleep(ctx, ringTime)
	}
	_, err := r.end(ctx, r.state.Target, a.ContactID)
	return err
}

// staleCodes are those of a signature that was refused for its date, as the dialer names them.
var staleCodes = []call.Code{"invalid_signature", "signature_does_not_match", "request_expired", "request_time_too_skewed"}

// late is step d: signatures that are already old, on requests that would be refused for their flow. No telephone rings for it.
func (r *Runner) late(ctx context.Context) error {
	if t := r.state.Refusal; t == nil || t.Outcome == NotRefused {
		return nil
	}
	wrong := r.Profile
	wrong.ContactFlowID = r.RefusedFlow
	for _, age := range lateAges[min(len(r.state.Late), len(lateAges)):] {
		err := r.attempt(ctx, StepLate, func(ctx context.Context) (string, error) {
			token, err := r.token()
			if err != nil {
				return "", err
			}
			control, err := r.send(ctx, order{step: StepLate, profile: wrong, token: token})
			switch {
			case err != nil:
				return "", err
			case control.Class == call.ClassAmbiguous:
				return "the answer to the control was lost", nil
			case control.Class != call.ClassRefusedSetup && control.Class != call.ClassRefusedRequest:
				return "", r.unsent(StepLate, control)
			}
			if token, err = r.token(); err != nil {
				return "", err
			}
			a, err := r.send(ctx, order{step: StepLate, profile: wrong, token: token, age: age})
			switch {
			case err != nil:
				return "", err
			case a.Class == call.ClassAmbiguous:
				return "the answer to an old signature was lost", nil
			case a.Class == control.Class && a.Code == control.Code:
				r.state.Late = append(r.state.Late, Late{Age: age, Code: a.Code})
			case slices.Contains(staleCodes, a.Code):
				r.state.Late = append(r.state.Late, Late{Age: age, Rejected: true, Code: a.Code})
			default:
				return "", r.unsent(StepLate, a)
			}
			return "", r.keep()
		})
		if err != nil {
			return err
		}
	}
	return nil
}
