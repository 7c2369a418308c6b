package client

import (
	"context"
	"time"

	"github.com/ringonce/ringonce/internal/ingress/httpapi/oas"
)

// RecallFilter chooses the calls that an order rings again. All members that are given have to hold, and one has to be given.
type RecallFilter struct {
	IDs                                              []string // at most 500
	States                                           []string
	Outcome, Producer, Profile, KeySpace             string
	NotificationID, RecipientID, RecallID, ContactID string
	AcceptedAfter, AcceptedBefore                    time.Time
}

// Recalls is what [Client.OrderRecalls] asks for: re-calls of up to 500 calls.
type Recalls struct {
	OrderID        string // the asker's own; empty makes it of who asks and what is asked, so that the same question is the same order
	Filter         RecallFilter
	Reason         string    // required
	NotAfter       time.Time // no ring after this time; zero means none
	IncludeInDoubt bool      // also calls that may have rung; each may ring a second time
	Seen           string    // the digest of a rehearsal: when the calls are others by now, nothing is ordered; empty orders what matches
}

// Order is an order of an act on many calls.
type Order struct {
	ID        string        `json:"id"`
	DryRun    bool          `json:"dryRun"`   // nothing was kept and nothing rings
	Repeated  bool          `json:"repeated"` // it was known already
	State     string        `json:"state"`    // pending, confirmed, done, withdrawn or expired; empty of a dry run
	Reason    string        `json:"reason"`
	By        string        `json:"by"`
	At        time.Time     `json:"at"`
	ExpiresAt time.Time     `json:"expiresAt"` // until when a pending one can be confirmed
	Second    string        `json:"second"`    // who confirmed or refused it
	DecidedAt time.Time     `json:"decidedAt"`
	Refusal   string        `json:"refusal"` // why it was refused
	Digest    string        `json:"digest"`  // of what was ordered; whoever confirms gives it back; of a rehearsal, see Recalls.Seen
	NotAfter  time.Time     `json:"notAfter"`
	Count     int           `json:"count"`
	InDoubt   int           `json:"inDoubt"`  // how many of its calls may have rung
	Recalled  int           `json:"recalled"` // re-calls that were made, of a done one
	Action    string        `json:"action"`   // recallCall, releaseHeld or dropHeld; empty of a service of before
	Done      int           `json:"done"`     // calls to which that was done, of a done one
	Excluded  []Excluded    `json:"excluded"` // what matches and is left out
	Calls     []OrderedCall `json:"calls"`    // of a dry run the first 20; nil in a list
}

// Excluded counts the calls that an order leaves out for one reason.
type Excluded struct {
	Code  string `json:"code"`
	Count int    `json:"count"`
}

// OrderedCall is one call of an order.
type OrderedCall struct {
	CallID   string `json:"callId"`
	Result   string `json:"result"` // waiting, recalled, released, dropped, or the code of what speaks against it
	Message  string `json:"message"`
	Call     *Call  `json:"call"`
	RecallID string `json:"recallId"` // of the re-call
	Recall   *Call  `json:"recall"`   // nil until it was made
}

// Producer is who asks a service for calls.
type Producer struct {
	Producer     string   `json:"producer"` // as calls, pauses and velocity limits name it
	Name         string   `json:"name"`
	KeySpace     string   `json:"keySpace"`
	Reads        []string `json:"reads"`    // further key spaces whose calls it may see
	Profiles     []string `json:"profiles"` // nil means all
	PerSecond    float64  `json:"perSecond"`
	Burst        int      `json:"burst"` // 0 means no limit
	Configured   bool     `json:"configured"`
	Paused       bool     `json:"paused"`
	OpenRequests *int     `json:"openRequests"` // nil when there are too many to count
}

func (r Recalls) wish(dryRun bool) *oas.RecallsWish {
	f := r.Filter
	w := &oas.RecallsWish{
		OrderId: optional(r.OrderID), Reason: r.Reason, NotAfter: moment(r.NotAfter), Filter: oas.RecallFilter{
			Ids: f.IDs, Outcome: optional(f.Outcome), Producer: optional(f.Producer), Profile: optional(f.Profile), KeySpace: optional(f.KeySpace),
			NotificationId: optional(f.NotificationID), RecipientId: optional(f.RecipientID), RecallId: optional(f.RecallID), ContactId: optional(f.ContactID),
			AcceptedAfter: moment(f.AcceptedAfter), AcceptedBefore: moment(f.AcceptedBefore),
		},
	}
	for _, s := range f.States {
		w.Filter.State = append(w.Filter.State, oas.State(s))
	}
	if !dryRun {
		w.Seen = optional(r.Seen)
	}
	if r.IncludeInDoubt {
		w.IncludeInDoubt = oas.NewOptBool(true)
	}
	if dryRun {
		w.DryRun = oas.NewOptBool(true)
	}
	return w
}

// OrderRecalls orders re-calls and returns what became of each call, or the pending order where a second person has to confirm it. It may be sent again
// after an error: each call rings again once.
func (c *Client) OrderRecalls(ctx context.Context, r Recalls) (Order, error) {
	answer, err := c.api.OrderRecalls(ctx, r.wish(false))
	return into[Order](answer, err)
}

// RehearseRecalls says how many calls an order would be about, and which are the first 20. Nothing rings.
func (c *Client) RehearseRecalls(ctx context.Context, r Recalls) (Order, error) {
	answer, err := c.api.OrderRecalls(ctx, r.wish(true))
	return into[Order](answer, err)
}

// Orders returns the orders of a state, empty for all, newest first and without their calls, and whether there are more. A limit of 0 means 50.
func (c *Client) Orders(ctx context.Context, state string, limit int) (orders []Order, more bool, err error) {
	var p oas.ListOrdersParams
	if state != "" {
		p.State = oas.NewOptOrderState(oas.OrderState(state))
	}
	if limit > 0 {
		p.Limit = oas.NewOptInt(limit)
	}
	answer, err := c.api.ListOrders(ctx, p)
	list, err := into[struct {
		Orders []Order
		More   bool
	}](answer, err)
	return list.Orders, list.More, err
}

// Order returns an order with its calls.
func (c *Client) Order(ctx context.Context, id string) (Order, error) {
	answer, err := c.api.GetOrder(ctx, oas.GetOrderParams{ID: id})
	return into[Order](answer, err)
}

// ConfirmOrder confirms an order as its second person. The digest is that of the order that was seen.
func (c *Client) ConfirmOrder(ctx context.Context, id, digest string) (Order, error) {
	answer, err := c.api.ConfirmOrder(ctx, &oas.ConfirmWish{Digest: digest}, oas.ConfirmOrderParams{ID: id})
	return into[Order](answer, err)
}

// RefuseOrder gives a pending order up.
func (c *Client) RefuseOrder(ctx context.Context, id, reason string) (Order, error) {
	answer, err := c.api.RefuseOrder(ctx, &oas.Reason{Reason: reason}, oas.RefuseOrderParams{ID: id})
	return into[Order](answer, err)
}

// Producers returns the producers that the service knows; a producer sees itself. more says that older calls may name others.
func (c *Client) Producers(ctx context.Context) (producers []Producer, more bool, err error) {
	answer, err := c.api.ListProducers(ctx)
	list, err := into[struct {
		Producers []Producer
		More      bool
	}](answer, err)
	return list.Producers, list.More, err
}
