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
		a.noteHeld(ctx, o, id, "repeated", nil)
		return result, nil
	case o.Late(a.Clock.Now()):
		return resultLate, nil
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
		result = string(refused.Code)
	case err != nil:
		return "", err
	default:
		a.offer(row)
	}
	a.noteHeld(ctx, o, id, "", err)
	return result, nil
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
