package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Waiting is a row that waits by a write of this transaction, and the time at which it has to be looked at.
type Waiting struct {
	RowID string
	Due   time.Time // call.Write.Hint
}

// Beside writes something about waiting rows into the transaction that makes them wait, with which it is committed or not. It must neither end
// the transaction nor use it later, and returns soon: the ledger's lock is held meanwhile. written false means that it wrote nothing, which is no
// error. After an error the transaction is rolled back, and the rows are written without it.
type Beside func(ctx context.Context, tx pgx.Tx, rows []Waiting) (written bool, err error)

// Join makes the ledger call b within each transaction by which rows begin to wait (call.Write.Hint); nil ends that. Their writes then need four
// round trips instead of one, and say in call.Written.Hinted that b has written.
func (l *Ledger) Join(b Beside) {
	if b == nil {
		l.beside.Store(nil)
		return
	}
	l.beside.Store(&b)
}

// errBeside says that what is written beside the calls failed, and that nothing of the transaction was committed.
var errBeside = errors.New("what belongs to the writes could not be written with them")

// together writes a group and what b has to say about it as one transaction. Rows whose write was not applied now are not shown to b: they wait by an
// earlier transaction, or not at all.
func together(ctx context.Context, conn *pgx.Conn, b Beside, incarnation string, group []*job, notes *bundle) ([]answer, int64, error) {
	tx, err := conn.Begin(ctx)
	if err != nil {
		return nil, 0, err
	}
	answers, highWater, err := send(ctx, tx, markOf(conn.PgConn()), incarnation, group, notes)
	if err == nil {
		err = join(ctx, tx, b, group, answers)
	}
	if err != nil {
		_ = tx.Rollback(ctx) // a connection that cannot do this is given up, which rolls back as well
		return nil, 0, err
	}
	err = tx.Commit(ctx)
	if errors.Is(err, pgx.ErrTxCommitRollback) { // b has left the transaction unusable and not said so
		err = fmt.Errorf("%w: %w", errBeside, err)
	}
	if err != nil {
		return nil, 0, err
	}
	return answers, highWater, nil
}

// join lets b write, and marks the answers to whose rows it has written.
func join(ctx context.Context, tx pgx.Tx, b Beside, group []*job, answers []answer) error {
	var rows []Waiting
	var of []*answer
	for i, j := range group {
		if a := &answers[i]; j.waits() && a.fresh {
			rows, of = append(rows, Waiting{RowID: j.write.Row.ID, Due: j.write.Hint}), append(of, a)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	written, err := b(ctx, tx, rows)
	if err != nil {
		return fmt.Errorf("%w: %w", errBeside, err)
	}
	for _, a := range of {
		a.written.Hinted = written
	}
	return nil
}
