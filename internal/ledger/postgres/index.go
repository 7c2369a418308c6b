package postgres

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/postgres/queries"
)

// defaultPage is the page size of a list whose filter names none (call.Filter).
const defaultPage = 100

// ByContact implements [call.Index]. A contact id that two rows claim (a breach) belongs to the row that was created first.
func (l *Ledger) ByContact(ctx context.Context, contactID string) (string, error) {
	if err := l.usable(ctx); err != nil {
		return "", err
	}
	id, err := l.queries.CallByContact(ctx, contactID)
	if err != nil {
		return "", l.absent(err, "contact", contactID, "find a contact")
	}
	return id, nil
}

// ByRecipient implements [call.Index].
func (l *Ledger) ByRecipient(ctx context.Context, recipient string, limit int) ([]string, error) {
	if err := l.usable(ctx); err != nil {
		return nil, err
	}
	ids, err := l.queries.CallsByRecipient(ctx, queries.CallsByRecipientParams{Recipient: recipient, Most: most(limit)})
	return ids, l.failed(explain(err, "find a recipient"))
}

// ByBeginning implements [call.Beginnings].
func (l *Ledger) ByBeginning(ctx context.Context, beginning string, limit int) ([]string, error) {
	if err := l.usable(ctx); err != nil {
		return nil, err
	}
	ids, err := l.queries.CallsByBeginning(ctx, queries.CallsByBeginningParams{First: beginning, Behind: call.Behind(beginning), Most: most(limit)})
	return ids, l.failed(explain(err, "find the beginning of an id"))
}

// List implements [call.Index]. The cursor is the number of the last row of the page before. It asks for one row more than the page holds, which
// tells whether there is a next page.
func (l *Ledger) List(ctx context.Context, f call.Filter) ([]call.Call, string, error) {
	if err := l.usable(ctx); err != nil {
		return nil, "", err
	}
	limit := f.Limit
	if limit <= 0 {
		limit = defaultPage
	}
	before := int64(math.MaxInt64)
	if f.Cursor != "" {
		var err error
		if before, err = position(f.Cursor); err != nil {
			return nil, "", err
		}
	}
	rows, err := l.list(ctx, before, most(limit)+1, f)
	if err != nil {
		return nil, "", l.failed(explain(err, "list its rows"))
	}
	next := ""
	if len(rows) > limit {
		rows = rows[:limit]
		next = strconv.FormatInt(rows[limit-1].Number, 10)
	}
	page := make([]call.Call, len(rows))
	for i, row := range rows {
		if page[i], err = decode(row.Doc); err != nil {
			return nil, "", err
		}
	}
	return page, next, nil
}

func (l *Ledger) list(ctx context.Context, before int64, count int32, f call.Filter) ([]queries.ListCallsRow, error) {
	states := make([]string, len(f.States))
	for i, s := range f.States {
		states[i] = string(s)
	}
	switch {
	case len(f.KeySpaces) > 0 && len(states) > 0:
		return listed(l.queries.ListCallsInKeySpacesAndStates(ctx, queries.ListCallsInKeySpacesAndStatesParams{
			KeySpaces: f.KeySpaces, Before: before, States: states, Most: count,
		}))
	case len(f.KeySpaces) > 0:
		return listed(l.queries.ListCallsInKeySpaces(ctx, queries.ListCallsInKeySpacesParams{KeySpaces: f.KeySpaces, Before: before, Most: count}))
	case len(states) > 0:
		return listed(l.queries.ListCallsInStates(ctx, queries.ListCallsInStatesParams{Before: before, States: states, Most: count}))
	}
	return l.queries.ListCalls(ctx, queries.ListCallsParams{Before: before, Most: count})
}

// listed makes the rows of every list the same.
func listed[Row queries.ListCallsInStatesRow | queries.ListCallsInKeySpacesRow | queries.ListCallsInKeySpacesAndStatesRow](found []Row, err error) ([]queries.ListCallsRow, error) {
	rows := make([]queries.ListCallsRow, len(found))
	for i, row := range found {
		rows[i] = queries.ListCallsRow(row)
	}
	return rows, err
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

// History implements [call.Index]. A row that does not exist has no history: call.ErrNotFound. One that exists has an entry at least.
func (l *Ledger) History(ctx context.Context, id string) ([]call.Entry, error) {
	if err := l.usable(ctx); err != nil {
		return nil, err
	}
	rows, err := l.queries.CallHistory(ctx, id)
	if err != nil {
		return nil, l.failed(explain(err, "read a history"))
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("history of row %s: %w", id, call.ErrNotFound)
	}
	entries := make([]call.Entry, len(rows))
	for i, row := range rows {
		entries[i] = call.Entry{RowID: id, Seq: row.Seq, Op: row.Op, Kind: call.EventKind(row.Kind), At: instant(&row.At), Body: row.Body, Hash: row.Hash}
	}
	return entries, nil
}
