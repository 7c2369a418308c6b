package dynamodb

import (
	"context"
	"slices"

	"github.com/ringonce/ringonce/internal/call"
)

// Newest finds the calls in these states among so many of the newest. It reads the entries of the list index and not their calls: a kilobyte holds a
// dozen. Of each state it reads at most so many calls, those that are oldest, and says how many more the index has. It lags as the index does.
func (l *Ledger) Newest(ctx context.Context, states []call.State, among, read int) (rows []call.Call, unread map[call.State]int, err error) {
	if err := l.usable(ctx); err != nil {
		return nil, nil, err
	}
	entries, err := l.listed(ctx, nil, "", among, true)
	if err != nil {
		return nil, nil, err
	}
	unread = map[call.State]int{}
	var ids []string
	for _, state := range states {
		of := 0
		for _, entry := range slices.Backward(entries) {
			if textOf(entry[attrState]) != stateLetters[state] {
				continue
			}
			if of++; of > read {
				unread[state]++
				continue
			}
			ids = append(ids, textOf(entry[attrKey]))
		}
	}
	records, err := l.loadAll(ctx, ids)
	if err != nil {
		return nil, nil, err
	}
	chosen := call.Filter{States: states}
	for _, r := range records { // a row may have moved on since the index saw it
		if chosen.Has(r.row) {
			rows = append(rows, r.row)
		}
	}
	return rows, unread, nil
}
