package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/httpapi/oas"
	"github.com/ringonce/ringonce/internal/twoperson"
)

// chooseHeld returns the held calls that an order is about.
func (a *api) chooseHeld(ctx context.Context, action string, f oas.HeldFilter) (*choice, error) {
	c := newChoice("", false, a.Clock.Now())
	ids := slices.Compact(slices.Sorted(slices.Values(f.Ids)))
	if len(f.Ids) == 0 {
		var err error
		if ids, err = a.Ledger.Due(ctx, c.now.Add(farAhead), mostSearched+1); err != nil {
			return nil, err
		}
		if len(ids) > mostSearched {
			return nil, refuse(http.StatusUnprocessableEntity, "filter_too_wide", fmt.Sprintf("More than %d calls would have to be looked through.", mostSearched), "Name the calls by ids, which the list of held calls tells.")
		}
	}
	for _, id := range ids {
		row, err := a.rowAt(ctx, id)
		switch {
		case errors.Is(err, call.ErrNotFound):
			if len(f.Ids) > 0 {
				c.excluded[string(call.CodeNotFound)]++
			}
			continue
		case err != nil:
			return nil, err
		case row.State != call.Received && len(f.Ids) == 0, !a.matches(row, heldParams(f)), len(f.Reason) > 0 && !slices.Contains(f.Reason, holdReason(row)):
			continue
		}
		if code := a.againstHeld(row, action, c); code != "" {
			c.excluded[code]++
			continue
		}
		if c.calls = append(c.calls, row); len(c.calls) > twoperson.MostCalls {
			return nil, refuse(http.StatusUnprocessableEntity, "too_many_calls", fmt.Sprintf("More than %d held calls match.", twoperson.MostCalls), "Narrow the filter, and order in several parts.")
		}
	}
	return c, nil
}

// heldParams is a filter as the list of calls takes it.
func heldParams(f oas.HeldFilter) oas.ListCallsParams {
	return oas.ListCallsParams{
		Producer: f.Producer, Profile: f.Profile, NotificationId: f.NotificationId, RecipientId: f.RecipientId, KeySpace: f.KeySpace, AcceptedAfter: f.AcceptedAfter, AcceptedBefore: f.AcceptedBefore,
	}
}

// againstHeld returns the code of what speaks against an act on a call, as the act itself would say; empty when nothing does.
func (a *api) againstHeld(row call.Call, action string, c *choice) string {
	profile, known := a.Engine.Profile(row.Profile)
	if action == opDrop || !known { // what the configuration says of its profile keeps no call from being dropped
		profile = call.Profile{Paused: action != opDrop}
		row.NotAfter = c.now.AddDate(1, 0, 0)
	}
	return string(call.CodeOf(call.Releasable(row, profile, c.now)))
}
