package cli

import (
	"context"

	"github.com/ringonce/ringonce/client"
	"github.com/ringonce/ringonce/internal/call"
)

// mostHeldThere is the largest limit of held calls that the API takes; a page looks at no more.
const mostHeldThere = 5_000

// held looks at the held calls of a service, page by page. The counts are of those that are due first, as beside a ledger, whatever the limit.
func (r *remote) held(ctx context.Context, x *heldListCommand) (heldCalls, error) {
	found := heldCalls{counts: map[string]heldCount{}}
	for f := (client.HeldFilter{Reasons: x.Reason, Profile: x.Profile, Counts: true}); ; {
		f.Limit = min(x.Limit-len(found.calls), mostHeldThere)
		var page client.HeldPage
		err := r.patiently(ctx, func() (err error) {
			page, err = r.api.Held(ctx, f)
			return err
		})
		if err != nil {
			return found, err
		}
		if f.Cursor == "" {
			found.only = page.OnlyLookedAt
			for _, count := range page.Counts {
				found.counts[count.Reason] = heldCount{Reason: count.Reason, Calls: count.Calls, First: count.FirstDue}
			}
		}
		for _, h := range page.Calls {
			found.calls = append(found.calls, heldThere(h))
		}
		if f.Cursor = page.NextCursor; f.Cursor == "" && found.only > 0 { // all were shown, also those that no page counted
			shown := found.calls
			found = heldCalls{counts: map[string]heldCount{}}
			for _, h := range shown {
				found.add(h, x.Limit)
			}
		}
		if f.Cursor == "" || len(found.calls) >= x.Limit {
			return found, nil
		}
		f.Counts = false
	}
}

// heldThere is the form of a held call that a service shows.
func heldThere(h client.Held) heldCall {
	c := h.Call
	return heldCall{
		ID: c.ID, NotificationID: c.NotificationID, RecipientID: c.RecipientID, Kind: call.Kind(c.Kind), Ring: c.Ring, Profile: c.Profile, Producer: c.Producer,
		Destination: c.Destination, Reason: h.Reason, Due: h.Due, NotAfter: h.NotAfter, AcceptedAt: c.AcceptedAt, Parked: h.Parked, Urgent: h.Urgent, Released: h.ReleasedBy,
	}
}

// actOnHeld asks a service for an act on the held call that a text names, and prints what became of it.
func (r *remote) actOnHeld(ctx context.Context, text string, asJSON bool, act func(id string) (client.Acted, error)) error {
	id, err := r.resolve(ctx, text)
	if err != nil {
		return err
	}
	done, err := act(id)
	if err != nil {
		return r.told(err)
	}
	c := done.Call
	return heldActed{
		ID: c.ID, State: call.State(c.State), Sentence: done.Sentence, ContactID: c.ContactID, Reason: done.HeldFor, Due: done.HeldUntil, Code: call.Code(c.Code),
		Message: c.Message,
	}.print(r.environment, asJSON, r.Clock.Now())
}
