package postgres

import (
	"context"
	"math"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/postgres/queries"
	"github.com/ringonce/ringonce/internal/ledger/stored"
)

// DueFrom implements [call.Index].
func (l *Ledger) DueFrom(ctx context.Context, place string, limit int) ([]call.DuePlace, error) {
	if err := l.usable(ctx); err != nil {
		return nil, err
	}
	from := queries.CallsDueFromParams{AfterDue: math.MinInt64, Most: most(limit)}
	if place != "" {
		var err error
		if from.AfterDue, from.AfterNumber, err = stored.Place(place); err != nil {
			return nil, err
		}
	}
	rows, err := l.queries.CallsDueFrom(ctx, from)
	if err != nil {
		return nil, l.failed(explain(err, "read the rows with a due time"))
	}
	var page []call.DuePlace
	for _, row := range rows {
		page = append(page, call.DuePlace{ID: row.ID, Place: stored.PlaceOf(row.Due, row.Number)})
	}
	return page, nil
}
