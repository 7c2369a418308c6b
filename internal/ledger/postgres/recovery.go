package postgres

import (
	"context"
	"strconv"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/postgres/queries"
)

// BeginRecovery opens a recovery (protocol.md section 11, step 2): the epoch grows and gets an incarnation of its own, so that every older copy of
// the database is told apart from now on; the stretch of forgotten time and the server are stored; the witness is written anew. Processes that have
// the ledger open end with their next write or connection. A crash in between leaves the witness of an incarnation that the ledger knows.
func (l *Ledger) BeginRecovery(ctx context.Context, r call.Recovery) error {
	if err := l.usable(ctx); err != nil {
		return err
	}
	if l.options.ReadOnly {
		return errReadOnly
	}
	found, err := readRecord(ctx, l.queries)
	if err != nil {
		return l.failed(err)
	}
	l.know(found.incarnation, found.identity.HighWater, false)
	next := l.options.RandomID() + "-" + strconv.FormatInt(found.identity.Epoch+1, 10)
	backup, restored := nanos(r.Backup), nanos(r.Restored)
	_, err = l.queries.BeginRecovery(ctx, queries.BeginRecoveryParams{
		Next: next, Before: found.incarnation, Cluster: found.server.cluster, Timeline: found.server.timeline, Backup: &backup, Restored: &restored,
	})
	if err != nil {
		return l.failed(explain(err, "begin a recovery"))
	}
	l.know(next, found.identity.HighWater, false)
	if err := l.witness.record(testimony{id: found.identity.ID, incarnation: next, highWater: found.identity.HighWater}, true); err != nil {
		return witnessTrouble(err, "written", l.options.WitnessPath)
	}
	l.wentBack.Store(false)
	l.know(next, found.identity.HighWater, true)
	return nil
}

// know sets what new connections are compared with, and whether they are.
func (l *Ledger) know(incarnation string, seen int64, opened bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.incarnation, l.seen, l.opened = incarnation, seen, opened
}

// CloseRecovery ends a recovery. It returns a call.Error of code recovery_not_open when none is open.
func (l *Ledger) CloseRecovery(ctx context.Context) error {
	if err := l.writable(ctx); err != nil {
		return err
	}
	_, incarnation, _ := l.sight()
	changed, err := l.queries.CloseRecovery(ctx, incarnation)
	if err == nil && changed == 0 {
		return &call.Error{Code: call.CodeRecoveryNotOpen, Message: "No recovery of this ledger is open.", Fix: "Run ringonce ledger recover first."}
	}
	return l.failed(explain(err, "end a recovery"))
}

// Unfinished returns at most limit ids of rows that are not final, in the order of creation, and a cursor for the next page,
// empty at the end.
func (l *Ledger) Unfinished(ctx context.Context, cursor string, limit int) ([]string, string, error) {
	if err := l.usable(ctx); err != nil {
		return nil, "", err
	}
	after := int64(0)
	if cursor != "" {
		var err error
		if after, err = position(cursor); err != nil {
			return nil, "", err
		}
	}
	rows, err := l.queries.UnfinishedCalls(ctx, queries.UnfinishedCallsParams{After: after, Most: most(limit) + 1})
	if err != nil {
		return nil, "", l.failed(explain(err, "list its unfinished rows"))
	}
	next := ""
	if len(rows) > limit {
		rows = rows[:limit]
		next = cursor
		if limit > 0 {
			next = strconv.FormatInt(rows[limit-1].Number, 10)
		}
	}
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	return ids, next, nil
}

// SetReading records which reading of the client token was measured on the instance; empty forgets it.
func (l *Ledger) SetReading(ctx context.Context, reading string) error {
	if err := l.writable(ctx); err != nil {
		return err
	}
	_, incarnation, _ := l.sight()
	changed, err := l.queries.SetReading(ctx, queries.SetReadingParams{Reading: reading, Incarnation: incarnation})
	if err == nil && changed == 0 {
		l.poison(superseded())
	}
	return l.failed(explain(err, "record the reading"))
}
