package httpapi

import (
	"context"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/httpapi/oas"
)

// ListSuppressed implements oas.Handler.
func (a *api) ListSuppressed(ctx context.Context, p oas.ListSuppressedParams) (*oas.Suppressed, error) {
	row, err := a.seen(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	notes, err := a.Journal.Notes(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	s := &oas.Suppressed{Count: notes.Suppressed, Kept: []oas.SuppressedKeptItem{}}
	for _, n := range notes.Kept {
		item := oas.SuppressedKeptItem{At: n.At.UTC(), Kind: string(n.Kind), Reason: n.Reason}
		if n.Delivery != nil {
			item.Source, item.Delivery = text(string(n.Delivery.Source)), text(n.Delivery.ID)
		}
		s.Kept = append(s.Kept, item)
	}
	return s, nil
}

// mostNotePages bounds how many pages of notes one request reads, each of some hundred that are looked through; nextCursor goes on after them.
const mostNotePages = 25

// ListAllSuppressed implements oas.Handler.
func (a *api) ListAllSuppressed(ctx context.Context, p oas.ListAllSuppressedParams) (*oas.SuppressedPage, error) {
	page := &oas.SuppressedPage{Deliveries: []oas.SuppressedDelivery{}}
	who := askedOf(ctx).who
	if p.KeySpace.Set && !who.Sees(p.KeySpace.Value) || !isText(p.KeySpace.Value) { // how long it looks, and a cursor, would tell of a key space
		return page, nil
	}
	at, err := a.markOf(ctx, p.Cursor.Value)
	if err != nil {
		return nil, err
	}
	limit := p.Limit.Or(defaultLimit)
	f := call.NoteFilter{
		KeySpaces: spacesOf(who, p.KeySpace), Since: p.Since.Value, Until: p.Until.Value, Cursor: at.Page,
		Keep: func(n call.RowNote) bool { return who.Sees(n.Row.Key.KeySpace) && a.suppressedBy(n.Row, p) },
	}
	for _, kind := range p.Kind {
		f.Kinds = append(f.Kinds, call.NoteKind(kind))
	}
	for pages := 1; ; pages++ {
		f.Limit = limit - len(page.Deliveries)
		notes, next, err := a.Journal.ListNotes(ctx, f)
		if err != nil {
			if p.Cursor.Value != "" && pages == 1 && call.CodeOf(err) == call.CodeFieldValue {
				return nil, errCursor()
			}
			return nil, err
		}
		for _, n := range notes {
			page.Deliveries = append(page.Deliveries, suppressedOf(n))
		}
		if next == "" {
			return page, nil
		}
		full := len(page.Deliveries) >= limit
		if f.Cursor = next; !full && pages < mostNotePages {
			continue
		}
		if full {
			if follows, err := a.noteFollows(ctx, f, mostNotePages-pages); err != nil || !follows {
				return page, err
			}
		}
		cursor, err := a.cursorOf(ctx, mark{Page: next})
		page.NextCursor = text(cursor)
		return page, err
	}
}

// noteFollows reports whether one more of the chosen notes follows a full page, as far as so many pages tell: a cursor that only foreign notes follow would say that there
// are some.
func (a *api) noteFollows(ctx context.Context, f call.NoteFilter, pages int) (bool, error) {
	f.Limit = 1
	for range pages {
		notes, next, err := a.Journal.ListNotes(ctx, f)
		if err != nil || len(notes) > 0 || next == "" {
			return len(notes) > 0, err
		}
		f.Cursor = next
	}
	return true, nil // nobody knows
}

// suppressedBy reports whether a call is one whose deliveries are asked for.
func (a *api) suppressedBy(c call.Call, p oas.ListAllSuppressedParams) bool {
	return (!p.KeySpace.Set || p.KeySpace.Value == c.Key.KeySpace) && (!p.Profile.Set || p.Profile.Value == a.profileOf(c)) &&
		(!p.Producer.Set || p.Producer.Value == c.Producer || p.Producer.Value == access.SenderName(c.Producer))
}

func suppressedOf(n call.RowNote) oas.SuppressedDelivery {
	c := n.Row
	d := oas.SuppressedDelivery{
		CallId: c.ID, NotificationId: c.Key.NotificationID, RecipientId: c.Key.RecipientID, KeySpace: text(c.Key.KeySpace), Ring: c.Ring, State: oas.State(c.State),
		At: n.Note.At.UTC(), Kind: string(n.Note.Kind), Reason: n.Note.Reason,
	}
	if n.Note.Delivery != nil {
		d.Source, d.Delivery = text(string(n.Note.Delivery.Source)), text(n.Note.Delivery.ID)
	}
	return d
}
