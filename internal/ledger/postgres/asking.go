package postgres

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/postgres/queries"
)

const (
	// mostAsking is how many statements for rows are on their way at once. What is asked meanwhile shares the next: a row among others costs the
	// server and this process a fraction of what it costs alone. A lone question goes alone, at once.
	mostAsking = 2
	// mostAsked bounds one of them.
	mostAsked = 256
)

// asking holds the questions for rows that no statement carries yet.
type asking struct {
	mu      sync.Mutex
	waiting []question
	flying  int
}

// question is one [Ledger.Get].
type question struct {
	id     string
	answer chan document // buffered: the asker may be gone
}

// document is a row as it is stored.
type document struct {
	doc []byte
	err error
}

// ask returns a row as it is stored. The statement begins after ask does, so it sees every write that was answered before.
func (l *Ledger) ask(ctx context.Context, id string) ([]byte, error) {
	q := question{id: id, answer: make(chan document, 1)}
	l.asking.mu.Lock()
	l.asking.waiting = append(l.asking.waiting, q)
	lead := l.asking.flying < mostAsking
	if lead {
		l.asking.flying++
	}
	l.asking.mu.Unlock()
	if lead {
		go l.carry()
	}
	select {
	case d := <-q.answer:
		return d.doc, d.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// carry answers what waits until nothing does.
func (l *Ledger) carry() {
	for {
		runtime.Gosched() // whoever is about to ask joins
		l.asking.mu.Lock()
		n := min(len(l.asking.waiting), mostAsked)
		group := l.asking.waiting[:n:n]
		l.asking.waiting = l.asking.waiting[n:]
		if n == 0 {
			l.asking.flying--
			l.asking.waiting = nil
		}
		l.asking.mu.Unlock()
		if n == 0 {
			return
		}
		l.answerAll(group)
	}
}

// answerAll answers questions by one statement. One that PostgreSQL cannot read fails it, and then each is asked alone: nobody's id spoils the answer to
// another's.
func (l *Ledger) answerAll(group []question) {
	ctx, cancel := context.WithTimeout(context.Background(), groupTime)
	defer cancel()
	if len(group) == 1 {
		doc, err := l.queries.GetCall(ctx, group[0].id)
		switch {
		case unstorable(err):
			err = fmt.Errorf("row %s: %w", group[0].id, call.ErrNotFound) // what cannot be stored is not there
		case err != nil:
			err = l.absent(err, "row", group[0].id, "read a row")
		}
		group[0].answer <- document{doc, err}
		return
	}
	ids := make([]string, len(group))
	for i, q := range group {
		ids[i] = q.id
	}
	rows, err := l.queries.GetCalls(ctx, ids)
	if unstorable(err) {
		for i := range group {
			l.answerAll(group[i : i+1])
		}
		return
	}
	if err != nil {
		err = l.failed(explain(err, "read rows"))
	}
	found := documents(rows)
	for _, q := range group {
		d := document{doc: found[q.id], err: err}
		if err == nil && d.doc == nil {
			d.err = fmt.Errorf("row %s: %w", q.id, call.ErrNotFound)
		}
		q.answer <- d
	}
}

func documents(rows []queries.GetCallsRow) map[string][]byte {
	found := make(map[string][]byte, len(rows))
	for _, row := range rows {
		found[row.ID] = row.Doc
	}
	return found
}
