package sqlite

import (
	"database/sql/driver"
	"sync"

	"github.com/ringonce/ringonce/internal/call"
)

// tail holds the keys of the newest writes, which the indexes do not know yet (catchup.go). What is unique must be looked up in
// the tail and in the index, and the sieves spare most of these looks. It is bounded by mostUnindexed.
//
// It may hold rows of a transaction that is not committed, or that failed. That is harmless: a number is followed to the row of
// this id or to none. After a failed transaction the writer loads it anew.
type tail struct {
	mu      sync.RWMutex
	ids     map[string]int64 // calls.number by id; guarded by mu, because readers look rows up
	everyID sieve            // of the tail and the index; guarded by mu

	// The rest belongs to the writer alone.
	tokens     map[string]int64
	everyToken sieve
	contacts   []indexKey
	recipients []indexKey
	keySpaces  []indexKey

	anyForgotten bool  // some row is forgotten, so notes ask before they are written
	anyErased    bool  // some forgotten row had a token
	everyErased  sieve // of the hashes of those tokens
}

// indexKey is a key to be written, and the number of the call it leads to.
type indexKey struct {
	key  string
	call int64
}

const (
	// keySpaceOf is that of a row's document; null for the unnamed one, and for a document that cannot be read.
	keySpaceOf = `CASE WHEN json_valid(CAST(calls.doc AS TEXT)) THEN json_extract(CAST(calls.doc AS TEXT), '$.key.keySpace') END`

	selectTouched = `SELECT number, id, token, contact, recipient, ` + keySpaceOf + ` FROM calls WHERE number IN (SELECT call FROM history WHERE number > ?)`
)

// number returns the number of a row whose id the index may not know yet. absent says that no row at all has the id.
func (t *tail) number(id string) (number int64, fresh, absent bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if t.everyID.lacks(id) {
		return 0, false, true
	}
	number, fresh = t.ids[id]
	return number, fresh, false
}

// claims reports whether the id or the token of a row to be made belongs to a row of the tail. free says that no row at all has
// either. It is the writer's, as everything below.
func (t *tail) claims(c *call.Call) (claimed, free bool) {
	if t.everyID.lacks(c.ID) && (c.Token == "" || t.everyToken.lacks(c.Token)) {
		return false, true
	}
	_, known := t.ids[c.ID]
	_, taken := t.tokens[c.Token]
	return known || taken, false
}

// created adds a new row.
func (t *tail) created(c *call.Call, number int64, recipient string) {
	t.mu.Lock()
	t.ids[c.ID] = number
	t.everyID.add(c.ID)
	t.mu.Unlock()
	t.holds(c.Token, number)
	if recipient != "" {
		t.recipients = append(t.recipients, indexKey{recipient, number})
	}
	if c.Key.KeySpace != "" {
		t.keySpaces = append(t.keySpaces, indexKey{c.Key.KeySpace, number})
	}
	t.updated(c, number)
}

// updated adds what may have come with a new version of a row. A token that moves is the business of moveToken.
func (t *tail) updated(c *call.Call, number int64) {
	if c.ContactID != "" {
		t.contacts = append(t.contacts, indexKey{c.ContactID, number})
	}
}

// holds adds the token of a row, if it has one.
func (t *tail) holds(token string, number int64) {
	if token != "" {
		t.tokens[token] = number
		t.everyToken.add(token)
	}
}

// load reads the tail from the file, as after a crash: the rows of every write that the indexes do not know. Keys that they know
// nevertheless, because a row was updated again, do no harm. Readers see the tail of before until the new one is whole.
func (t *tail) load(p prepare, indexed int64) error {
	loaded := &tail{ids: map[string]int64{}, tokens: map[string]int64{}}
	err := p.each(func(row []driver.Value) error {
		c := call.Call{ID: textOf(row[1]), Token: textOf(row[2]), ContactID: textOf(row[3]), Key: call.Key{KeySpace: textOf(row[5])}}
		number := numberOf(row[0])
		if other, twice := loaded.ids[c.ID]; twice {
			return claimedTwice("id", other, number)
		}
		if other, twice := loaded.tokens[c.Token]; twice {
			return claimedTwice("token", other, number)
		}
		loaded.created(&c, number, textOf(row[4]))
		return nil
	}, selectTouched, indexed)
	if err != nil {
		return err
	}
	t.mu.Lock()
	t.ids = loaded.ids
	t.mu.Unlock()
	t.tokens, t.contacts, t.recipients, t.keySpaces = loaded.tokens, loaded.contacts, loaded.recipients, loaded.keySpaces
	return nil
}

// clear forgets everything but the sieves: the indexes know it now.
func (t *tail) clear() {
	t.mu.Lock()
	clear(t.ids)
	t.mu.Unlock()
	clear(t.tokens)
	t.contacts, t.recipients, t.keySpaces = t.contacts[:0], t.recipients[:0], t.keySpaces[:0]
}
