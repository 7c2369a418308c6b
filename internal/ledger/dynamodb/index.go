package dynamodb

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/ringonce/ringonce/internal/call"
)

// defaultPage is the page size of a list whose filter names none (call.Filter).
const defaultPage = 100

// ByContact implements [call.Index]. A contact id that two rows claim (a breach) belongs to the row that was created first.
func (l *Ledger) ByContact(ctx context.Context, contactID string) (string, error) {
	if err := l.usable(ctx); err != nil {
		return "", err
	}
	if contactID == "" {
		return "", fmt.Errorf("empty contact id: %w", call.ErrNotFound)
	}
	found, err := l.query(ctx, query{index: indexContact, where: "k = :h", values: item{":h": text(contactID)}, limit: 1})
	switch {
	case err != nil:
		return "", err
	case len(found) == 0:
		return "", fmt.Errorf("contact %s: %w", contactID, call.ErrNotFound)
	}
	return textOf(found[0][attrKey]), nil
}

// ByRecipient implements [call.Index].
func (l *Ledger) ByRecipient(ctx context.Context, recipient string, limit int) ([]string, error) {
	if err := l.usable(ctx); err != nil {
		return nil, err
	}
	found, err := l.query(ctx, query{index: indexRecipient, where: "r = :h", values: item{":h": text(recipient)}, newest: true, limit: limit})
	if err != nil {
		return nil, err
	}
	return keysOf(found, limit), nil
}

// List implements [call.Index]. The cursor names the last row of the page before.
func (l *Ledger) List(ctx context.Context, f call.Filter) ([]call.Call, string, error) {
	if err := l.usable(ctx); err != nil {
		return nil, "", err
	}
	limit := f.Limit
	if limit <= 0 {
		limit = defaultPage
	}
	found, err := l.listed(ctx, f.States, f.Cursor, limit+1, true)
	if err != nil {
		return nil, "", err
	}
	next := ""
	if len(found) > limit {
		found = found[:limit]
		next = cursorAt(found[limit-1])
	}
	records, err := l.loadAll(ctx, keysOf(found, limit))
	if err != nil {
		return nil, "", err
	}
	var page []call.Call
	for _, r := range records { // a row may have moved on since the index saw it
		if f.Has(r.row) {
			page = append(page, r.row)
		}
	}
	return page, next, nil
}

// listed asks the list index for rows in these states, all when none is named, after the cursor.
func (l *Ledger) listed(ctx context.Context, states []call.State, cursor string, limit int, newest bool) ([]item, error) {
	q := query{index: indexList, where: "g = :h", values: item{":h": text(listGroup)}, limit: limit, newest: newest}
	var err error
	if q.after, err = position(cursor); err != nil {
		return nil, err
	}
	var names []string
	for i, state := range states {
		name := ":l" + strconv.Itoa(i)
		q.values[name] = text(stateLetters[state])
		names = append(names, name)
	}
	if len(names) > 0 {
		q.filter = "l IN (" + strings.Join(names, ", ") + ")"
	}
	return l.query(ctx, q)
}

func cursorAt(it item) string {
	return strconv.FormatInt(numberOf(it[attrCreated]), 10) + "." + textOf(it[attrKey])
}

// position reads a cursor; an empty one is the beginning.
func position(cursor string) (item, error) {
	if cursor == "" {
		return nil, nil //nolint:nilnil // no key is the beginning, not a failure
	}
	created, id, ok := strings.Cut(cursor, ".")
	at, err := strconv.ParseInt(created, 10, 64)
	if !ok || err != nil || !isRow(id) {
		return nil, &call.Error{
			Code: call.CodeFieldValue, Field: "cursor", Message: "The cursor is not one that this ledger gave.",
			Fix: "Start again without a cursor.",
		}
	}
	return item{attrGroup: text(listGroup), attrCreated: number(at), attrKey: text(id)}, nil
}
