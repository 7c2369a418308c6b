package sqlite

import (
	"cmp"
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/ringonce/ringonce/internal/call"
)

// leastLooked is how many notes a page looks through at least, if it must: a list of few among many would cost a question for each.
const leastLooked = 200

// The notes lie in the order in which they were kept, so that the list needs no index that a suppressed delivery would have to write.
const selectNewestNotes = `SELECT number, row_id, body FROM notes WHERE number < ? ORDER BY number DESC LIMIT ?`

// keptNote is a note as it lies in the file.
type keptNote struct {
	number int64
	call.Note
}

// ListNotes implements [call.Journal]. It sees every note that was given to this ledger before. The cursor is the number of the last note that was
// looked at.
func (l *Ledger) ListNotes(ctx context.Context, f call.NoteFilter) (page []call.RowNote, next string, err error) {
	before := int64(math.MaxInt64)
	if f.Cursor != "" {
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
	err = l.read(ctx, "list its notes", func(p prepare) error {
		kept, err := newestNotes(p, before, max(limit, leastLooked)+1)
		if err == nil {
			page, next, err = l.chosen(p, f, kept, limit)
		}
		return err
	})
	return page, next, err
}

func newestNotes(p prepare, before int64, most int) (kept []keptNote, err error) {
	err = p.each(func(row []driver.Value) error {
		n := keptNote{number: numberOf(row[0])}
		if err := json.Unmarshal(bytesOf(row[2]), &n.Note); err != nil {
			return fmt.Errorf("decode a note of row %s: %w", textOf(row[1]), err)
		}
		kept = append(kept, n)
		return nil
	}, selectNewestNotes, before, int64(most))
	return kept, err
}

// chosen returns the notes that the filter chooses, up to the limit and without the last one that was read, which only tells that there are more.
func (l *Ledger) chosen(p prepare, f call.NoteFilter, kept []keptNote, limit int) (page []call.RowNote, next string, err error) {
	rows := map[string]*call.Call{}
	for i, n := range kept {
		if f.Ends(n.Note) {
			return page, "", nil
		}
		if len(page) == limit || i == max(limit, leastLooked) {
			return page, strconv.FormatInt(kept[i-1].number, 10), nil
		}
		if !f.Asks(n.Note) {
			continue
		}
		row, known := rows[n.RowID]
		if !known {
			if row, err = l.rowBeside(p, n.RowID); err != nil {
				return nil, "", err
			}
			rows[n.RowID] = row
		}
		if row == nil {
			continue
		}
		if found := (call.RowNote{Note: n.Note, Row: *row}); f.Has(found) {
			page = append(page, found)
		}
	}
	return page, "", nil
}

// rowBeside returns the row of an id; nil when there is none.
func (l *Ledger) rowBeside(p prepare, id string) (*call.Call, error) {
	row, err := l.find(p, id)
	if err != nil || row == nil {
		return nil, err
	}
	c, err := decode(bytesOf(row[1]))
	return &c, err
}
