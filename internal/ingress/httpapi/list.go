package httpapi

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/httpapi/oas"
)

// The bounds of a list.
const (
	indexPage  = 200   // rows that are read from the index at once
	mostLooked = 5_000 // rows that one request looks through; nextCursor goes on after them
)

// ListCalls implements oas.Handler.
func (a *api) ListCalls(ctx context.Context, p oas.ListCallsParams) (*oas.CallPage, error) {
	return a.listing(ctx, p, func(call.Call) bool { return true })
}

// listing lists the calls that match the parameters and one thing more.
func (a *api) listing(ctx context.Context, p oas.ListCallsParams, also func(call.Call) bool) (*oas.CallPage, error) {
	who := askedOf(ctx).who
	// Before the index: how long it looks, and its cursor, would tell how many calls are in a key space; and it may fail on what no call has.
	if p.KeySpace.Set && !who.Sees(p.KeySpace.Value) || !isText(p.KeySpace.Value) || !isText(p.ContactId.Value) {
		return &oas.CallPage{Calls: []oas.Call{}}, nil
	}
	states := make([]call.State, len(p.State))
	for i, s := range p.State {
		states[i] = call.State(s)
	}
	l := listing{
		limit: p.Limit.Or(defaultLimit), states: states, keySpaces: spacesOf(who, p.KeySpace), since: p.AcceptedAfter.Value,
		keep: func(c call.Call) bool { return a.matches(c, p) && also(c) },
	}
	if p.ContactId.Set {
		return a.byContact(ctx, p.ContactId.Value, l)
	}
	at, err := a.markOf(ctx, p.Cursor.Value)
	if err != nil {
		return nil, err
	}
	if at.Page == "" { // a cursor that names a page of the index goes on in the index
		if ids, known, err := a.named(ctx, who, p); known || err != nil {
			if err != nil {
				return nil, err
			}
			return a.fetched(ctx, ids, at, l)
		}
	}
	return a.list(ctx, p.Cursor.Value, l)
}

// SearchCalls implements oas.Handler: the list of calls by a number, which comes in the body because URLs are logged on their way.
func (a *api) SearchCalls(ctx context.Context, q *oas.CallSearch) (*oas.CallPage, error) {
	p := oas.ListCallsParams{
		State: q.State, Outcome: q.Outcome, Producer: q.Producer, Profile: q.Profile, NotificationId: q.NotificationId, RecipientId: q.RecipientId,
		RecallId: q.RecallId, KeySpace: q.KeySpace, ContactId: q.ContactId, AcceptedAfter: q.AcceptedAfter, AcceptedBefore: q.AcceptedBefore,
		Limit: q.Limit, Cursor: q.Cursor,
	}
	if !q.Number.Set {
		return a.ListCalls(ctx, p)
	}
	number, err := call.ParsePhone(q.Number.Value)
	if err != nil {
		return nil, err
	}
	page, err := a.listing(ctx, p, func(c call.Call) bool { return c.Destination == number.Wire() })
	if err == nil {
		page.Number, page.NumberHash = text(number.String()), text(a.CellNames.OfNumber(number))
	}
	return page, err
}

// defaultLimit is of a page.
const defaultLimit = 50

// listing chooses what a list shows beside what its asker may see.
type listing struct {
	limit  int
	states []call.State
	keep   func(c call.Call) bool
	since  time.Time // calls that were accepted well before it end the list; zero means none does

	keySpaces []string // in which all calls are that may be shown; nil where no index can find them
}

// spacesOf returns the key spaces in which all calls are that the asker asks for and may see, for an index that knows key spaces; nil where they may
// be in any, or in the unnamed one. A key space that the asker does not see is none to ask an index for.
func spacesOf(who access.Principal, wanted oas.OptString) []string {
	switch {
	case wanted.Set:
		return call.InSpaces(wanted.Value)
	case who.Kind == access.Producer && !who.May(access.RoleRead):
		return call.InSpaces(append([]string{who.KeySpace}, who.Reads...)...)
	}
	return nil
}

func (l listing) shows(c call.Call) bool {
	return (len(l.states) == 0 || slices.Contains(l.states, c.State)) && l.keep(c)
}

