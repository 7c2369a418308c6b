package httpapi

import (
	"context"
	"encoding/base64"
	"net/http"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/httpapi/oas"
	"github.com/ringonce/ringonce/internal/rules"
)

func errNoCells() error {
	return refuse(http.StatusServiceUnavailable, "no_cells", "This ledger keeps no pauses and no do-not-call list.", "Use a ledger that does (docs/configuration.md).")
}

// listFor reads a phone number of a body, and the list that it may be on.
func (a *api) listFor(given string) (call.Phone, *rules.DoNotCall, error) {
	if a.Cells == nil {
		return call.Phone{}, nil, errNoCells()
	}
	phone, err := call.ParsePhone(given)
	return phone, rules.NewDoNotCall(a.Cells, a.CellNames), err
}

// listed answers with what the list says about a number now.
func (a *api) listed(ctx context.Context, list *rules.DoNotCall, number call.Phone, changed bool, err error) (*oas.DoNotCallEntry, error) {
	if err != nil {
		return nil, err
	}
	e, on, err := list.Check(ctx, number)
	if err != nil {
		return nil, err
	}
	e.Number = number.String()
	shown := entryOf(e, on)
	shown.Changed = flag(changed)
	return &shown, nil
}

func entryOf(e rules.DoNotCallEntry, on bool) oas.DoNotCallEntry {
	shown := oas.DoNotCallEntry{Number: e.Number, Listed: on, Reason: text(e.Reason), Source: text(e.Source), By: text(e.By), At: instant(e.At)}
	if r := e.Removed; r != nil {
		shown.Removed = oas.NewOptDoNotCallEntryRemoved(oas.DoNotCallEntryRemoved{Reason: r.Reason, By: text(r.By), At: r.At.UTC()})
	}
	return shown
}

// AddDoNotCall implements oas.Handler.
func (a *api) AddDoNotCall(ctx context.Context, req *oas.DoNotCallWish) (*oas.DoNotCallEntry, error) {
	number, list, err := a.listFor(req.Number)
	fresh := false
	if err == nil {
		fresh, err = list.Add(ctx, number, rules.DoNotCallEntry{
			Reason: req.Reason, Source: req.Source.Or("operator"), By: askedOf(ctx).who.Name, At: a.Clock.Now(),
		})
	}
	a.auditAct(ctx, Act{Number: number, Reason: req.Reason}, err)
	return a.listed(ctx, list, number, fresh, err)
}

// RemoveDoNotCall implements oas.Handler.
func (a *api) RemoveDoNotCall(ctx context.Context, req *oas.DoNotCallWish) (*oas.DoNotCallEntry, error) {
	number, list, err := a.listFor(req.Number)
	removed := false
	if err == nil {
		removed, err = list.Remove(ctx, number, rules.Removal{Reason: req.Reason, By: askedOf(ctx).who.Name, At: a.Clock.Now()})
	}
	a.auditAct(ctx, Act{Number: number, Reason: req.Reason}, err)
	return a.listed(ctx, list, number, removed, err)
}

// CheckDoNotCall implements oas.Handler.
func (a *api) CheckDoNotCall(ctx context.Context, req *oas.NumberAsked) (*oas.DoNotCallEntry, error) {
	number, list, err := a.listFor(req.Number)
	return a.listed(ctx, list, number, false, err)
}

// ListDoNotCall implements oas.Handler.
func (a *api) ListDoNotCall(ctx context.Context, p oas.ListDoNotCallParams) (*oas.DoNotCallPage, error) {
	if a.Cells == nil {
		return nil, errNoCells()
	}
	after, err := base64.RawURLEncoding.DecodeString(p.Cursor.Value)
	if err != nil || call.CheckCellPart(string(after)) != nil {
		return nil, errCursor()
	}
	entries, next, err := rules.NewDoNotCall(a.Cells, a.CellNames).List(ctx, string(after), p.Limit.Or(defaultLimit))
	if err != nil {
		return nil, err
	}
	page := &oas.DoNotCallPage{Entries: []oas.DoNotCallEntry{}, NextCursor: text(base64.RawURLEncoding.EncodeToString([]byte(next)))}
	for _, e := range entries {
		if e.Removed == nil || p.Removed.Value {
			page.Entries = append(page.Entries, entryOf(e, e.Removed == nil))
		}
	}
	return page, nil
}
