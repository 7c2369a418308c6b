package sqlite

import (
	"context"
	"database/sql/driver"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ringonce/ringonce/internal/call"
)

const (
	// defaultPage is the page size of a list whose filter names none (call.Filter).
	defaultPage = 100

	selectByContact   = `SELECT id FROM contacts JOIN calls ON number = call WHERE contacts.contact = ? ORDER BY call LIMIT 1`
	selectByRecipient = `SELECT id FROM recipients JOIN calls ON number = call WHERE recipients.recipient = ? ORDER BY call DESC LIMIT ?`
	selectByBeginning = `SELECT id FROM ids WHERE id >= ? AND id < ? ORDER BY id LIMIT ?`
	selectHistory     = `SELECT seq, op, kind, at, body, hash FROM history WHERE call = ? ORDER BY seq`
)

// ByContact implements [call.Index]. A contact id that two rows claim (a breach) belongs to the row that was created first.
func (l *Ledger) ByContact(ctx context.Context, contactID string) (string, error) {
	if err := l.catchUp(ctx); err != nil {
		return "", err
	}
	var id string
	err := l.read(ctx, "find a contact", func(p prepare) error {
		row, err := p.required("contact", contactID, selectByContact, contactID)
		if err != nil {
			return err
		}
		id = textOf(row[0])
		return nil
	})
	return id, err
}

// ByRecipient implements [call.Index].
func (l *Ledger) ByRecipient(ctx context.Context, recipient string, limit int) ([]string, error) {
	if err := l.catchUp(ctx); err != nil {
		return nil, err
	}
	var ids []string
	err := l.read(ctx, "find a recipient", func(p prepare) error {
		return p.each(func(row []driver.Value) error {
			ids = append(ids, textOf(row[0]))
			return nil
		}, selectByRecipient, recipient, int64(max(limit, 0)))
	})
	return ids, err
}

// ByBeginning implements [call.Beginnings].
func (l *Ledger) ByBeginning(ctx context.Context, beginning string, limit int) ([]string, error) {
	if err := l.catchUp(ctx); err != nil {
		return nil, err
	}
	var ids []string
	err := l.read(ctx, "find the beginning of an id", func(p prepare) error {
		return p.each(func(row []driver.Value) error {
			ids = append(ids, textOf(row[0]))
			return nil
		}, selectByBeginning, beginning, call.Behind(beginning), int64(max(limit, 0)))
	})
	return ids, err
}

// List implements [call.Index]. The cursor is the number of the last row of the page before. A reader beside another process looks calls through for
// those of key spaces, so that its pages may be short.
func (l *Ledger) List(ctx context.Context, f call.Filter) ([]call.Call, string, error) {
	limit := f.Limit
	if limit <= 0 {
		limit = defaultPage
	}
	asked := f
	if l.options.ReadOnly { // the process beside which it reads may not have indexed its newest calls
		asked.KeySpaces = nil
	}
	text, args, err := listQuery(asked, limit)
	if err != nil {
		return nil, "", err
	}
	if len(asked.KeySpaces) > 0 {
		if err := l.catchUp(ctx); err != nil {
			return nil, "", err
		}
	}
	var page []call.Call
	var last int64
	seen, more := 0, false
	err = l.read(ctx, "list its rows", func(p prepare) error {
		return p.each(func(row []driver.Value) error {
			if seen == limit {
				more = true
				return nil
			}
			c, err := decode(bytesOf(row[1]))
			seen, last = seen+1, numberOf(row[0])
			if err == nil && f.Has(c) {
				page = append(page, c)
			}
			return err
		}, text, args...)
	})
	if err != nil {
		return nil, "", err
	}
	if more {
		return page, strconv.FormatInt(last, 10), nil
	}
	return page, "", nil
}

// listQuery asks for one row more than the page holds, which tells whether there is a next page.
func listQuery(f call.Filter, limit int) (string, []any, error) {
	before := int64(math.MaxInt64)
	if f.Cursor != "" {
		var err error
		if before, err = position(f.Cursor); err != nil {
			return "", nil, err
		}
	}
	most := int64(limit) + 1
	switch {
	case len(f.KeySpaces) > 0:
		part := "SELECT call AS n FROM key_spaces WHERE key_space = ? AND call < ? ORDER BY call DESC LIMIT ?"
		if len(f.States) > 0 { // a cross join is one whose order SQLite keeps
			part = "SELECT call AS n FROM key_spaces CROSS JOIN calls ON number = call WHERE key_space = ? AND call < ? AND state IN (?" +
				strings.Repeat(", ?", len(f.States)-1) + ") ORDER BY call DESC LIMIT ?"
		}
		text, args := newestOf(f.KeySpaces, part, before, most, words(f.States)...)
		return text, args, nil
	case len(f.States) > 0:
		text, args := newestOf(words(f.States), "SELECT number AS n FROM calls INDEXED BY calls_state WHERE state = ? AND number < ? ORDER BY number DESC LIMIT ?", before, most)
		return text, args, nil
	}
	return "SELECT number, doc FROM calls WHERE number < ? ORDER BY number DESC LIMIT ?", []any{before, most}, nil
}

// newestOf asks for the newest rows of each value, which an index has in their order, and of those for the newest: nothing else is read, however rare a
// value is. A part asks for one value, before a number, with more conditions, and for so many rows at most.
func newestOf(values []string, part string, before, most int64, more ...string) (text string, args []any) {
	parts := make([]string, len(values))
	for i, value := range values {
		parts[i] = "SELECT * FROM (" + part + ")"
		args = append(args, value, before)
		for _, m := range more {
			args = append(args, m)
		}
		args = append(args, most)
	}
	return "SELECT number, doc FROM (" + strings.Join(parts, " UNION ") + ") CROSS JOIN calls ON number = n ORDER BY n DESC LIMIT ?", append(args, most)
}

func words(states []call.State) []string {
	words := make([]string, len(states))
	for i, s := range states {
		words[i] = string(s)
	}
	return words
}

func position(cursor string) (int64, error) {
	number, err := strconv.ParseInt(cursor, 10, 64)
	if err != nil || number < 0 {
		return 0, &call.Error{
			Code: call.CodeFieldValue, Field: "cursor", Message: "The cursor is not one that this ledger gave.",
			Fix: "Start again without a cursor.",
		}
	}
	return number, nil
}

// History implements [call.Index]. A row that does not exist has no history: call.ErrNotFound.
func (l *Ledger) History(ctx context.Context, id string) ([]call.Entry, error) {
	var entries []call.Entry
	err := l.read(ctx, "read a history", func(p prepare) error {
		row, err := l.find(p, id)
		if err != nil {
			return err
		}
		if row == nil {
			return fmt.Errorf("history of row %s: %w", id, call.ErrNotFound)
		}
		entries, err = history(p, numberOf(row[0]), id)
		return err
	})
	return entries, err
}

func history(p prepare, number int64, id string) ([]call.Entry, error) {
	var entries []call.Entry
	err := p.each(func(row []driver.Value) error {
		entries = append(entries, call.Entry{
			RowID: id, Seq: numberOf(row[0]), Op: textOf(row[1]), Kind: call.EventKind(textOf(row[2])), At: instant(row[3]),
			Body: append([]byte(nil), bytesOf(row[4])...), Hash: textOf(row[5]),
		})
		return nil
	}, selectHistory, number)
	return entries, err
}
