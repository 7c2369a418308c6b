package httpapi

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/twoperson"
)

// The results of acts on held calls.
const (
	resultReleased = "released"
	resultDropped  = "dropped"
	resultChanged  = "order_changed" // it is held for another reason than the one that was seen
)

// actOf does what an order says to one held call, or returns the code of what speaks against it. A release does not dial: the call is due now, and is dialed at the
// pace of all others. After a crash it is asked for again, and the history tells what this order has done already.
func (a *api) actOf(ctx context.Context, o twoperson.Order, id string) (string, error) {
	result, reason := resultDropped, "order "+o.ID+": "+o.Reason
	if o.Action == opRelease {
		result = resultReleased
		if err := a.audited(); err != nil { // the order waits
			return "", err
		}
	}
	done, err := a.didBefore(ctx, id, o.By, reason)
	switch {
	case err != nil:
		return "", err
	case done:
		return a.didAlready(ctx, o, id)
	case o.Late(a.Clock.Now()):
		return resultLate, nil
	}
	if changed, err := a.heldForAnother(ctx, o, id); changed || err != nil {
		return resultChanged, err
	}
	var row call.Call
	if o.Action == opRelease {
		row, err = a.Engine.ReleaseLater(ctx, id, o.By, reason)
	} else {
		_, err = a.Engine.Drop(ctx, id, o.By, reason)
	}
	var refused *call.Error
	switch {
	case errors.As(err, &refused) && statusOf(refused.Code) < http.StatusInternalServerError:
		if done, err = a.didBefore(ctx, id, o.By, reason); err != nil || done && refused.Code != call.CodeRingMoved { // another process carries the order out too
			return a.didAlready(ctx, o, id)
		}
		result, err = string(refused.Code), refused
	case err != nil:
		return "", err
	default:
		a.offer(row)
	}
	a.noteHeld(ctx, o, id, "", err)
	return result, nil
}

// didAlready returns what became of an act that the history tells of: a cancel that lost against a dial drops nothing.
func (a *api) didAlready(ctx context.Context, o twoperson.Order, id string) (string, error) {
	row, err := a.Ledger.Get(ctx, id)
	if err != nil {
		return "", err
	}
	a.noteHeld(ctx, o, id, "repeated", nil)
	switch {
	case o.Action == opRelease:
		return resultReleased, nil
	case row.State == call.Canceled:
		return resultDropped, nil
	}
	return string(call.CodeRingMoved), nil
}

// heldForAnother reports whether a call is held now for another reason than the one that was seen: it was kept back anew, and nobody has decided on that.
func (a *api) heldForAnother(ctx context.Context, o twoperson.Order, id string) (bool, error) {
	row, err := a.Ledger.Get(ctx, id)
	if errors.Is(err, call.ErrNotFound) {
		return false, nil
	}
	was := o.HeldFor(id)
	return err == nil && was != "" && row.State == call.Received && holdReason(row) != was, err
}

// didBefore reports whether somebody acted on a call for that reason, which names the order.
func (a *api) didBefore(ctx context.Context, id, actor, reason string) (bool, error) {
	events, err := a.events(ctx, id)
	return slices.ContainsFunc(events, func(e call.Event) bool { return e.Actor == actor && e.Reason == reason }), err
}

// noteHeld writes an act of an order into the audit log, in the name of who ordered it.
func (a *api) noteHeld(ctx context.Context, o twoperson.Order, id, answer string, err error) {
	a.record(ctx, Act{
		At: a.Clock.Now(), Actor: o.By, Kind: string(access.Operator), Action: o.Action, CallID: id, Target: orderTarget(o.ID), Reason: "order " + o.ID + ": " + o.Reason, Answer: answer,
	}, err)
}
