package call

import "time"

// CheckLedger returns the invariants that rows break together: I5, I13, I14, and I12 against the instant now when a sweep runs
// at least every period. A period of zero or less says that no sweep runs, so that no row is called overdue.
func CheckLedger(rows []Call, now time.Time, period time.Duration) []Breach {
	l := ledgerCheck{tokens: map[string]Call{}, contacts: map[string]string{}, rings: map[family]map[int]Call{}, keys: map[string]Key{}, ids: map[string]bool{}}
	for _, c := range rows {
		l.ids[c.ID] = true
		if c.Ring == 0 && !c.IsForgotten() {
			l.keys[c.ID] = c.Key
		}
	}
	for _, c := range rows {
		l.row = c.ID
		l.checkOwners(c)
		f := l.familyOf(c)
		if l.rings[f] == nil {
			l.rings[f] = map[int]Call{}
		}
		_, twice := l.rings[f][c.Ring]
		l.check(!twice, "I13", "ring %d exists twice", c.Ring)
		l.rings[f][c.Ring] = c
		if period > 0 {
			l.checkSwept(c, now, period)
		}
	}
	for _, c := range rows {
		l.row = c.ID
		l.checkRings(c)
	}
	return l.found
}

type ledgerCheck struct {
	findings
	tokens   map[string]Call
	contacts map[string]string
	rings    map[family]map[int]Call
	ids      map[string]bool
	keys     map[string]Key // of the first rows that have one, by id
}

// family is what the rings of a key have in common: the key, or the id of a first row that was forgotten.
type family struct {
	key   Key
	first string
}

func (l *ledgerCheck) familyOf(c Call) family {
	if !c.IsForgotten() {
		return family{key: c.Key}
	}
	first := c.FirstRow
	if c.Ring == 0 {
		first = c.ID
	}
	if key, known := l.keys[first]; known { // an erasure that was interrupted before its last row
		return family{key: key}
	}
	return family{first: first}
}

// checkOwners finds a token or a contact id that two calls claim.
func (l *ledgerCheck) checkOwners(c Call) {
	if other, taken := l.tokens[c.Token]; taken && c.Token != "" {
		l.check(false, "I14", "shares its client token with %s", other.ID)
		l.check(other.PinHash == "" || c.PinHash == "" || other.PinHash == c.PinHash, "I5", "one token with two bodies, also in %s", other.ID)
	}
	l.tokens[c.Token] = c
	if other, taken := l.contacts[c.ContactID]; taken && c.ContactID != "" {
		l.check(false, "I14", "shares its contact id with %s", other)
	}
	l.contacts[c.ContactID] = c.ID
}

// checkSwept finds a row that waits for nothing and is not moved on.
func (l *ledgerCheck) checkSwept(c Call, now time.Time, period time.Duration) {
	if due := c.DueAt(); !due.IsZero() {
		l.check(!now.After(due.Add(period)), "I12", "due for %s and not swept", now.Sub(due))
	}
	if !c.State.Final() && c.Due.After(now.Add(LeaseTime+period)) {
		l.check(c.DueReason != "", "I12", "held until %s without a reason", c.Due.Format(time.RFC3339))
	}
}

// checkRings finds a ring number that was skipped, never claimed, or claimed and forgotten.
func (l *ledgerCheck) checkRings(c Call) {
	rings := l.rings[l.familyOf(c)]
	exists := func(n int) bool { _, there := rings[n]; return there }
	if c.Ring > 0 {
		before := rings[c.Ring-1]
		l.check(exists(c.Ring-1), "I13", "ring %d without ring %d", c.Ring, c.Ring-1)
		if c.Cause == CauseRule && exists(c.Ring-1) {
			l.check(c.Recalls == before.Recalls+1, "I13", "re-call %d by a rule after re-call %d", c.Recalls, before.Recalls)
			l.check(c.RequestedAt.Equal(before.RequestedAt), "I13", "a rule rings again for another request than that of the ring before")
		}
		return
	}
	l.check(c.EscalatedTo == "" || l.ids[c.EscalatedTo], "I12", "the next recipient %s was claimed and their call does not exist", c.EscalatedTo)
	l.check(c.LastRing == 0 || c.Next != nil || exists(c.LastRing), "I12", "ring %d was claimed and its call does not exist", c.LastRing)
	l.check(!exists(c.LastRing+1), "I13", "ring %d exists and was not claimed", c.LastRing+1)
}
