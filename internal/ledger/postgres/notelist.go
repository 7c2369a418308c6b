package postgres

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/postgres/queries"
)

// leastLooked is how many notes a page looks through at least, if it must: a list of few among many would cost a question for each.
const leastLooked = 200

// ListNotes implements [call.Journal]. It sees every note that was given to this ledger before, and what other processes have written. The cursor is the
// number of the last note that was looked at. Notes are numbered behind LockLedger, so what is committed later has a higher number.
func (l *Ledger) ListNotes(ctx context.Context, f call.NoteFilter) ([]call.RowNote, string, error) {
	if err := l.usable(ctx); err != nil {
		return nil, "", err
	}
	before := int64(math.MaxInt64)
	if f.Cursor != "" {
		var err error
		if before, err = position(f.Cursor); err != nil {
			return nil, "", err
		}
	}
	if !l.options.ReadOnly {
		if err := l.Flush(ctx); err != nil {
			return nil, "", err
		}
	}
	limit := cmp.Or(max(f.Limit, 0), defaultPage)
	kept, err := l.queries.NewestNotes(ctx, queries.NewestNotesParams{Before: before, Most: most(max(limit, leastLooked)) + 1})
	if err != nil {
		return nil, "", l.failed(explain(err, "list its notes"))
	}
	return chosen(f, kept, limit)
}

// chosen returns the notes that the filter chooses, up to the limit and without the last one that was read, which only tells that there are more.
func chosen(f call.NoteFilter, kept []queries.NewestNotesRow, limit int) (page []call.RowNote, next string, err error) {
	for i, k := range kept {
		var n call.RowNote
		if err := json.Unmarshal(k.Body, &n.Note); err != nil {
			return nil, "", fmt.Errorf("decode a note of row %s: %w", k.RowID, err)
		}
		if f.Ends(n.Note) {
			return page, "", nil
		}
		if len(page) == limit || i == max(limit, leastLooked) {
			return page, strconv.FormatInt(kept[i-1].Number, 10), nil
		}
		if k.Doc == nil || !f.Asks(n.Note) {
			continue
		}
		if n.Row, err = decode(k.Doc); err != nil {
			return nil, "", err
		}
		if f.Has(n) {
			page = append(page, n)
		}
	}
	return page, "", nil
}
