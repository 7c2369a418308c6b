package sqlite

import (
	"context"
	"database/sql/driver"
	"strconv"

	"github.com/ringonce/ringonce/internal/call"
)

const (
	openRecovery     = `UPDATE ledger SET epoch = epoch + 1, backup = ?, restored = ?`
	closeRecovery    = `UPDATE ledger SET backup = NULL, restored = NULL`
	selectUnfinished = `SELECT number, id FROM calls WHERE number > ? AND state IN ('received', 'dialing') ORDER BY number LIMIT ?`
)

// BeginRecovery opens a recovery (protocol.md section 11, step 2): the epoch grows, so that every older copy of the file is told
// apart from now on; the stretch of forgotten time is stored; the witness is written anew. A crash in between leaves a witness of
// the old epoch, and the recovery begins again.
func (l *Ledger) BeginRecovery(ctx context.Context, r call.Recovery) error {
	if err := l.usable(ctx); err != nil {
		return err
	}
	if l.options.ReadOnly {
		return errReadOnly
	}
	_, err := l.wait(ctx, &job{kind: jobAct, act: func(p prepare, next *record) error {
		if _, err := p.exec(openRecovery, nanos(r.Backup), nanos(r.Restored)); err != nil {
			return err
		}
		next.identity.Epoch++
		next.identity.Recovery = &call.Recovery{Backup: r.Backup, Restored: r.Restored}
		return nil
	}, after: func() { l.wentBack.Store(false) }})
	return err
}

// CloseRecovery ends a recovery. It returns a call.Error of code recovery_not_open when none is open.
func (l *Ledger) CloseRecovery(ctx context.Context) error {
	if err := l.writable(ctx); err != nil {
		return err
	}
	_, err := l.wait(ctx, &job{kind: jobAct, act: func(p prepare, next *record) error {
		if next.identity.Recovery == nil {
			return &call.Error{Code: call.CodeRecoveryNotOpen, Message: "No recovery of this ledger is open.", Fix: "Run ringonce ledger recover first."}
		}
		next.identity.Recovery = nil
		_, err := p.exec(closeRecovery)
		return err
	}})
	return err
}

// Unfinished returns at most limit ids of rows that are not final, in the order of creation, and a cursor for the next page,
// empty at the end.
func (l *Ledger) Unfinished(ctx context.Context, cursor string, limit int) ([]string, string, error) {
	after := int64(0)
	if cursor != "" {
		var err error
		if after, err = position(cursor); err != nil {
			return nil, "", err
		}
	}
	var ids []string
	next := ""
	err := l.read(ctx, "list its unfinished rows", func(p prepare) error {
		return p.each(func(row []driver.Value) error {
			if len(ids) == limit {
				next = strconv.FormatInt(after, 10)
				return nil
			}
			after = numberOf(row[0])
			ids = append(ids, textOf(row[1]))
			return nil
		}, selectUnfinished, after, int64(limit)+1)
	})
	return ids, next, err
}
