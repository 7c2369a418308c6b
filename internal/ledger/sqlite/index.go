package sqlite

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strconv"
	"strings"

	"github.com/ringonce/ringonce/internal/call"
)

const (
	// defaultPage is the page size of a list whose filter names none (call.Filter).
	defaultPage = 100

	selectByContact   = `SELECT id FROM contacts JOIN calls ON number = call WHERE contacts.contact = ? ORDER BY call LIMIT 1`
	selectByRecipient = `SELECT id FROM recipients JOIN calls ON number = call WHERE recipients.recipient = ? ORDER BY call DESC LIMIT ?`
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

// List implements [call.Index]. The cursor is the number of the last row of the page before.
func (l *Ledger) List(ctx context.Context, f call.Filter) ([]call.Call, string, error) {
	limit := f.Limit
	if limit <= 0 {
		limit = defaultPage
	}
	text, args, err := listQuery(f, limit)
	if err != nil {
		return nil, "", err
	}
	if f.KeySpace != "" {
		if err := l.catchUp(ctx); err != nil {
			return nil, "", err
		}
	}
	var page []call.Call
	var last int64
	more := false
	err = l.read(ctx, "list its rows", func(p prepare) error {
		return p.each(func(row []driver.Value) error {
			if len(page) == limit {
				more = true
				return nil
			}
			c, err := decode(bytesOf(row[1]))
			last = numberOf(row[0])
			page = append(page, c)
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
	var where []string
	var args []any
	order := "number"
	if f.KeySpace != "" {
		order = "key_spaces.call"
	}
	if len(f.States) > 0 {
		where = append(where, "state IN (?"+strings.Repeat(", ?", len(f.States)-1)+")")
		for _, s := range f.States {
			args = append(args, string(s))
		}
	}
	if f.Cursor != "" {
		before, err := position(f.Cursor)
		if err != nil {
			return "", nil, err
		}
		where = append(where, order+" < ?")
		args = append(args, before)
	}
	text := "SELECT number, doc FROM calls"
	if f.KeySpace != "" { // a cross join is one whose order SQLite keeps
		text = "SELECT number, doc FROM key_spaces CROSS JOIN calls ON calls.number = key_spaces.call"
		where, args = append(where, "key_spaces.key_space = ?"), append(args, f.KeySpace)
	}
	if len(where) > 0 {
		text += " WHERE " + strings.Join(where, " AND ")
	}
	return text + " ORDER BY " + order + " DESC LIMIT ?", append(args, int64(limit)+1), nil
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
