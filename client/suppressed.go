package client

import (
	"context"
	"time"

	"github.com/ringonce/ringonce/internal/ingress/httpapi/oas"
)

// SuppressedFilter chooses deliveries that were answered without dialing. Zero members do not restrict.
type SuppressedFilter struct {
	Kinds                       []string // suppressed, conflict, refused
	Producer, Profile, KeySpace string   // of the calls that answered them
	Since, Until                time.Time
	Limit                       int // of a page; 0 means 50, 200 is the most
	Cursor                      string
}

// SuppressedPage is a page of them, newest first.
type SuppressedPage struct {
	Deliveries []SuppressedDelivery `json:"deliveries"`
	NextCursor string               `json:"nextCursor"` // of the next page; empty at the end
}

// SuppressedDelivery is a delivery with the call that answered it.
type SuppressedDelivery struct {
	Delivery

	CallID         string `json:"callId"`
	NotificationID string `json:"notificationId"`
	RecipientID    string `json:"recipientId"`
	KeySpace       string `json:"keySpace"`
	Ring           int    `json:"ring"`
	State          string `json:"state"`
}

// AllSuppressed returns a page of the deliveries that calls answered without dialing, over all calls, newest first.
func (c *Client) AllSuppressed(ctx context.Context, f SuppressedFilter) (SuppressedPage, error) {
	p := oas.ListAllSuppressedParams{
		Producer: optional(f.Producer), Profile: optional(f.Profile), KeySpace: optional(f.KeySpace), Since: moment(f.Since), Until: moment(f.Until), Cursor: optional(f.Cursor),
	}
	for _, kind := range f.Kinds {
		p.Kind = append(p.Kind, oas.SuppressedKind(kind))
	}
	if f.Limit > 0 {
		p.Limit = oas.NewOptInt(f.Limit)
	}
	answer, err := c.api.ListAllSuppressed(ctx, p)
	return into[SuppressedPage](answer, err)
}
