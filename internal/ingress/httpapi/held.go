package httpapi

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/httpapi/oas"
)

// farAhead lies behind every due time.
const farAhead = 100 * 365 * 24 * time.Hour

// ListHeld implements oas.Handler. It walks the calls with a due time, which the ledger keeps in its order, and looks through no more than mostLooked of them: until
// the page is full, or, when it counts, all. nextCursor goes on behind the last one that it shows or looks at.
func (a *api) ListHeld(ctx context.Context, p oas.ListHeldParams) (*oas.HeldPage, error) {
	at, err := a.heldMarkOf(ctx, p.Cursor.Value)
	if err != nil {
		return nil, err
	}
	page := &oas.HeldPage{Calls: []oas.Held{}}
	counts := map[string]oas.HeldPageCountsItem{}
	if err := a.lookForHeld(ctx, p, &at, page, counts); err != nil {
		return nil, err
	}
	if p.Counts.Value {
		page.Counts = slices.SortedFunc(maps.Values(counts), func(a, b oas.HeldPageCountsItem) int {
			return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Reason, b.Reason))
		})
	}
	if page.More {
		cursor, err := a.sealedCursor(ctx, at)
		if err != nil {
			return nil, err
		}
		page.NextCursor = text(cursor)
	}
	return page, nil
}

// lookForHeld fills a page and moves the mark behind what it shows. It looks at one call more than it shows, so that it knows whether there are more.
func (a *api) lookForHeld(ctx context.Context, p oas.ListHeldParams, at *heldMark, page *oas.HeldPage, counts map[string]oas.HeldPageCountsItem) error {
	limit := p.Limit.Or(defaultLimit)
	walk := &dueWalk{index: a.Index, place: at.Behind, size: min(limit+1, mostDueRead)}
	full := false
	for looked := 0; ; looked++ {
		due, found, err := walk.next(ctx)
		if err != nil || !found {
			return err
		}
		if looked == mostLooked {
			page.More, page.OnlyLookedAt = true, oas.NewOptInt(mostLooked)
			return nil
		}
		row, err := a.Ledger.Get(ctx, due.ID)
		if err != nil && !errors.Is(err, call.ErrNotFound) {
			return err
		}
		if err == nil && a.holds(ctx, row, p) {
			count(counts, row)
			if full = len(page.Calls) == limit; full {
				if page.More = true; !p.Counts.Value {
					return nil
				}
				continue
			}
			shown, err := a.heldOf(ctx, row)
			if err != nil {
				return err
			}
			page.Calls = append(page.Calls, shown)
		}
		if !full {
			at.Behind = due.Place
		}
	}
}

// holds reports whether a call waits for its dial, the asker may see it, and the parameters ask for it.
func (a *api) holds(ctx context.Context, row call.Call, p oas.ListHeldParams) bool {
	return row.State == call.Received && askedOf(ctx).who.Sees(row.Key.KeySpace) && (len(p.Reason) == 0 || slices.Contains(p.Reason, holdReason(row))) &&
		(!p.Profile.Set || p.Profile.Value == a.profileOf(row))
}

// count counts a held call under its reason. They come in the order of their due times.
func count(counts map[string]oas.HeldPageCountsItem, row call.Call) {
	reason := holdReason(row)
	c, known := counts[reason]
	if !known {
		c = oas.HeldPageCountsItem{Reason: reason, FirstDue: row.Due.UTC()}
	}
	c.Calls++
	counts[reason] = c
}

func (a *api) heldOf(ctx context.Context, row call.Call) (oas.Held, error) {
	shown, err := a.view(ctx, row)
	return oas.Held{
		Call: shown, Reason: holdReason(row), Due: row.DueAt().UTC(), NotAfter: instant(row.NotAfter), Parked: row.Parked(), Urgent: flag(row.Urgent),
		ReleasedBy: text(row.Released),
	}, err
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
