package httpapi

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/httpapi/oas"
	"github.com/ringonce/ringonce/internal/twoperson"
)

// brief is an order without its calls.
func (a *api) brief(o twoperson.Order) oas.Order {
	state := o.StateAt(a.Clock.Now())
	shown := oas.Order{
		ID: o.ID, Action: text(o.Action), State: oas.NewOptOrderState(oas.OrderState(state)), Reason: o.Reason, By: o.By, At: instant(o.At), Second: text(o.Second), DecidedAt: instant(o.Decided),
		Refusal: text(o.Why), NotAfter: instant(o.NotAfter), Count: len(o.Calls), InDoubt: o.InDoubt, Excluded: excludedOf(o.Excluded),
	}
	switch state { //nolint:exhaustive // the others add nothing
	case twoperson.Pending:
		shown.Digest, shown.ExpiresAt = text(o.Digest()), instant(o.Ends())
	case twoperson.Done:
		made := 0
		for _, result := range o.Results {
			if slices.Contains([]string{resultRecalled, resultReleased, resultDropped}, result) {
				made++
			}
		}
		shown.Done = oas.NewOptInt(made)
		if o.Action == opRecall {
			shown.Recalled = shown.Done
		}
	}
	return shown
}

// whole is an order with its calls and, of those that were made, the re-calls as they are now.
func (a *api) whole(ctx context.Context, o twoperson.Order) (*oas.Order, error) {
	shown := a.brief(o)
	shown.Calls = make([]oas.OrderedCall, 0, len(o.Calls))
	for i, id := range o.Calls {
		c, err := a.orderedCall(ctx, o, i, id)
		if err != nil {
			return nil, err
		}
		shown.Calls = append(shown.Calls, c)
	}
	return &shown, nil
}

func (a *api) orderedCall(ctx context.Context, o twoperson.Order, i int, id string) (oas.OrderedCall, error) {
	c := oas.OrderedCall{CallId: id, Result: resultWaiting}
	if o.State == twoperson.Done && i < len(o.Results) {
		c.Result = o.Results[i]
	}
	row, err := a.Ledger.Get(ctx, id)
	if errors.Is(err, call.ErrNotFound) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	was, err := a.view(ctx, row)
	if err != nil {
		return c, err
	}
	if c.Call = oas.NewOptCall(was); o.Action != opRecall {
		return c, nil
	}
	k := a.recallKey(o, row)
	c.RecallId = text(k.RecallID)
	if o.State != twoperson.Confirmed && c.Result != resultRecalled {
		return c, nil
	}
	made, err := a.Ledger.Get(ctx, a.Engine.Naming.Row(k, 0))
	if errors.Is(err, call.ErrNotFound) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	again, err := a.view(ctx, made)
	c.Recall = oas.NewOptCall(again)
	return c, err
}

func excludedOf(counts map[string]int) (items []oas.OrderExcludedItem) {
	for _, code := range slices.Sorted(maps.Keys(counts)) {
		items = append(items, oas.OrderExcludedItem{Code: code, Count: counts[code]})
	}
	return items
}

// counted names in words what was left out.
func counted(excluded map[string]int) string {
	var parts []string
	for _, code := range slices.Sorted(maps.Keys(excluded)) {
		parts = append(parts, fmt.Sprintf("%d %s", excluded[code], code))
	}
	if len(parts) == 0 {
		return ""
	}
	return ", and these are left out: " + strings.Join(parts, ", ")
}
