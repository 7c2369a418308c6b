package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/ringonce/ringonce/internal/call"
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

// WriteTogether makes writes as one group, as those are that come at the same time.
func (l *Ledger) WriteTogether(create []bool, writes ...call.Write) ([]call.Written, []error) {
	group, written, errs := make([]*job, len(writes)), make([]call.Written, len(writes)), make([]error, len(writes))
	for i, w := range writes {
		doc, err := w.Row.Encode()
		if err != nil {
			return nil, []error{err}
		}
		group[i] = &job{kind: jobUpdate, write: w, doc: doc, tokenHash: hashToken(w.Row.Token)}
		if create[i] {
			group[i].kind, group[i].recipient = jobCreate, l.options.Recipient(w.Row.Key.KeySpace, w.Row.Key.RecipientID)
		}
	}
	answers, err := l.commit(group)
	for i := range writes {
		if errs[i] = err; err == nil {
			written[i], errs[i] = answers[i].written, answers[i].err
		}
	}
	return written, errs
}

// Statements returns how many statements the transaction has that writes creates that come at the same time: two beside theirs.
func Statements(creates ...call.Write) int {
	group := make([]*job, len(creates))
	for i, w := range creates {
		group[i] = &job{kind: jobCreate, write: w}
	}
	return statementsOf(context.Background(), "", "", group, nil).pipeline.Len()
}

// Bound bounds each statement that reads to most.
func (l *Ledger) Bound(most time.Duration) { l.queries = queries.New(bounded{l.pool, most}) }

// Pool returns the connections of the ledger.
func (l *Ledger) Pool() *pgxpool.Pool { return l.pool }
