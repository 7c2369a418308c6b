package client

import (
	"context"
	"time"

	"github.com/ringonce/ringonce/internal/ingress/httpapi/oas"
)

// Filter chooses calls of a list. Zero members do not restrict.
type Filter struct {
	States                                                   []string
	Outcome, Producer, Profile, KeySpace                     string
	NotificationID, RecipientID, RecallID, ContactID, Cursor string
	AcceptedAfter, AcceptedBefore                            time.Time
	IDPrefix                                                 string // 6 characters of an id at least; not beside Number
	Number                                                   string // the whole number that was rung, in E.164 form; it travels in a body, never in a URL
	Limit                                                    int    // of a page; 0 means 50, 200 is the most
}

func (f Filter) params() oas.ListCallsParams {
	p := oas.ListCallsParams{
		Outcome: optional(f.Outcome), Producer: optional(f.Producer), Profile: optional(f.Profile), KeySpace: optional(f.KeySpace),
		NotificationId: optional(f.NotificationID), RecipientId: optional(f.RecipientID), RecallId: optional(f.RecallID),
		ContactId: optional(f.ContactID), IdPrefix: optional(f.IDPrefix), Cursor: optional(f.Cursor), AcceptedAfter: moment(f.AcceptedAfter), AcceptedBefore: moment(f.AcceptedBefore),
	}
	for _, s := range f.States {
		p.State = append(p.State, oas.State(s))
	}
	if f.Limit > 0 {
		p.Limit = oas.NewOptInt(f.Limit)
	}
	return p
}

// search is a filter with a number.
func (f Filter) search() *oas.CallSearch {
	p := f.params()
	return &oas.CallSearch{
		Number: optional(f.Number), State: p.State, Outcome: p.Outcome, Producer: p.Producer, Profile: p.Profile, NotificationId: p.NotificationId,
		RecipientId: p.RecipientId, RecallId: p.RecallId, KeySpace: p.KeySpace, ContactId: p.ContactId, AcceptedAfter: p.AcceptedAfter,
		AcceptedBefore: p.AcceptedBefore, Limit: p.Limit, Cursor: p.Cursor,
	}
}

func moment(t time.Time) oas.OptDateTime {
	if t.IsZero() {
		return oas.OptDateTime{}
	}
	return oas.NewOptDateTime(t)
}

// List returns a page of calls, newest first.
func (c *Client) List(ctx context.Context, f Filter) (Page, error) {
	if f.Number != "" {
		answer, err := c.api.SearchCalls(ctx, f.search())
		return into[Page](answer, err)
	}
	answer, err := c.api.ListCalls(ctx, f.params())
	return into[Page](answer, err)
}

// Each visits all calls of a filter, newest first, until visit returns an error, which it then returns.
func (c *Client) Each(ctx context.Context, f Filter, visit func(Call) error) error {
	for {
		page, err := c.List(ctx, f)
		if err != nil {
			return err
		}
		for _, found := range page.Calls {
			if err := visit(found); err != nil {
				return err
			}
		}
		if f.Cursor = page.NextCursor; f.Cursor == "" {
			return nil
		}
	}
}

// Get returns everything that is known about one call.
func (c *Client) Get(ctx context.Context, id string) (Detail, error) {
	answer, err := c.api.GetCall(ctx, oas.GetCallParams{ID: id})
	return into[Detail](answer, err)
}

// Suppressed returns the deliveries that a call answered without dialing.
func (c *Client) Suppressed(ctx context.Context, id string) (Deliveries, error) {
	answer, err := c.api.ListSuppressed(ctx, oas.ListSuppressedParams{ID: id})
	return into[Deliveries](answer, err)
}

// Doubts returns a page of the calls that may have rung, newest first. Limit 0 means 50.
func (c *Client) Doubts(ctx context.Context, cursor string, limit int) (Page, error) {
	p := oas.ListDoubtsParams{Cursor: optional(cursor)}
	if limit > 0 {
		p.Limit = oas.NewOptInt(limit)
	}
	answer, err := c.api.ListDoubts(ctx, p)
	return into[Page](answer, err)
}

