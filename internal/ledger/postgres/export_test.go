package postgres

import (
	"errors"

	"github.com/jackc/pgx/v5/pgxpool"
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

// Pool returns the connections of the ledger.
func (l *Ledger) Pool() *pgxpool.Pool { return l.pool }
