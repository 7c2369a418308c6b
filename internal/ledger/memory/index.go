package memory

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ringonce/ringonce/internal/call"
)

// defaultPage is the page size of a list whose filter names none (call.Filter).
const defaultPage = 100

// ByContact implements [call.Index]. A contact id that two rows claim (a breach) belongs to the older row.
func (l *Ledger) ByContact(ctx context.Context, contactID string) (string, error) {
	if err := l.usable(ctx); err != nil {
		return "", err
	}
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	id, known := l.store.contacts[contactID]
	if !known {
		return "", fmt.Errorf("contact %s: %w", contactID, call.ErrNotFound)
	}
	return id, nil
}

// ByRecipient implements [call.Index].
func (l *Ledger) ByRecipient(ctx context.Context, recipient string, limit int) ([]string, error) {
	if err := l.usable(ctx); err != nil {
		return nil, err
	}
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	var found []*row
	for _, r := range slices.Backward(l.store.created) {
		if r.recipient == recipient && recipient != "" && len(found) < limit {
			found = append(found, r)
		}
	}
	return ids(found, limit), nil
}

// ByBeginning implements [call.Beginnings].
func (l *Ledger) ByBeginning(ctx context.Context, beginning string, limit int) ([]string, error) {
	if err := l.usable(ctx); err != nil {
		return nil, err
	}
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	var found []string
	for id := range l.store.rows {
		if strings.HasPrefix(id, beginning) {
			found = append(found, id)
		}
	}
	slices.Sort(found)
	return found[:min(len(found), max(limit, 0))], nil
}

// List implements [call.Index]. The cursor is the number of the last row of the page before.
func (l *Ledger) List(ctx context.Context, f call.Filter) ([]call.Call, string, error) {
	if err := l.usable(ctx); err != nil {
		return nil, "", err
	}
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	from, err := position(f.Cursor, len(l.store.created)+1, len(l.store.created)+1)
	if err != nil {
		return nil, "", err
	}
	limit := f.Limit
	if limit <= 0 {
		limit = defaultPage
	}
	var page []call.Call
	for number := from - 1; number >= 1; number-- {
		r := l.store.created[number-1]
		if !f.Has(r.call) {
			continue
		}
		if len(page) == limit {
			return page, strconv.Itoa(number + 1), nil
		}
		page = append(page, r.call)
	}
	return page, "", nil
}

// History implements [call.Index]. A row that does not exist has no history: call.ErrNotFound.
func (l *Ledger) History(ctx context.Context, id string) ([]call.Entry, error) {
	if err := l.usable(ctx); err != nil {
		return nil, err
	}
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	r, exists := l.store.rows[id]
	if !exists {
		return nil, fmt.Errorf("history of row %s: %w", id, call.ErrNotFound)
	}
	return slices.Clone(r.entries), nil
}

// Each calls fn with every row and its history, in the order of creation, until fn fails; it returns that error. A row and its
// history are of one instant. Rows created meanwhile may be missed.
func (l *Ledger) Each(ctx context.Context, fn func(call.Call, []call.Entry) error) error {
	for number := 1; ; number++ {
		if err := l.usable(ctx); err != nil {
			return err
		}
		c, entries, ok := l.store.at(number)
		if !ok {
			return nil
		}
		if err := fn(c, entries); err != nil {
			return err
		}
	}
}

func (s *store) at(number int) (call.Call, []call.Entry, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if number > len(s.created) {
		return call.Call{}, nil, false
	}
	r := s.created[number-1]
	return r.call, slices.Clone(r.entries), true
}

// position reads a cursor, which is most at most; an empty one is the start.
func position(cursor string, start, most int) (int, error) {
	if cursor == "" {
		return start, nil
	}
	number, err := strconv.Atoi(cursor)
	if err != nil || number < 0 || number > most {
		return 0, &call.Error{
			Code: call.CodeFieldValue, Field: "cursor", Message: "The cursor is not one that this ledger gave.",
			Fix: "Start again without a cursor.",
		}
	}
	return number, nil
}
