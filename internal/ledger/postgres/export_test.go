package postgres

import (
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/ringonce/ringonce/internal/ledger/postgres/queries"
)

var errKilled = errors.New("the process was killed")

// Kill ends the ledger as the death of its process would: what waits is dropped, and nothing is answered any more.
func (l *Ledger) Kill() { l.poison(errKilled) }

// AskTogether asks for rows by one statement, as [Ledger.Get] does for those that are asked for at the same time, and returns the error of each.
func (l *Ledger) AskTogether(ids ...string) []error {
	group, errs := make([]question, len(ids)), make([]error, len(ids))
	for i, id := range ids {
		group[i] = question{id: id, answer: make(chan document, 1)}
	}
	l.answerAll(group)
	for i, q := range group {
		errs[i] = (<-q.answer).err
	}
	return errs
}

// Bound bounds each statement that reads to most.
func (l *Ledger) Bound(most time.Duration) { l.queries = queries.New(bounded{l.pool, most}) }

// Pool returns the connections of the ledger.
func (l *Ledger) Pool() *pgxpool.Pool { return l.pool }
