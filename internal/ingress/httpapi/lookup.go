package httpapi

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/httpapi/oas"
)

// mostFetched is how many calls are read one by one instead of looking through the list.
const mostFetched = 1_000

// named returns the ids of all calls among which those of a list are, where an index knows them by the beginning of their id or by their recipient. known is false
// where none does, and where they are too many: then the list is looked through.
func (a *api) named(ctx context.Context, who access.Principal, p oas.ListCallsParams) (ids []string, known bool, err error) {
	if beginnings, ok := a.Index.(call.Beginnings); ok && p.IdPrefix.Set {
		ids, err = beginnings.ByBeginning(ctx, p.IdPrefix.Value, mostFetched+1)
		return ids, err == nil && len(ids) <= mostFetched, err
	}
	if !p.RecipientId.Set {
		return nil, false, nil
	}
	var spaces []string // the unnamed one too, which no index of key spaces has
	switch {
	case p.KeySpace.Set:
		spaces = []string{p.KeySpace.Value}
	case who.Kind == access.Producer:
		spaces = slices.Compact(slices.Sorted(slices.Values(append([]string{who.KeySpace}, who.Reads...))))
	default: // an operator asks for any, and nobody knows which there are
		return nil, false, nil
	}
	for _, space := range spaces {
		found, err := a.Index.ByRecipient(ctx, a.Engine.Naming.Recipient(space, p.RecipientId.Value), mostFetched+1)
		if err != nil {
			return nil, false, err
		}
		if ids = append(ids, found...); len(ids) > mostFetched {
			return nil, false, nil
		}
	}
	return ids, true, nil
}

// fetched lists the calls of these ids that the asker may see and asks for, newest first, behind a cursor. A cursor is the same here as where the list is looked
// through, since the calls may grow to be too many between two pages.
func (a *api) fetched(ctx context.Context, ids []string, at mark, l listing) (*oas.CallPage, error) {
	who := askedOf(ctx).who
	var rows []call.Call
	for _, id := range ids {
		row, err := a.Ledger.Get(ctx, id)
		if errors.Is(err, call.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if who.Sees(row.Key.KeySpace) {
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, func(a, b call.Call) int {
		return cmp.Or(b.AcceptedAt.Compare(a.AcceptedAt), strings.Compare(a.ID, b.ID))
	})
	rest, _ := at.rest(rows)
	page := &oas.CallPage{Calls: []oas.Call{}}
	for i, row := range rest {
		if !l.shows(row) {
			continue
		}
		shown, err := a.view(ctx, row)
		if err != nil {
			return nil, err
		}
		if page.Calls = append(page.Calls, shown); len(page.Calls) == l.limit && i < len(rest)-1 {
			return a.goesOn(ctx, page, mark{After: row.ID, At: row.AcceptedAt.UnixNano()})
		}
	}
	return page, nil
}
