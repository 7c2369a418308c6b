package stores

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/postgres"
	"github.com/ringonce/ringonce/internal/wake/river"
)

// apartTime is how long hints stay out of the ledger's transactions after one that could not be written there: each failure costs a transaction
// that is rolled back and made again.
const apartTime = 30 * time.Second

// joined are hints that lie in the transactions of a ledger's writes. What fails there is given after the write, as without it.
type joined struct {
	app.Hints

	part     func()
	give     func(ctx context.Context, tx pgx.Tx, rows []river.Due) error
	clock    call.Clock
	observer call.Observer

	apart time.Time // until when; the ledger's writer alone uses it
}

// write is a postgres.Beside.
func (j *joined) write(ctx context.Context, tx pgx.Tx, rows []postgres.Waiting) (written bool, err error) {
	now := j.clock.Now()
	if rest := j.apart.Sub(now); rest > 0 && rest <= apartTime { // a clock that was set back must not keep them apart
		return false, nil
	}
	due := make([]river.Due, len(rows))
	for i, r := range rows {
		due[i] = river.Due{Row: r.RowID, At: r.Due}
	}
	if err := j.give(ctx, tx, due); err != nil {
		j.apart = now.Add(apartTime)
		if j.observer != nil {
			j.observer.Decided(ctx, call.Decided{What: "wake-apart", RowID: rows[0].RowID, Reason: err.Error()})
		}
		return false, err
	}
	return true, nil
}

// Stop implements app.Hints.
func (j *joined) Stop(ctx context.Context) error {
	j.part()
	return j.Hints.Stop(ctx)
}
