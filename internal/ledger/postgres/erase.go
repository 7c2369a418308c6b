package postgres

import (
	"context"

	"github.com/ringonce/ringonce/internal/call"
)

// Erase implements [call.Eraser]. In one transaction with the row it destroys the earlier entries, the notes and the text of the token.
func (l *Ledger) Erase(ctx context.Context, w call.Write) (call.Written, error) {
	return l.send(ctx, &job{kind: jobErase, write: w})
}

// Scrub implements [call.Eraser]: it removes the dead versions of rows from the tables, then the recipient from the forgotten rows, and the dead
// versions that this leaves. What PostgreSQL keeps elsewhere (the write-ahead log, standbys, archives, backups) ends with its own retention
// (docs/postgres.md, "Forgetting").
func (l *Ledger) Scrub(ctx context.Context, recipient string, _ []string) error {
	if err := l.writable(ctx); err != nil {
		return err
	}
	if err := l.vacuum(ctx, "history, notes, suppressions, calls"); err != nil {
		return err
	}
	if err := l.queries.ScrubRecipient(ctx, recipient); err != nil {
		return l.failed(explain(err, "scrub a recipient"))
	}
	return l.vacuum(ctx, "calls")
}

// vacuum removes what is dead in the tables and not visible to any session any more.
func (l *Ledger) vacuum(ctx context.Context, tables string) error {
	_, err := l.pool.Exec(ctx, "VACUUM (INDEX_CLEANUP ON) "+tables)
	return l.failed(explain(err, "remove what was erased"))
}