// Doubt returns what is known about one doubt, also one that was closed.
func (c *Client) Doubt(ctx context.Context, id string) (Doubt, error) {
	answer, err := c.api.GetDoubt(ctx, oas.GetDoubtParams{ID: id})
	return into[Doubt](answer, err)
}

// HeldFilter chooses held calls. Zero members do not restrict.
type HeldFilter struct {
	Reasons []string
	Profile string
	Limit   int  // 0 means 50, 5000 is the most
	Counts  bool // count by reason all that are held, also those behind the limit
	Cursor  string
}

// Held returns the calls that wait, the first due first.
func (c *Client) Held(ctx context.Context, f HeldFilter) (HeldPage, error) {
	p := oas.ListHeldParams{Reason: f.Reasons, Profile: optional(f.Profile), Cursor: optional(f.Cursor)}
	if f.Limit > 0 {
		p.Limit = oas.NewOptInt(f.Limit)
	}
	if f.Counts {
		p.Counts = oas.NewOptBool(true)
	}
	answer, err := c.api.ListHeld(ctx, p)
	return into[HeldPage](answer, err)
}

// Explain returns what would become of a request now. Nothing is dialed and nothing is written.
func (c *Client) Explain(ctx context.Context, r Request) (Explanation, error) {
	text, err := r.text()
	if err != nil {
		return Explanation{}, err
	}
	answer, err := c.api.Explain(ctx, oas.CallRequest(text))
	return into[Explanation](answer, err)
}

// Cancel withdraws the key of a call: nothing that was requested for it until now is dialed any more.
func (c *Client) Cancel(ctx context.Context, id string) (Acted, error) {
	answer, err := c.api.CancelCall(ctx, oas.CancelCallParams{ID: id})
	return into[Acted](answer, err)
}

// Acknowledge says that somebody knows: nothing rings for the key any more, nor for those on its escalation list.
func (c *Client) Acknowledge(ctx context.Context, id string) (Acted, error) {
	answer, err := c.api.AcknowledgeCall(ctx, oas.AcknowledgeCallParams{ID: id})
	return into[Acted](answer, err)
}

// Recall is a wish for a further ring.
type Recall struct {
	Reason                string    // required
	NotAfter              time.Time // zero means none
	AlthoughItMayHaveRung bool      // also when the call is in doubt
}

// Recall rings again. The id names the ring that its caller saw.
func (c *Client) Recall(ctx context.Context, id string, r Recall) (Acted, error) {
	wish := &oas.RecallWish{Reason: r.Reason, NotAfter: moment(r.NotAfter)}
	if r.AlthoughItMayHaveRung {
		wish.AlthoughItMayHaveRung = oas.NewOptBool(true)
	}
	answer, err := c.api.RecallCall(ctx, wish, oas.RecallCallParams{ID: id})
	return into[Acted](answer, err)
}

// CloseDoubt closes a doubt by the id of a contact that Amazon Connect has to confirm.
func (c *Client) CloseDoubt(ctx context.Context, id, contactID, reason string) (Acted, error) {
	answer, err := c.api.CloseDoubt(ctx, &oas.CloseWish{ContactId: optional(contactID), Reason: optional(reason)}, oas.CloseDoubtParams{ID: id})
	return into[Acted](answer, err)
}

// Note writes a note beside a doubt. It decides nothing.
func (c *Client) Note(ctx context.Context, id, note string) (Acted, error) {
	answer, err := c.api.CloseDoubt(ctx, &oas.CloseWish{Note: optional(note)}, oas.CloseDoubtParams{ID: id})
	return into[Acted](answer, err)
}

// Release lets a held call ring now.
func (c *Client) Release(ctx context.Context, id, reason string) (Acted, error) {
	answer, err := c.api.ReleaseHeld(ctx, &oas.Reason{Reason: reason}, oas.ReleaseHeldParams{ID: id})
	return into[Acted](answer, err)
}

// Drop withdraws a held call.
func (c *Client) Drop(ctx context.Context, id, reason string) (Acted, error) {
	answer, err := c.api.DropHeld(ctx, &oas.Reason{Reason: reason}, oas.DropHeldParams{ID: id})
	return into[Acted](answer, err)
}
