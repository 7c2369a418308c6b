package sqlite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

// The indexes of ids, tokens, contacts, recipients and key spaces are written behind the calls. Their keys are hashes and random ids, so each
// one dirties a page of its own, and those pages cost more than the call itself; many at once, sorted, share pages. Nothing is
// lost by it: the calls are the truth, and what the indexes do not know yet is in the tail (tail.go). A crash leaves the tail in
// the file: it is written to the indexes before the ledger answers anything.
//
// An Index may lag (call/ports.go), but this one does not: a question about a contact, a recipient or a key space waits until the indexes know
// every write that was answered before it.

const (
	// mostUnindexed bounds how many writes the indexes may be behind.
	mostUnindexed = 16384

	insertID        = `INSERT OR IGNORE INTO ids (id, call) VALUES (?, ?)`
	insertToken     = `INSERT OR IGNORE INTO tokens (token, call) VALUES (?, ?)`
	insertContact   = `INSERT OR IGNORE INTO contacts (contact, call) VALUES (?, ?)`
	insertRecipient = `INSERT OR IGNORE INTO recipients (recipient, call) VALUES (?, ?)`
	insertKeySpace  = `INSERT OR IGNORE INTO key_spaces (key_space, call) VALUES (?, ?)`
	selectIDCall    = `SELECT call FROM ids WHERE id = ?`
	selectTokenCall = `SELECT call FROM tokens WHERE token = ?`
	moveIndexed     = `UPDATE ledger SET indexed = ?`
)

// errClaimedTwice is a key that must be unique and is not.
var errClaimedTwice = errors.New("a unique key leads to two rows")

func claimedTwice(what string, a, b int64) error {
	return fmt.Errorf("%w: the %s of row number %d and %d", errClaimedTwice, what, a, b)
}

// indexNow reports whether this transaction must bring the indexes up to date.
func (l *Ledger) indexNow(group []*job, next *record) bool {
	return next.identity.HighWater-next.indexed >= mostUnindexed || erases(group) ||
		slices.ContainsFunc(group, func(j *job) bool { return j.kind == jobIndex || j.kind == jobStop })
}

// index writes the tail to the indexes. The tail keeps it until the transaction is committed.
func (l *Ledger) index(p prepare, next *record) error {
	if next.indexed == next.identity.HighWater {
		return nil
	}
	if err := insertUnique(p, "id", insertID, selectIDCall, l.tail.ids); err != nil {
		return err
	}
	if err := insertUnique(p, "token", insertToken, selectTokenCall, l.tail.tokens); err != nil {
		return err
	}
	if err := insertKeys(p, insertContact, l.tail.contacts); err != nil {
		return err
	}
	if err := insertKeys(p, insertRecipient, l.tail.recipients); err != nil {
		return err
	}
	if err := insertKeys(p, insertKeySpace, l.tail.keySpaces); err != nil {
		return err
	}
	next.indexed = next.identity.HighWater
	_, err := p.exec(moveIndexed, next.indexed)
	return err
}

// insertUnique writes keys that lead to one call each. The index has the last word: a key that leads elsewhere already means that
// the file is damaged, for every write looked its keys up before.
func insertUnique(p prepare, what, insert, find string, calls map[string]int64) error {
	keys := make([]indexKey, 0, len(calls))
	for key, number := range calls {
		keys = append(keys, indexKey{key, number})
	}
	return insertSorted(keys, func(k indexKey) error {
		changed, err := p.exec(insert, k.key, k.call)
		if err != nil || changed > 0 {
			return err
		}
		row, err := p.one(find, k.key)
		if err == nil && (row == nil || numberOf(row[0]) != k.call) {
			err = claimedTwice(what, numberOf(row[0]), k.call)
		}
		return err
	})
}

func insertKeys(p prepare, insert string, keys []indexKey) error {
	return insertSorted(keys, func(k indexKey) error {
		_, err := p.exec(insert, k.key, k.call)
		return err
	})
}

// insertSorted calls insert in the order of the index, so that neighbors are written to the same page.
func insertSorted(keys []indexKey, insert func(indexKey) error) error {
	slices.SortFunc(keys, func(a, b indexKey) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.call, b.call))
	})
	for _, k := range slices.Compact(keys) {
		if err := insert(k); err != nil {
			return err
		}
	}
	return nil
}

// readTail writes what a crash left in the file to the indexes, before anything is answered.
func (l *Ledger) readTail(p prepare) error {
	if err := l.tail.load(p, l.record.indexed); err != nil {
		return explain(err, "read its newest rows")
	}
	next := l.record
	if err := l.transact(p, []*job{{kind: jobIndex}}, make([]answer, 1), nil, &next); err != nil {
		return explain(err, "bring its indexes up to date")
	}
	l.record = next
	l.tail.clear()
	if err := l.tail.sift(p); err != nil {
		return explain(err, "read its keys")
	}
	if err := l.tail.loadErased(p); err != nil {
		return explain(err, "read what was erased")
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
