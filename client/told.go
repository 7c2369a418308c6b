package client

import (
	"context"
	"time"

	"github.com/ringonce/ringonce/internal/ingress/httpapi/oas"
)

// Told is what the producer of a call is told by webhook.
type Told struct {
	Receiver string      `json:"receiver,omitempty"` // host of the receiver; empty when the producer is told nothing
	Events   []ToldEvent `json:"events"`             // in their order
	Again    int         `json:"again,omitempty"`    // how many of them are told again
}

// ToldEvent is one thing that a producer is told.
type ToldEvent struct {
	ID    string    `json:"id"` // the Webhook-Id under which it comes, every time
	Type  string    `json:"type"`
	At    time.Time `json:"at"`
	Taken bool      `json:"taken"`
}

// Told returns what the producer of a call is told and what of it was taken.
func (c *Client) Told(ctx context.Context, id string) (Told, error) {
	answer, err := c.api.ListTold(ctx, oas.ListToldParams{ID: id})
	return into[Told](answer, err)
}

// TellAgain says which events of a call its producer is told again: without From and All those that were not taken.
type TellAgain struct {
	Reason string // required
	From   string // the id of the first event that comes again
	All    bool   // every event
}

// Tell has the producer of a call told again. It does not wait for the producer.
func (c *Client) Tell(ctx context.Context, id string, w TellAgain) (Told, error) {
	wish := &oas.TellWish{Reason: w.Reason, From: optional(w.From)}
	if w.All {
		wish.All = oas.NewOptBool(true)
	}
	answer, err := c.api.TellCall(ctx, wish, oas.TellCallParams{ID: id})
	return into[Told](answer, err)
}
