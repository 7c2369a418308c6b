package client

import (
	"context"
	"time"

	"github.com/ringonce/ringonce/internal/ingress/httpapi/oas"
)

// Number is what the do-not-call list says about a number.
type Number struct {
	Number  string    `json:"number"` // masked
	Listed  bool      `json:"listed"`
	Changed bool      `json:"changed"` // by this request
	Reason  string    `json:"reason"`
	Source  string    `json:"source"`
	By      string    `json:"by"`
	At      time.Time `json:"at"`
	Removed *Removal  `json:"removed"` // nil when it was not taken off
}

// Removal is that and why a number was taken off the do-not-call list.
type Removal struct {
	Reason string    `json:"reason"`
	By     string    `json:"by"`
	At     time.Time `json:"at"`
}

// AddDoNotCall puts a number on the do-not-call list. An empty source means operator.
func (c *Client) AddDoNotCall(ctx context.Context, number, reason, source string) (Number, error) {
	answer, err := c.api.AddDoNotCall(ctx, &oas.DoNotCallWish{Number: number, Reason: reason, Source: optional(source)})
	return into[Number](answer, err)
}

// RemoveDoNotCall takes a number off the do-not-call list.
func (c *Client) RemoveDoNotCall(ctx context.Context, number, reason string) (Number, error) {
	answer, err := c.api.RemoveDoNotCall(ctx, &oas.DoNotCallWish{Number: number, Reason: reason})
	return into[Number](answer, err)
}

// CheckDoNotCall asks whether a number is on the do-not-call list.
func (c *Client) CheckDoNotCall(ctx context.Context, number string) (Number, error) {
	answer, err := c.api.CheckDoNotCall(ctx, &oas.NumberAsked{Number: number})
	return into[Number](answer, err)
}

// DoNotCallFilter chooses entries of the do-not-call list.
type DoNotCallFilter struct {
	Removed bool // also numbers that were taken off
	Cursor  string
	Limit   int // of a page; 0 means 50, 200 is the most
}

// DoNotCall returns a page of the do-not-call list, and the cursor of the next one, empty at the end.
func (c *Client) DoNotCall(ctx context.Context, f DoNotCallFilter) (entries []Number, next string, err error) {
	p := oas.ListDoNotCallParams{Cursor: optional(f.Cursor)}
	if f.Removed {
		p.Removed = oas.NewOptBool(true)
	}
	if f.Limit > 0 {
		p.Limit = oas.NewOptInt(f.Limit)
	}
	answer, err := c.api.ListDoNotCall(ctx, p)
	page, err := into[struct {
		Entries    []Number
		NextCursor string
	}](answer, err)
	return page.Entries, page.NextCursor, err
}

// Pause is what is paused.
type Pause struct {
	Target  string    `json:"target"` // all, profile, producer or prefix
	Name    string    `json:"name"`
	Paused  bool      `json:"paused"`
	Changed bool      `json:"changed"` // by this request
	By      string    `json:"by"`
	At      time.Time `json:"at"`
	Reason  string    `json:"reason"`
}

// Pauses lists what is paused.
func (c *Client) Pauses(ctx context.Context) ([]Pause, error) {
	answer, err := c.api.ListPauses(ctx)
	list, err := into[struct{ Pauses []Pause }](answer, err)
	return list.Pauses, err
}

// Pause holds calls until somebody resumes them. The name is empty for the target all.
func (c *Client) Pause(ctx context.Context, target, name, reason string) (Pause, error) {
	answer, err := c.api.Pause(ctx, &oas.PauseWish{Target: oas.PauseTarget(target), Name: optional(name), Reason: reason})
	return into[Pause](answer, err)
}

// Resume lets paused calls go on.
func (c *Client) Resume(ctx context.Context, target, name, reason string) (Pause, error) {
	answer, err := c.api.Resume(ctx, &oas.PauseWish{Target: oas.PauseTarget(target), Name: optional(name), Reason: reason})
	return into[Pause](answer, err)
}
