package sqlite

import (
	"errors"
	"fmt"

	"github.com/ringonce/ringonce/internal/call"
)

// The statements of the hot path. "OR IGNORE" turns a broken uniqueness into "nothing was changed", which every driver reports
// alike and which leaves the transaction as it is; the losing path then finds out which uniqueness it was.
//
// An update leaves the columns alone that it does not change: SQLite rewrites the index of every column that is set, changed or
// not, and the page of a token lies at a random place.
const (
	insertCall = `INSERT OR IGNORE INTO calls (id, version, state, due, token, contact, recipient, doc) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`

	insertEntry = `INSERT OR IGNORE INTO history (number, call, seq, op, kind, at, body, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`

	appendEntry = `INSERT OR IGNORE INTO history (number, call, seq, op, kind, at, body, hash)
		SELECT ?, number, ?, ?, ?, ?, ?, ? FROM calls WHERE id = ? AND version = ?`

	replaceCall = `UPDATE calls SET version = ?, state = ?, due = ?, contact = ?, doc = ? WHERE id = ? AND token IS ?`

	moveCall = `UPDATE OR IGNORE calls SET version = ?, state = ?, due = ?, contact = ?, doc = ?, token = ? WHERE id = ?`

	selectForWrite = `SELECT number, doc FROM calls WHERE id = ?`
	selectOwn      = `SELECT 1 FROM history WHERE op = ? AND call = ?`
	selectOpOwner  = `SELECT calls.id FROM history JOIN calls ON calls.number = history.call WHERE history.op = ?`
	selectOwner    = `SELECT id FROM calls WHERE token = ?`
	deleteCall     = `DELETE FROM calls WHERE id = ?`
	deleteEntry    = `DELETE FROM history WHERE op = ?`
)

// create inserts a row and its first entry, as the write of this number. fresh says that it was carried out now.
func create(p prepare, j *job, number int64) (a answer, fresh bool, err error) {
	c, e := &j.write.Row, &j.write.Entry
	result, err := p.result(insertCall, c.ID, c.Version, string(c.State), optional(c.DueAt()), orNull(c.Token), orNull(c.ContactID), j.recipient, j.doc)
	if err != nil {
		return answer{}, false, err
	}
	changed, err := result.RowsAffected()
	if err != nil {
		return answer{}, false, err
	}
	if changed == 0 {
		a, err = lost(p, j)
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
		if _, err := p.exec(deleteCall, c.ID); err != nil {
			return answer{}, false, err
		}
		a, err = foreignOp(p, j)
		return a, false, err
	}
	return answer{written: call.Written{Applied: true, Row: *c}}, true, nil
}

// update appends the entry if the version fits, as the write of this number, and then replaces the row.
func update(p prepare, j *job, number int64) (a answer, fresh bool, err error) {
	c, e := &j.write.Row, &j.write.Entry
	changed, err := p.exec(appendEntry, number, e.Seq, e.Op, string(e.Kind), nanos(e.At), e.Body, e.Hash, c.ID, c.Version-1)
	if err != nil {
		return answer{}, false, err
	}
	if changed == 0 {
		a, err = lost(p, j)
		return a, false, err
	}
	if changed, err = replace(p, j); err != nil {
		return answer{}, false, err
	}
	if changed == 0 { // the entry must not stay without its row
		if _, err := p.exec(deleteEntry, e.Op); err != nil {
			return answer{}, false, err
		}
		return answer{err: fmt.Errorf("row %s: %w", c.ID, call.ErrTokenTaken)}, false, nil
	}
	return answer{written: call.Written{Applied: true, Row: *c}}, true, nil
}

// replace writes the row by the cheapest statement that fits; 0 means that the token belongs to another row.
func replace(p prepare, j *job) (int64, error) {
	c := &j.write.Row
	state, due, token, contact := string(c.State), optional(c.DueAt()), orNull(c.Token), orNull(c.ContactID)
	changed, err := p.exec(replaceCall, c.Version, state, due, contact, j.doc, c.ID, token)
	if err != nil || changed > 0 {
		return changed, err
	}
	return p.exec(moveCall, c.Version, state, due, contact, j.doc, token, c.ID)
}

// lost finds out why a write changed nothing: its op is known, another was faster, its token or op belongs to another row, or
// there is no such row.
func lost(p prepare, j *job) (answer, error) {
	id := j.write.Row.ID
	row, err := p.one(selectForWrite, id)
	if err != nil {
		return answer{}, err
	}
	if row == nil {
		if j.kind == jobUpdate {
			return answer{err: fmt.Errorf("update row %s: %w", id, call.ErrNotFound)}, nil
		}
		return clash(p, j)
	}
	current, err := call.DecodeCall(bytesOf(row[1]))
	if err != nil {
		return answer{err: undecodable(err)}, nil
	}
	own, err := p.one(selectOwn, j.write.Entry.Op, numberOf(row[0]))
	if err != nil {
		return answer{}, err
	}
	if own == nil && j.kind == jobUpdate && current.Version == j.write.Row.Version-1 {
		return foreignOp(p, j)
	}
	return answer{written: call.Written{Applied: own != nil, Row: current}}, nil
}

// clash names the reason of a row that could not be created although its id is free.
func clash(p prepare, j *job) (answer, error) {
	owner, err := p.one(selectOwner, orNull(j.write.Row.Token))
	if err != nil {
		return answer{}, err
	}
	if owner == nil {
		return answer{err: fmt.Errorf("row %s does not fit the schema: nothing was written", j.write.Row.ID)}, nil
	}
	return answer{err: fmt.Errorf("row %s: %w", j.write.Row.ID, call.ErrTokenTaken)}, nil
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
