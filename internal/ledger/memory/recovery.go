package memory

import (
	"context"
	"strconv"

	"github.com/ringonce/ringonce/internal/call"
)

// BeginRecovery opens a recovery: the epoch grows, and the stretch of forgotten time is stored (protocol.md section 11, step 2).
func (l *Ledger) BeginRecovery(ctx context.Context, r call.Recovery) error {
	if err := l.usable(ctx); err != nil {
		return err
	}
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	l.store.epoch++
	l.store.recovery = &r
	return nil
}

// CloseRecovery ends a recovery. It returns a call.Error of code recovery_not_open when none is open.
func (l *Ledger) CloseRecovery(ctx context.Context) error {
	if err := l.usable(ctx); err != nil {
		return err
	}
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	if l.store.recovery == nil {
		return &call.Error{Code: call.CodeRecoveryNotOpen, Message: "No recovery of this ledger is open.", Fix: "Run ringonce ledger recover first."}
	}
	l.store.recovery = nil
	return nil
}

// Unfinished returns at most limit ids of rows that are not final, in the order of creation, and a cursor for the next page,
// empty at the end.
func (l *Ledger) Unfinished(ctx context.Context, cursor string, limit int) ([]string, string, error) {
	if err := l.usable(ctx); err != nil {
		return nil, "", err
	}
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	after, err := position(cursor, 0, len(l.store.created)+1)
	if err != nil {
		return nil, "", err
	}
	var page []*row
	for number := after + 1; number <= len(l.store.created); number++ {
		r := l.store.created[number-1]
		if r.call.State.Final() {
			continue
		}
		if len(page) == limit {
			return ids(page, limit), strconv.Itoa(page[len(page)-1].number), nil
		}
		page = append(page, r)
	}
	return ids(page, limit), "", nil
}
