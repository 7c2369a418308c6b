package sqlite

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/ringonce/ringonce/internal/call"
)

// An erasure destroys in one transaction: the row's earlier entries, its notes, its recipient and the text of its token, here and in the
// indexes. secure_delete overwrites what is freed in the file; what the WAL still holds goes with the checkpoint of Scrub.
const (
	secureDelete = `PRAGMA secure_delete = ON`
	truncateWAL  = `PRAGMA wal_checkpoint(TRUNCATE)`
	stepRecord   = `UPDATE ledger SET indexed = indexed + ?`

	selectPrivate       = `SELECT token, recipient, doc FROM calls WHERE number = ?`
	eraseCall           = `UPDATE calls SET version = ?, state = ?, due = ?, contact = ?, doc = ?, token = NULL, recipient = '', parked = ? WHERE number = ?`
	deleteEarlier       = `DELETE FROM history WHERE call = ? AND number < ?`
	deleteNotes         = `DELETE FROM notes WHERE row_id = ?`
	deleteSuppressions  = `DELETE FROM suppressions WHERE row_id = ?`
	deleteKeySpace      = `DELETE FROM key_spaces WHERE key_space = ? AND call = ?`
	deleteRecipient     = `DELETE FROM recipients WHERE recipient = ? AND call = ?`
	insertErasedToken   = `INSERT OR IGNORE INTO erased_tokens (hash, call) VALUES (?, ?)`
	selectErasedHash    = `SELECT 1 FROM erased_tokens WHERE hash = ?`
	selectErasedTokens  = `SELECT hash FROM erased_tokens`
	selectForgotten     = `SELECT 1 FROM calls WHERE recipient = '' AND id = ?`
	selectAnyForgotten  = `SELECT 1 FROM calls WHERE recipient = '' LIMIT 1`
	countErased         = `SELECT count(*) FROM erased_tokens`
	secureDeleteSetting = `PRAGMA secure_delete`
)

// erased is what an erasure took from a row, until the indexes have lost it too.
type erased struct {
	row                        int64
	token, recipient, keySpace string
}

// Erase implements [call.Eraser].
func (l *Ledger) Erase(ctx context.Context, w call.Write) (call.Written, error) {
	return l.send(ctx, &job{kind: jobErase, write: w})
}

// Scrub implements [call.Eraser]: it moves the WAL into the file and empties it, both durably. It fails while another process reads an older state
// of the file for longer than the busy time-out.
func (l *Ledger) Scrub(ctx context.Context, _ string, _ []string) error {
	if err := l.writable(ctx); err != nil {
		return err
	}
	_, err := l.wait(ctx, &job{kind: jobScrub})
	return err
}

// overwriteFreed makes SQLite overwrite what it frees, on the connection that writes.
func overwriteFreed(p prepare) error {
	if _, err := p.one(secureDelete); err != nil {
		return explain(err, "set secure_delete")
	}
	set, err := p.one(secureDeleteSetting)
	if err != nil {
		return explain(err, "read secure_delete")
	}
	if set == nil || numberOf(set[0]) != 1 {
		return misconfigured("ledger.path", "Use a build of SQLite that has it.", "SQLite does not overwrite what it frees, so nothing could be forgotten.")
	}
	return nil
}

// eraseRow is update for the write of an erasure.
func (l *Ledger) eraseRow(p prepare, j *job, number int64) (a answer, fresh bool, err error) {
	c, e := &j.write.Row, &j.write.Entry
	row, err := l.rowNumber(p, c.ID)
	if err != nil {
		return answer{}, false, err
	}
	changed, err := p.exec(appendEntry, number, e.Seq, e.Op, string(e.Kind), nanos(e.At), e.Body, e.Hash, row, c.ID, c.Version-1)
	if err != nil {
		return answer{}, false, err
	}
	if changed == 0 {
		a, err = l.lost(p, j)
		return a, false, err
	}
	private, err := p.one(selectPrivate, row)
	if err != nil {
		return answer{}, false, err
	}
	if _, err := p.exec(eraseCall, c.Version, string(c.State), optional(c.DueAt()), orNull(c.ContactID), j.doc, parked(c), row); err != nil {
		return answer{}, false, err
	}
	if _, err := p.exec(deleteEarlier, row, number); err != nil {
		return answer{}, false, err
	}
	for _, text := range []string{deleteNotes, deleteSuppressions} {
		if _, err := p.exec(text, c.ID); err != nil {
			return answer{}, false, err
		}
	}
	before, err := decode(bytesOf(private[2]))
	if err != nil {
		return answer{}, false, err
	}
	j.erased = &erased{row: row, token: textOf(private[0]), recipient: textOf(private[1]), keySpace: before.Key.KeySpace}
	l.tail.updated(c, row)
	l.tail.anyForgotten = true
	return answer{written: call.Written{Applied: true, Row: *c}}, true, nil
}

