package sqlite

import (
	"cmp"
	"context"
	"database/sql/driver"
	"slices"
)

// The indexes of contacts and recipients are written behind the calls. Their keys are hashes and random ids, so each one dirties a
// page of its own, and those pages cost more than the call itself; many at once share pages. Nothing is lost by it: the calls are
// the truth, and what the indexes do not know yet is found through the history after a crash. An Index may lag (call/ports.go), but this one
// does not: a question waits until the indexes know every write that was answered before it.

const (
	// mostUnindexed bounds how far the indexes may be behind.
	mostUnindexed = 8192

	selectTouched = `SELECT number, contact, recipient FROM calls
		WHERE number IN (SELECT call FROM history WHERE number > ? AND number <= ?)`
	insertContact   = `INSERT OR IGNORE INTO contacts (contact, call) VALUES (?, ?)`
	insertRecipient = `INSERT OR IGNORE INTO recipients (recipient, call) VALUES (?, ?)`
	moveIndexed     = `UPDATE ledger SET indexed = ?`
)

// indexKey is a key to be written, and the number of the call it leads to.
type indexKey struct {
	key  string
	call int64
}

// indexNow reports whether this transaction must bring the indexes up to date.
func (l *Ledger) indexNow(group []*job, next *record) bool {
	return next.identity.HighWater-next.indexed >= mostUnindexed ||
		slices.ContainsFunc(group, func(j *job) bool { return j.kind == jobIndex || j.kind == jobStop })
}

// index brings the indexes up to date with the history, sorted, so that neighbors are written to the same page.
func (l *Ledger) index(p prepare, next *record) error {
	if next.indexed == next.identity.HighWater {
		return nil
	}
	for next.indexed < next.identity.HighWater {
		through := min(next.indexed+mostUnindexed, next.identity.HighWater)
		var contacts, recipients []indexKey
		err := p.each(func(row []driver.Value) error {
			number := numberOf(row[0])
			if row[1] != nil {
				contacts = append(contacts, indexKey{textOf(row[1]), number})
			}
			recipients = append(recipients, indexKey{textOf(row[2]), number})
			return nil
		}, selectTouched, next.indexed, through)
		if err != nil {
			return err
		}
		if err := insertKeys(p, insertContact, contacts); err != nil {
			return err
		}
		if err := insertKeys(p, insertRecipient, recipients); err != nil {
			return err
		}
		next.indexed = through
	}
	_, err := p.exec(moveIndexed, next.indexed)
	return err
}

func insertKeys(p prepare, statement string, keys []indexKey) error {
	slices.SortFunc(keys, func(a, b indexKey) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.call, b.call))
	})
	for _, k := range keys {
		if _, err := p.exec(statement, k.key, k.call); err != nil {
			return err
		}
	}
	return nil
}

// catchUp waits until the indexes know every write that was answered. A reader beside another process takes them as they are.
func (l *Ledger) catchUp(ctx context.Context) error {
	if err := l.usable(ctx); err != nil || l.options.ReadOnly {
		return err
	}
	l.mu.RLock()
	behind := l.record.identity.HighWater > l.record.indexed
	l.mu.RUnlock()
	if !behind {
		return nil
	}
	_, err := l.wait(ctx, &job{kind: jobIndex})
	return err
}