// matches reports whether a call is what the parameters ask for, beside its state.
func (a *api) matches(c call.Call, p oas.ListCallsParams) bool {
	for _, f := range []struct {
		want oas.OptString
		is   string
	}{
		{p.Outcome, string(c.Outcome)},
		{p.NotificationId, c.Key.NotificationID},
		{p.RecipientId, c.Key.RecipientID},
		{p.RecallId, c.Key.RecallID},
		{p.KeySpace, c.Key.KeySpace},
		{p.ContactId, c.ContactID},
	} {
		if f.want.Set && f.want.Value != f.is {
			return false
		}
	}
	if !strings.HasPrefix(c.ID, p.IdPrefix.Value) {
		return false
	}
	if p.Producer.Set && p.Producer.Value != c.Producer && p.Producer.Value != access.SenderName(c.Producer) {
		return false
	}
	return (!p.Profile.Set || p.Profile.Value == a.profileOf(c)) &&
		within(c.AcceptedAt, p.AcceptedAfter, p.AcceptedBefore)
}

func within(at time.Time, from, before oas.OptDateTime) bool {
	return (!from.Set || !at.Before(from.Value)) && (!before.Set || at.Before(before.Value))
}

func (a *api) byContact(ctx context.Context, contactID string, l listing) (*oas.CallPage, error) {
	page := &oas.CallPage{Calls: []oas.Call{}}
	id, err := a.Index.ByContact(ctx, contactID)
	if errors.Is(err, call.ErrNotFound) {
		return page, nil
	}
	if err != nil {
		return nil, err
	}
	row, err := a.seen(ctx, id)
	if _, unknown := errors.AsType[*refusal](err); unknown {
		return page, nil
	}
	if err != nil || !l.shows(row) {
		return page, err
	}
	shown, err := a.view(ctx, row)
	page.Calls = append(page.Calls, shown)
	return page, err
}

// list looks through the index, newest first, for what the asker may see and asks for. It stops at the limit, or after so many rows that the
// request would last: the cursor then goes on there.
func (a *api) list(ctx context.Context, cursor string, l listing) (*oas.CallPage, error) {
	at, err := a.markOf(ctx, cursor)
	if err != nil {
		return nil, err
	}
	who := askedOf(ctx).who
	page := &oas.CallPage{Calls: []oas.Call{}}
	for looked := 0; ; {
		rows, next, err := a.Index.List(ctx, call.Filter{States: l.states, KeySpaces: l.keySpaces, Limit: indexPage, Cursor: at.Page})
		if err != nil {
			if cursor != "" && looked == 0 && call.CodeOf(err) == call.CodeFieldValue {
				return nil, errCursor()
			}
			return nil, err
		}
		looked += indexPage // also where the index looked through as many and kept few
		rows, over := l.seenBy(who, rows)
		if over {
			next = ""
		}
		rest, reached := at.rest(rows)
		for i, row := range rest {
			at.After, at.At = row.ID, row.AcceptedAt.UnixNano()
			if !l.shows(row) {
				continue
			}
			shown, err := a.view(ctx, row)
			if err != nil {
				return nil, err
			}
			if page.Calls = append(page.Calls, shown); len(page.Calls) == l.limit {
				if next == "" && i == len(rest)-1 {
					return page, nil
				}
				return a.goesOn(ctx, page, at)
			}
		}
		if next == "" {
			return page, nil
		}
		if at.Page = next; reached {
			at.After, at.At = "", 0
		}
		if looked >= mostLooked {
			return a.goesOn(ctx, page, at)
		}
	}
}

// seenBy returns the rows that the asker sees, up to where the list ends because the rest is older still.
func (l listing) seenBy(who access.Principal, rows []call.Call) (seen []call.Call, over bool) {
	for _, row := range rows {
		if !l.since.IsZero() && row.AcceptedAt.Before(l.since.Add(-clockSlack)) {
			return seen, true
		}
		if who.Sees(row.Key.KeySpace) {
			seen = append(seen, row)
		}
	}
	return seen, false
}

func (a *api) goesOn(ctx context.Context, page *oas.CallPage, at mark) (*oas.CallPage, error) {
	cursor, err := a.cursorOf(ctx, at)
	page.NextCursor = text(cursor)
	return page, err
}
