package sqlite

// A token that moves to or from a row is rare: a row is made with its token. Then the index forgets the old token at once, and the
// new one waits in the tail as every token does.
const (
	selectHeld  = `SELECT token FROM calls WHERE number = ?`
	deleteToken = `DELETE FROM tokens WHERE token = ? AND call = ?`
	moveCall    = `UPDATE calls SET version = ?, state = ?, due = ?, contact = ?, doc = ?, token = ?, parked = ? WHERE number = ?`
)

// moveToken writes a row whose token changes; 0 means that the token belongs to another row.
func (l *Ledger) moveToken(p prepare, j *job, row int64) (int64, error) {
	c := &j.write.Row
	if _, taken := l.tail.tokens[c.Token]; taken {
		return 0, nil
	}
	owner, err := p.one(selectTokenCall, orNull(c.Token))
	if err != nil || owner != nil {
		return 0, err
	}
	if taken, err := l.erasedToken(p, c.Token); err != nil || taken {
		return 0, err
	}
	before, err := p.one(selectHeld, row)
	if err != nil || before == nil {
		return 0, err
	}
	from := textOf(before[0])
	if _, err := p.exec(deleteToken, from, row); err != nil {
		return 0, err
	}
	changed, err := p.exec(moveCall, c.Version, string(c.State), optional(c.DueAt()), orNull(c.ContactID), j.doc, orNull(c.Token), parked(c), row)
	if err == nil && changed > 0 {
		l.tail.moved(from, c.Token, row)
	}
	return changed, err
}

// moved gives a row another token; either may be empty.
func (t *tail) moved(from, to string, row int64) {
	delete(t.tokens, from)
	t.holds(to, row)
}