// unindex takes what was erased out of the indexes, which know everything by now.
func (l *Ledger) unindex(p prepare, group []*job) error {
	for _, j := range group {
		if j.erased == nil {
			continue
		}
		if _, err := p.exec(deleteRecipient, j.erased.recipient, j.erased.row); err != nil {
			return err
		}
		if _, err := p.exec(deleteKeySpace, j.erased.keySpace, j.erased.row); err != nil {
			return err
		}
		if j.erased.token == "" {
			continue
		}
		if _, err := p.exec(deleteToken, j.erased.token, j.erased.row); err != nil {
			return err
		}
		hash := hashToken(j.erased.token)
		if _, err := p.exec(insertErasedToken, hash, j.erased.row); err != nil {
			return err
		}
		l.tail.tokenErased(hash)
	}
	return nil
}

func erases(group []*job) bool {
	return slices.ContainsFunc(group, func(j *job) bool { return j.erased != nil })
}

// scrub empties the WAL for the jobs of a group that ask for it. It runs between transactions.
func (l *Ledger) scrub(group []*job, answers []answer) {
	asked := func(j *job) bool { return j.kind == jobScrub }
	if !slices.ContainsFunc(group, asked) {
		return
	}
	err := l.writer.use(emptyWAL)
	if poisonous(err) {
		l.poison(err)
	}
	for i, j := range group {
		if asked(j) {
			answers[i].err = err
		}
	}
}

// emptyWAL moves the WAL into the file and empties it. SQLite syncs the file and not the new size of the WAL, which a power cut could
// still undo; the next commit syncs both.
func emptyWAL(p prepare) error {
	row, err := p.one(truncateWAL)
	if err != nil {
		return explain(err, "empty its log")
	}
	if row != nil && numberOf(row[0]) != 0 {
		return unavailable(errBusyLog, "Stop what reads the ledger beside this process, and run it again.",
			"The ledger's log cannot be emptied while another process reads it, so it may still hold what was erased.")
	}
	if err := commitNothing(p); err != nil {
		return explain(err, "sync its empty log")
	}
	return nil
}

// commitNothing writes a page that is as it was. One step forth and one back: SQLite writes no page of which nothing was changed.
func commitNothing(p prepare) (err error) {
	if _, err := p.exec(begin); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_, _ = p.exec(rollback) // SQLite may have rolled back by itself
		}
	}()
	for _, step := range []int64{1, -1} {
		if _, err := p.exec(stepRecord, step); err != nil {
			return err
		}
	}
	_, err = p.exec(commit)
	return err
}

func hashToken(token string) string {
	digest := sha256.Sum256([]byte(token))
	return hex.EncodeToString(digest[:])
}

// erasedToken reports whether a token belongs to a forgotten row.
func (l *Ledger) erasedToken(p prepare, token string) (bool, error) {
	if token == "" || !l.tail.anyErased {
		return false, nil
	}
	hash := hashToken(token)
	if l.tail.everyErased.lacks(hash) {
		return false, nil
	}
	row, err := p.one(selectErasedHash, hash)
	return row != nil, err
}

// tokenErased adds the token of a forgotten row.
func (t *tail) tokenErased(hash string) {
	if !t.anyErased {
		t.everyErased.open(mostSifted)
		t.anyErased = true
	}
	t.everyErased.add(hash)
}

// loadErased learns what was erased before the ledger was opened.
func (t *tail) loadErased(p prepare) error {
	row, err := p.one(selectAnyForgotten)
	if err != nil {
		return err
	}
	t.anyForgotten = row != nil
	count, err := p.one(countErased)
	if err != nil || numberOf(count[0]) == 0 {
		return err
	}
	t.anyErased = true
	if numberOf(count[0]) >= mostSifted {
		return nil
	}
	return t.everyErased.fill(p, selectErasedTokens)
}
