package httpapi

import (
	"context"
	"errors"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/httpapi/oas"
)

// farAhead lies behind every due time.
const farAhead = 100 * 365 * 24 * time.Hour

// ListHeld implements oas.Handler. It walks the calls with a due time, which the ledger keeps in its order, and looks through no more than
// mostLooked of them.
func (a *api) ListHeld(ctx context.Context, p oas.ListHeldParams) (*oas.HeldPage, error) {
	who := askedOf(ctx).who
	limit := p.Limit.Or(defaultLimit)
	ids, err := a.Ledger.Due(ctx, a.Clock.Now().Add(farAhead), mostLooked+1)
	if err != nil {
		return nil, err
	}
	page := &oas.HeldPage{Calls: []oas.Held{}, More: len(ids) > mostLooked}
	for _, id := range ids[:min(mostLooked, len(ids))] {
		row, err := a.Ledger.Get(ctx, id)
		if errors.Is(err, call.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if row.State != call.Received || !who.Sees(row.Key.KeySpace) || p.Reason.Set && p.Reason.Value != holdReason(row) {
			continue
		}
		if len(page.Calls) == limit {
			page.More = true
			break
		}
		shown, err := a.view(ctx, row)
		if err != nil {
			return nil, err
		}
		page.Calls = append(page.Calls, oas.Held{
			Call: shown, Reason: holdReason(row), Due: row.DueAt().UTC(), NotAfter: instant(row.NotAfter), Parked: row.Parked(),
		})
	}
	return page, nil
}

// ReleaseHeld implements oas.Handler.
func (a *api) ReleaseHeld(ctx context.Context, req *oas.Reason, p oas.ReleaseHeldParams) (*oas.Acted, error) {
	row, err := a.touched(ctx, p.ID)
	if err == nil {
		row, err = rowOf(a.Engine.Release(ctx, row.ID, askedOf(ctx).who.Name, req.Reason))
	}
	return a.acted(ctx, p.ID, req.Reason, row, err)
}

// DropHeld implements oas.Handler.
func (a *api) DropHeld(ctx context.Context, req *oas.Reason, p oas.DropHeldParams) (*oas.Acted, error) {
	row, err := a.touched(ctx, p.ID)
	if err == nil {
		row, err = a.Engine.Drop(ctx, row.ID, askedOf(ctx).who.Name, req.Reason)
	}
	return a.acted(ctx, p.ID, req.Reason, row, err)
}
