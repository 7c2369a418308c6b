package sqlite

import (
	"errors"
	"fmt"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/stored"
)

// The statements of the hot path. "OR IGNORE" turns a broken uniqueness into "nothing was changed", which every driver reports
// alike and which leaves the transaction as it is; the losing path then finds out which uniqueness it was. Before each of them the
// tail was asked for what the indexes do not know yet.
const (
	insertCall = `INSERT INTO calls (id, version, state, due, token, contact, recipient, doc, parked) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`

	// insertUnlessKnown asks the indexes; insertCall is for what is surely new.
	insertUnlessKnown = `INSERT INTO calls (id, version, state, due, token, contact, recipient, doc, parked) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9
		WHERE NOT EXISTS (SELECT 1 FROM ids WHERE id = ?1) AND NOT EXISTS (SELECT 1 FROM tokens WHERE token = ?5)`

	insertEntry = `INSERT OR IGNORE INTO history (number, call, seq, op, kind, at, body, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`

	appendEntry = `INSERT OR IGNORE INTO history (number, call, seq, op, kind, at, body, hash)
		SELECT ?, number, ?, ?, ?, ?, ?, ? FROM calls WHERE number = ? AND id = ? AND version = ?`

	replaceCall = `UPDATE calls SET version = ?, state = ?, due = ?, contact = ?, doc = ?, parked = ? WHERE number = ? AND token IS ?`

	selectOwn     = `SELECT 1 FROM history WHERE op = ? AND call = ?`
	selectOpOwner = `SELECT calls.id FROM history JOIN calls ON calls.number = history.call WHERE history.op = ?`
	deleteCall    = `DELETE FROM calls WHERE number = ?`
	deleteEntry   = `DELETE FROM history WHERE op = ?`
)

// create inserts a row and its first entry, as the write of this number. fresh says that it was carried out now.
func (l *Ledger) create(p prepare, j *job, number int64) (a answer, fresh bool, err error) {
	c, e := &j.write.Row, &j.write.Entry
	claimed, free := l.tail.claims(c)
	if !claimed {
		if claimed, err = l.erasedToken(p, c.Token); err != nil {
			return answer{}, false, err
		}
	}
	if claimed {
		a, err = l.lost(p, j)
		return a, false, err
	}
	insert := insertUnlessKnown
	if free {
		insert = insertCall
	}
	result, err := p.result(insert, c.ID, c.Version, string(c.State), optional(c.DueAt()), orNull(c.Token), orNull(c.ContactID), j.recipient, j.doc, parked(c))
	if err != nil {
		return answer{}, false, err
	}
	changed, err := result.RowsAffected()
	if err != nil {
		return answer{}, false, err
	}
	if changed == 0 {
		a, err = l.lost(p, j)
		return a, false, err
	}
	row, err := result.LastInsertId()
	if err != nil {
		return answer{}, false, err
	}
	changed, err = p.exec(insertEntry, number, row, e.Seq, e.Op, string(e.Kind), nanos(e.At), e.Body, e.Hash)
	if err != nil {
		return answer{}, false, err
	}
	if changed == 0 {
		if _, err := p.exec(deleteCall, row); err != nil {
			return answer{}, false, err
		}
		a, err = foreignOp(p, j)
		return a, false, err
	}
	l.tail.created(c, row, j.recipient)
	return answer{written: call.Written{Applied: true, Row: *c}}, true, nil
}

// update appends the entry if the version fits, as the write of this number, and then replaces the row.
func (l *Ledger) update(p prepare, j *job, number int64) (a answer, fresh bool, err error) {
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
	changed, err = p.exec(replaceCall, c.Version, string(c.State), optional(c.DueAt()), orNull(c.ContactID), j.doc, parked(c), row, orNull(c.Token))
	if err == nil && changed == 0 {
		changed, err = l.moveToken(p, j, row)
	}
	if err != nil {
		return answer{}, false, err
	}
	if changed == 0 { // the entry must not stay without its row
		if _, err := p.exec(deleteEntry, e.Op); err != nil {
			return answer{}, false, err
		}
		return answer{err: fmt.Errorf("row %s: %w", c.ID, call.ErrTokenTaken)}, false, nil
	}
	l.tail.updated(c, row)
	return answer{written: call.Written{Applied: true, Row: *c}}, true, nil
}

// lost finds out why a write changed nothing: its op is known, another was faster, its token or op belongs to another row, or
// there is no such row.
func (l *Ledger) lost(p prepare, j *job) (answer, error) {
	id := j.write.Row.ID
	row, err := l.find(p, id)
	if err != nil {
		return answer{}, err
	}
	if row == nil {
		if j.kind != jobCreate {
			return answer{err: fmt.Errorf("update row %s: %w", id, call.ErrNotFound)}, nil
		}
		// The id is free, so it was the token.
		return answer{err: fmt.Errorf("row %s: %w", id, call.ErrTokenTaken)}, nil
	}
	current, err := stored.Call(bytesOf(row[1]))
	if err != nil {
		return answer{err: undecodable(err)}, nil
	}
	own, err := p.one(selectOwn, j.write.Entry.Op, numberOf(row[0]))
	if err != nil {
		return answer{}, err
	}
	if own == nil && j.kind != jobCreate && current.Version == j.write.Row.Version-1 {
		return foreignOp(p, j)
	}
	return answer{written: call.Written{Applied: own != nil, Row: current}}, nil
}

func foreignOp(p prepare, j *job) (answer, error) {
	owner, err := p.one(selectOpOwner, j.write.Entry.Op)
	if err != nil {
		return answer{}, err
	}
	name := ""
	if owner != nil {
		name = textOf(owner[0])
	}
	return answer{err: fmt.Errorf("row %s: op id %s belongs to row %s: nothing was written", j.write.Row.ID, j.write.Entry.Op, name)}, nil
}

// undecodable adds the fix to the error of a row that this program cannot read.
func undecodable(err error) error {
	if errors.Is(err, call.ErrNewerRow) {
		return newer("%v.", err)
	}
	return unavailable(err, "Run ringonce ledger verify.", "A row of the ledger cannot be read (%v).", err)
}
