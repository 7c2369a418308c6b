package memory

import (
	"context"
	"strconv"

	"github.com/ringonce/ringonce/internal/call"
)

// ParkedCalls implements [call.ParkedCalls]. A place is the number of the row before it.
func (l *Ledger) ParkedCalls(ctx context.Context, after string, limit int) (found []string, next string, err error) {
	if err := l.usable(ctx); err != nil {
		return nil, "", err
	}
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	before, err := position(after, 0, len(l.store.created)+1)
	if err != nil {
		return nil, "", err
	}
	for number := before + 1; number <= len(l.store.created); number++ {
		if r := l.store.created[number-1]; r.call.Parked() {
			if len(found) == limit {
				return found, next, nil
			}
			found, next = append(found, r.call.ID), strconv.Itoa(number)
		}
	}
	return found, "", nil
}

// ParkedFrom implements [call.ParkedCalls].
func (l *Ledger) ParkedFrom(ctx context.Context, share float64) (place string, err error) {
	if err := l.usable(ctx); err != nil {
		return "", err
	}
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	return strconv.Itoa(int(share * float64(len(l.store.created)))), nil
}

var _ call.ParkedCalls = (*Ledger)(nil)
