package cli

import (
	"context"
	"slices"

	"github.com/ringonce/ringonce/client"
	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// beside lists what an open ledger keeps.
func (x *suppressedCommand) beside(ctx context.Context, a *app.App, which client.SuppressedFilter) (lines []suppressedLine, more bool, err error) {
	f := call.NoteFilter{Since: which.Since, Until: which.Until, Limit: x.Limit + 1, Keep: func(n call.RowNote) bool { return suppressedBy(a, which, n.Row) }}
	if which.KeySpace != "" {
		f.KeySpaces = call.InSpaces(which.KeySpace)
	}
	for _, kind := range which.Kinds {
		f.Kinds = append(f.Kinds, call.NoteKind(kind))
	}
	var found []call.RowNote
	if x.ID != "" {
		found, err = ofOneCall(ctx, a, x.ID, f)
	} else {
		found, err = notesOf(ctx, a, f)
	}
	for _, n := range found[:min(len(found), x.Limit)] {
		lines = append(lines, suppressedHere(n))
	}
	return lines, len(found) > x.Limit, err
}

// notesOf reads the list up to the limit of the filter.
func notesOf(ctx context.Context, a *app.App, f call.NoteFilter) (found []call.RowNote, err error) {
	for most := f.Limit; ; {
		f.Limit = min(most-len(found), listPage)
		page, next, err := a.Store.Journal.ListNotes(ctx, f)
		if err != nil {
			return nil, err
		}
		if found = append(found, page...); next == "" || len(found) >= most {
			return found, nil
		}
		f.Cursor = next
	}
}

// ofOneCall reads what is kept beside one call, newest first.
func ofOneCall(ctx context.Context, a *app.App, text string, f call.NoteFilter) (found []call.RowNote, err error) {
	id, err := resolve(ctx, a, text)
	if err != nil {
		return nil, err
	}
	row, err := get(ctx, a, id)
	if err != nil {
		return nil, err
	}
	notes, err := a.Store.Journal.Notes(ctx, id)
	for _, n := range slices.Backward(notes.Kept) {
		if n := (call.RowNote{Note: n, Row: row}); f.Has(n) {
			found = append(found, n)
		}
	}
	return found, err
}

// suppressedBy reports whether a call is one whose deliveries are asked for, as the service decides it.
func suppressedBy(a *app.App, f client.SuppressedFilter, row call.Call) bool {
	return (f.Producer == "" || f.Producer == row.Producer || f.Producer == access.SenderName(row.Producer)) && (f.Profile == "" || f.Profile == profileName(a, row)) &&
		(f.KeySpace == "" || f.KeySpace == row.Key.KeySpace)
}

func suppressedHere(n call.RowNote) suppressedLine {
	l := suppressedLine{
		CallID: n.Row.ID, NotificationID: n.Row.Key.NotificationID, RecipientID: n.Row.Key.RecipientID, KeySpace: n.Row.Key.KeySpace, Ring: n.Row.Ring, State: n.Row.State,
		At: n.Note.At.UTC(), Kind: n.Note.Kind, Reason: n.Note.Reason,
	}
	if n.Note.Delivery != nil {
		l.Source, l.Delivery = n.Note.Delivery.Source, n.Note.Delivery.ID
	}
	return l
}
