package memory

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/stored"
)

// DueFrom implements [call.Index]. The heap knows no place but its top, so each page looks at all rows that have a due.
func (l *Ledger) DueFrom(ctx context.Context, place string, limit int) ([]call.DuePlace, error) {
	if err := l.usable(ctx); err != nil {
		return nil, err
	}
	behind := &row{due: time.Unix(0, math.MinInt64)}
	if place != "" {
		due, number, err := stored.Place(place)
		if err != nil {
			return nil, err
		}
		behind.due, behind.number = time.Unix(0, due), int(number)
	}
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	var found []*row
	for _, r := range l.store.due {
		if behind.before(r) {
			found = append(found, r)
		}
	}
	slices.SortFunc(found, func(a, b *row) int {
		if a.before(b) {
			return -1
		}
		return 1
	})
	var page []call.DuePlace
	for _, r := range found[:min(len(found), max(limit, 0))] {
		page = append(page, call.DuePlace{ID: r.call.ID, Place: stored.PlaceOf(r.due.UnixNano(), int64(r.number))})
	}
	return page, nil
}
