package broken

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/ledgertest"
)

func noteListDefects() []Defect {
	of := func(name string, list func(l ledgertest.Ledger, ctx context.Context, f call.NoteFilter) ([]call.RowNote, string, error)) Defect {
		return Defect{Name: name, Suite: "NoteList", wrap: func(l ledgertest.Ledger, _ *memo) ledgertest.Ledger { return &listsNotes{l, list} }}
	}
	sound := ledgertest.Ledger.ListNotes
	return []Defect{
		of("notes come oldest first", func(l ledgertest.Ledger, ctx context.Context, f call.NoteFilter) ([]call.RowNote, string, error) {
			page, next, err := sound(l, ctx, f)
			slices.Reverse(page)
			return page, next, err
		}),
		of("notes come by their rows where they lie in the order of time", func(l ledgertest.Ledger, ctx context.Context, f call.NoteFilter) ([]call.RowNote, string, error) {
			page, next, err := sound(l, ctx, f)
			slices.SortStableFunc(page, func(a, b call.RowNote) int { return strings.Compare(b.Row.ID, a.Row.ID) })
			return page, next, err
		}),
		of("a page of notes begins where the page before ended", func(l ledgertest.Ledger, ctx context.Context, f call.NoteFilter) ([]call.RowNote, string, error) {
			page, next, err := sound(l, ctx, f)
			if f.Cursor != "" && len(page) > 0 {
				page = page[1:]
			}
			return page, next, err
		}),
		of("a list of notes ends where so many were looked through", func(l ledgertest.Ledger, ctx context.Context, f call.NoteFilter) ([]call.RowNote, string, error) {
			if len(f.KeySpaces) == 0 {
				return sound(l, ctx, f)
			}
			page, _, err := sound(l, ctx, call.NoteFilter{Limit: 200})
			return slices.DeleteFunc(page, func(n call.RowNote) bool { return !f.Has(n) }), "", err
		}),
		of("notes of all kinds are listed", func(l ledgertest.Ledger, ctx context.Context, f call.NoteFilter) ([]call.RowNote, string, error) {
			f.Kinds = nil
			return sound(l, ctx, f)
		}),
		of("notes of all key spaces are listed", func(l ledgertest.Ledger, ctx context.Context, f call.NoteFilter) ([]call.RowNote, string, error) {
			f.KeySpaces = nil
			return sound(l, ctx, f)
		}),
		of("the end of a stretch of notes belongs to it", func(l ledgertest.Ledger, ctx context.Context, f call.NoteFilter) ([]call.RowNote, string, error) {
			if !f.Until.IsZero() {
				f.Until = f.Until.Add(1)
			}
			return sound(l, ctx, f)
		}),
		of("a foreign cursor begins anew", func(l ledgertest.Ledger, ctx context.Context, f call.NoteFilter) ([]call.RowNote, string, error) {
			page, next, err := sound(l, ctx, f)
			if call.CodeOf(err) == call.CodeFieldValue {
				f.Cursor = ""
				return sound(l, ctx, f)
			}
			return page, next, err
		}),
		of("notes come with the ids of their rows alone", func(l ledgertest.Ledger, ctx context.Context, f call.NoteFilter) ([]call.RowNote, string, error) {
			page, next, err := sound(l, ctx, f)
			for i, n := range page {
				page[i].Row = call.Call{ID: n.Row.ID}
			}
			return page, next, err
		}),
		of("a page of notes holds 50", func(l ledgertest.Ledger, ctx context.Context, f call.NoteFilter) ([]call.RowNote, string, error) {
			f.Limit = cmp.Or(f.Limit, 50)
			return sound(l, ctx, f)
		}),
		{Name: "notes of forgotten rows are listed", Suite: "NoteList", wrap: func(l ledgertest.Ledger, m *memo) ledgertest.Ledger { return &tellsForgotten{l, m.attic()} }},
	}
}

// listsNotes lists the notes in a way of its own.
type listsNotes struct {
	ledgertest.Ledger

	list func(l ledgertest.Ledger, ctx context.Context, f call.NoteFilter) ([]call.RowNote, string, error)
}

func (l *listsNotes) ListNotes(ctx context.Context, f call.NoteFilter) ([]call.RowNote, string, error) {
	return l.list(l.Ledger, ctx, f)
}

// tellsForgotten lists what an erasure took from its row.
type tellsForgotten struct {
	ledgertest.Ledger

	attic *attic
}

func (l *tellsForgotten) Erase(ctx context.Context, w call.Write) (call.Written, error) {
	if err := l.attic.put(ctx, l.Ledger, w.Row.ID); err != nil {
		return call.Written{}, err
	}
	return l.Ledger.Erase(ctx, w)
}

func (l *tellsForgotten) ListNotes(ctx context.Context, f call.NoteFilter) ([]call.RowNote, string, error) {
	page, next, err := l.Ledger.ListNotes(ctx, f)
	l.attic.mu.Lock()
	defer l.attic.mu.Unlock()
	for id, notes := range l.attic.notes {
		for _, n := range notes.Kept {
			page = append(page, call.RowNote{Note: n, Row: l.attic.rows[id]})
		}
	}
	return page, next, err
}
