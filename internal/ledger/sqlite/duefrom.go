package sqlite

import (
	"context"
	"database/sql/driver"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/stored"
)

// Two statements, since SQLite seeks in its index to a due time but not to a row within it: of a million calls that wait for one instant it would read those before.
const (
	selectDueAlike = `SELECT due, number, id FROM calls WHERE due = ? AND number > ? ORDER BY number LIMIT ?`
	selectDueLater = `SELECT due, number, id FROM calls WHERE due > ? ORDER BY due, number LIMIT ?`
	selectDueAll   = `SELECT due, number, id FROM calls WHERE due IS NOT NULL ORDER BY due, number LIMIT ?`
)

// DueFrom implements [call.Index].
func (l *Ledger) DueFrom(ctx context.Context, place string, limit int) ([]call.DuePlace, error) {
	var due, number int64
	if place != "" {
		var err error
		if due, number, err = stored.Place(place); err != nil {
			return nil, err
		}
	}
	var page []call.DuePlace
	limit = max(limit, 0)
	err := l.read(ctx, "read the rows with a due time", func(p prepare) (err error) {
		if place == "" {
			page, err = p.duePlaces(selectDueAll, int64(limit))
			return err
		}
		if page, err = p.duePlaces(selectDueAlike, due, number, int64(limit)); err != nil || len(page) == limit {
			return err
		}
		later, err := p.duePlaces(selectDueLater, due, int64(limit-len(page)))
		page = append(page, later...)
		return err
	})
	return page, err
}

func (p prepare) duePlaces(statement string, args ...any) (page []call.DuePlace, err error) {
	err = p.each(func(row []driver.Value) error {
		page = append(page, call.DuePlace{ID: textOf(row[2]), Place: stored.PlaceOf(numberOf(row[0]), numberOf(row[1]))})
		return nil
	}, statement, args...)
	return page, err
}
