package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/ringonce/ringonce/client"
	"github.com/ringonce/ringonce/internal/call"
)

// rangBefore says of a withdrawal through a service that it came after the ring; how long it rang is in the timeline.
const rangBefore = "too late: it rang before"

// act asks a service for an act on the call that a text names.
func (r *remote) act(ctx context.Context, text string, act func(ctx context.Context, id string) (client.Acted, error)) (acknowledged, error) {
	id, err := r.resolve(ctx, text)
	if err != nil {
		return acknowledged{}, err
	}
	done, err := act(ctx, id)
	if err != nil {
		return acknowledged{}, r.told(err)
	}
	answer := acknowledged{ID: done.Call.ID, State: call.State(done.Call.State), Sentence: done.Sentence}
	if done.CameTooLate {
		answer.TooLate = rangBefore
	}
	return answer, nil
}

// recall makes the next ring of a key, and warns of what is known to speak against it.
func (r *remote) recall(ctx context.Context, text string, wish call.Recall, asJSON bool) error {
	seen, err := r.get(ctx, text)
	if err != nil {
		return err
	}
	return r.ringAgain(ctx, seen, wish, asJSON)
}

// get reads the call that a text names.
func (r *remote) get(ctx context.Context, text string) (client.Call, error) {
	id, err := r.resolve(ctx, text)
	if err != nil {
		return client.Call{}, err
	}
	var seen client.Detail
	err = r.patiently(ctx, func() (err error) {
		seen, err = r.api.Get(ctx, id)
		return err
	})
	return seen.Call, err
}

// ringAgain makes the next ring after the one that was seen.
func (r *remote) ringAgain(ctx context.Context, seen client.Call, wish call.Recall, asJSON bool) error {
	id := seen.ID
	made, err := r.api.Recall(ctx, id, client.Recall{Reason: wish.Reason, NotAfter: wish.NotAfter, AlthoughItMayHaveRung: !wish.SparesDoubt})
	if problem, ok := errors.AsType[*client.Error](err); ok && problem.Code == string(call.CodeMayHaveRung) {
		problem.Fix = "Look at ringonce doubt show " + short(id) + "; to ring all the same, add --although-it-may-have-rung."
	}
	if err != nil {
		return r.told(err)
	}
	if warning := warnOf(call.Call{State: call.State(seen.State), Outcome: call.ContactOutcome(seen.Outcome)}); warning != "" {
		fmt.Fprintln(r.Stderr, "ringonce: warning:", warning)
	}
	return recalled{
		ID: made.Call.ID, Ring: made.Call.Ring, State: call.State(made.Call.State), Sentence: made.Sentence, ContactID: made.Call.ContactID, Of: id,
		Code: call.Code(made.Call.Code), Message: made.Call.Message,
	}.print(r.environment, asJSON)
}
