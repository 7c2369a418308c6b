package client

import (
	"context"
	"time"

	"github.com/ringonce/ringonce/internal/ingress/httpapi/oas"
)

// HeldChoice chooses the held calls that an order is about. All members that are given have to hold, and one has to be given.
type HeldChoice struct {
	IDs                                                      []string // at most 500
	Reasons                                                  []string // for which they are held
	Producer, Profile, KeySpace, NotificationID, RecipientID string
	AcceptedAfter, AcceptedBefore                            time.Time
}

// HeldOrder is what [Client.ReleaseMany] and [Client.DropMany] ask for: an act on up to 500 held calls.
type HeldOrder struct {
	OrderID string // the asker's own; empty makes it of who asks, what is asked and what was seen
	Choice  HeldChoice
	Reason  string // required
	Seen    string // the digest of a rehearsal; needed without Choice.IDs. When the calls are others by now, nothing is ordered
}

func (h HeldOrder) wish(dryRun bool) *oas.HeldWish {
	f := h.Choice
	w := &oas.HeldWish{
		OrderId: optional(h.OrderID), Reason: h.Reason, Filter: oas.HeldFilter{
			Ids: f.IDs, Reason: f.Reasons, Producer: optional(f.Producer), Profile: optional(f.Profile), KeySpace: optional(f.KeySpace), NotificationId: optional(f.NotificationID),
			RecipientId: optional(f.RecipientID), AcceptedAfter: moment(f.AcceptedAfter), AcceptedBefore: moment(f.AcceptedBefore),
		},
	}
	if dryRun {
		w.DryRun = oas.NewOptBool(true)
	} else {
		w.Seen = optional(h.Seen)
	}
	return w
}

// ReleaseMany lets held calls ring now, at the pace of all calls, and returns what became of each, or the pending order where a second person has to confirm it.
func (c *Client) ReleaseMany(ctx context.Context, h HeldOrder) (Order, error) {
	answer, err := c.api.ReleaseHeldCalls(ctx, h.wish(false))
	return into[Order](answer, err)
}

// RehearseRelease says how many calls a release would be about, and which are the first 20. Nothing rings.
func (c *Client) RehearseRelease(ctx context.Context, h HeldOrder) (Order, error) {
	answer, err := c.api.ReleaseHeldCalls(ctx, h.wish(true))
	return into[Order](answer, err)
}

// DropMany withdraws held calls, as ReleaseMany releases them.
func (c *Client) DropMany(ctx context.Context, h HeldOrder) (Order, error) {
	answer, err := c.api.DropHeldCalls(ctx, h.wish(false))
	return into[Order](answer, err)
}

// RehearseDrop says how many calls a drop would be about, and which are the first 20. Nothing is withdrawn.
func (c *Client) RehearseDrop(ctx context.Context, h HeldOrder) (Order, error) {
	answer, err := c.api.DropHeldCalls(ctx, h.wish(true))
	return into[Order](answer, err)
}
