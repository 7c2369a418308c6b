package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/postgres/queries"
)

// eachPage is how many rows Each reads in one snapshot: a snapshot that lives long keeps PostgreSQL from removing what is dead.
const eachPage = 64

// snapshot is a transaction that reads one instant.
var snapshot = pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}

// Each calls fn with every row and its history, in the order of creation, until fn fails; it returns that error. A row and its
// history are of one instant. fn may use the ledger.
func (l *Ledger) Each(ctx context.Context, fn func(call.Call, []call.Entry) error) error {
	for after := int64(0); ; {
		if err := l.usable(ctx); err != nil {
			return err
		}
		rows, histories, err := l.page(ctx, after)
		if err != nil {
			return l.failed(explain(err, "read every row"))
		}
		if len(rows) == 0 {
			return nil
		}
		for _, row := range rows {
			c, err := decode(row.Doc)
			if err != nil {
				return err
			}
			entries := histories[row.Number]
			for i := range entries {
				entries[i].RowID = c.ID
			}
			if err := errors.Join(ctx.Err(), fn(c, entries)); err != nil {
				return err
			}
			after = row.Number
		}
	}
}

// page reads the next rows with their histories by the rows' numbers.
func (l *Ledger) page(ctx context.Context, after int64) (rows []queries.PageOfCallsRow, histories map[int64][]call.Entry, err error) {
	ctx, cancel := context.WithTimeout(ctx, groupTime)
	defer cancel()
	err = pgx.BeginTxFunc(ctx, l.pool, snapshot, func(tx pgx.Tx) error {
		q := l.queries.WithTx(tx)
		if rows, err = q.PageOfCalls(ctx, queries.PageOfCallsParams{After: after, Most: eachPage}); err != nil || len(rows) == 0 {
			return err
		}
		numbers := make([]int64, len(rows))
		for i, row := range rows {
			numbers[i] = row.Number
		}
		entries, err := q.HistoriesOfCalls(ctx, numbers)
		histories = make(map[int64][]call.Entry, len(rows))
		for _, e := range entries {
			histories[e.Call] = append(histories[e.Call], call.Entry{
				Seq: e.Seq, Op: e.Op, Kind: call.EventKind(e.Kind), At: instant(&e.At), Body: e.Body, Hash: e.Hash,
			})
		}
		return err
	})
	return rows, histories, err
}
