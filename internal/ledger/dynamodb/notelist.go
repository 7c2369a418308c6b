package dynamodb

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/ringonce/ringonce/internal/call"
)

// mostNoted is how many rows a page of notes looks at.
const mostNoted = 2 * mostBatch

// ListNotes implements [call.Journal]. A list of all notes would be an index, written with each: a suppressed delivery would cost a write more. So the rows of
// the list index are asked for theirs, newest row first, and a row without notes costs the read of an item that is not there. The cursor names the last row
// that was looked at, and how many of its notes, the older ones, are still to come.
func (l *Ledger) ListNotes(ctx context.Context, f call.NoteFilter) ([]call.RowNote, string, error) {
	if err := l.usable(ctx); err != nil {
		return nil, "", err
	}
	w := noteWalk{f: f, limit: cmp.Or(max(f.Limit, 0), defaultPage)}
	at, rest, err := notePosition(f.Cursor)
	if err != nil {
		return nil, "", err
	}
	if rest > 0 {
		id := at[strings.IndexByte(at, '.')+1:]
		if err := l.notesBeside(ctx, &w, []string{id}, func(string) string { return at }, rest); err != nil || w.next != "" {
			return w.page, w.next, err
		}
	}
	found, err := l.listed(ctx, nil, at, mostNoted+1, true)
	if err != nil {
		return nil, "", err
	}
	more := len(found) > mostNoted
	found = found[:min(len(found), mostNoted)]
	cursors := make(map[string]string, len(found))
	for _, it := range found {
		cursors[textOf(it[attrKey])] = cursorAt(it)
	}
	err = l.notesBeside(ctx, &w, keysOf(found, len(found)), func(id string) string { return cursors[id] }, -1)
	if err == nil && w.next == "" && more {
		w.next = noteCursor(cursorAt(found[len(found)-1]), 0)
	}
	return w.page, w.next, err
}

// noteWalk fills a page.
type noteWalk struct {
	f     call.NoteFilter
	limit int
	page  []call.RowNote
	next  string // set when the page is full
}

// notesBeside adds the notes of rows, in the order of the rows, until the page is full; rest bounds how many of a row, the oldest, are looked at,
// unless it is negative.
func (l *Ledger) notesBeside(ctx context.Context, w *noteWalk, ids []string, cursor func(id string) string, rest int) error {
	notes, noted, err := l.noted(ctx, w.f, ids)
	if err != nil {
		return err
	}
	records, err := l.loadAll(ctx, noted)
	if err != nil {
		return err
	}
	for _, r := range records {
		kept := notes[r.row.ID]
		if rest >= 0 {
			kept = kept[:min(rest, len(kept))]
		}
		for i, note := range slices.Backward(kept) {
			n := call.RowNote{Note: note, Row: r.row}
			if !w.f.Has(n) {
				continue
			}
			if len(w.page) == w.limit { // one more is there: the page ends before it
				w.next = noteCursor(cursor(r.row.ID), i+1)
				return nil
			}
			w.page = append(w.page, n)
		}
	}
	return nil
}

// noted reads the notes of rows, and says which of the rows have one that the filter may choose.
func (l *Ledger) noted(ctx context.Context, f call.NoteFilter, ids []string) (notes map[string][]call.Note, noted []string, err error) {
	notes = map[string][]call.Note{}
	for from := 0; from < len(ids); from += mostBatch {
		some := ids[from:min(len(ids), from+mostBatch)]
		keys := make([]string, len(some))
		for i, id := range some {
			keys[i] = noteKey(id, 0)
		}
		items, err := l.fetchAll(ctx, keys)
		if err != nil {
			return nil, nil, err
		}
		for i, id := range some {
			texts, err := l.notesOf(ctx, id, items[keys[i]])
			if err == nil && len(texts) >= mostTexts { // there may be further items
				var all call.Notes
				all, err = l.Notes(ctx, id)
				texts = all.Kept
			}
			if err != nil {
				return nil, nil, errors.Join(errors.New("notes of row "+id), err)
			}
			if slices.ContainsFunc(texts, f.Asks) {
				notes[id], noted = texts, append(noted, id)
			}
		}
	}
	return notes, noted, nil
}

func noteCursor(row string, rest int) string { return row + "." + strconv.Itoa(rest) }

// notePosition reads a cursor: the row after which the list goes on, as a cursor of the list index, and how many of its notes come first.
func notePosition(cursor string) (row string, rest int, err error) {
	if cursor == "" {
		return "", 0, nil
	}
	cut := strings.LastIndexByte(cursor, '.')
	if cut >= 0 {
		rest, err = strconv.Atoi(cursor[cut+1:])
		row = cursor[:cut]
	}
	if cut < 0 || row == "" || err != nil || rest < 0 {
		_, err = position("elsewhere")
		return "", 0, err
	}
	_, err = position(row)
	return row, rest, err
}
