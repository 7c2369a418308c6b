package memory

import (
	"cmp"
	"fmt"
	"sync"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// row is a call with its history. Entries are only ever appended.
type row struct {
	number    int // place in creation order, the first is 1
	call      call.Call
	recipient string
	entries   []call.Entry
	due       time.Time // call.DueAt
	place     int       // in the heap of due rows, from 1; 0 when it is not there
}

// store is the data behind ledgers. One mutex guards everything: each act is short, and a driver that must be believed is
// better simple than parallel.
type store struct {
	mu        sync.Mutex
	rows      map[string]*row
	created   []*row               // by number
	tokens    map[tokenHash]string // to row id; a token without its text, so that it stays taken when its row is forgotten
	contacts  map[string]string    // contact id to the row that owns it, the oldest of several
	ops       map[string]string    // op to row id
	due       dueHeap              // rows that have a due time
	notes     map[string]*notes
	noted     []string // row ids of the kept notes, in the order in which they were kept
	parked    map[string]call.Parked
	cells     map[string]call.Cell
	beat      time.Time
	epoch     int64
	highWater int64
	lastWrite time.Time
	recovery  *call.Recovery
	reading   string
}

func newStore() *store {
	return &store{
		rows: map[string]*row{}, tokens: map[tokenHash]string{}, contacts: map[string]string{}, ops: map[string]string{},
		notes: map[string]*notes{}, parked: map[string]call.Parked{}, cells: map[string]call.Cell{}, epoch: 1,
	}
}

func (s *store) create(w call.Write, recipient string) (call.Written, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, exists := s.rows[w.Row.ID]; exists {
		return call.Written{Applied: s.ops[w.Entry.Op] == w.Row.ID, Row: r.call}, nil
	}
	if err := cmp.Or(s.tokenFree(w), s.opFree(w)); err != nil {
		return call.Written{}, err
	}
	r := &row{number: len(s.created) + 1, recipient: recipient, entries: make([]call.Entry, 0, 2)}
	s.rows[w.Row.ID] = r
	s.created = append(s.created, r)
	s.apply(r, w)
	return call.Written{Applied: true, Row: w.Row}, nil
}

func (s *store) update(w call.Write) (call.Written, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.replace(w)
}

// replace is update for a caller that holds the lock.
func (s *store) replace(w call.Write) (call.Written, error) {
	r, exists := s.rows[w.Row.ID]
	if !exists {
		return call.Written{}, fmt.Errorf("update row %s: %w", w.Row.ID, call.ErrNotFound)
	}
	if s.ops[w.Entry.Op] == w.Row.ID {
		return call.Written{Applied: true, Row: r.call}, nil
	}
	if r.call.Version != w.Row.Version-1 {
		return call.Written{Row: r.call}, nil
	}
	if err := cmp.Or(s.opFree(w), s.tokenFree(w)); err != nil {
		return call.Written{}, err
	}
	s.apply(r, w)
	return call.Written{Applied: true, Row: w.Row}, nil
}

// tokenFree reports a token that belongs to another row.
func (s *store) tokenFree(w call.Write) error {
	if owner, taken := s.tokens[hashToken(w.Row.Token)]; taken && w.Row.Token != "" && owner != w.Row.ID {
		return fmt.Errorf("row %s: %w", w.Row.ID, call.ErrTokenTaken)
	}
	return nil
}

// opFree reports an op id that belongs to another row.
func (s *store) opFree(w call.Write) error {
	if owner, taken := s.ops[w.Entry.Op]; taken {
		return fmt.Errorf("row %s: op id %s belongs to row %s: nothing was written", w.Row.ID, w.Entry.Op, owner)
	}
	return nil
}

// apply writes the row and its entry, and moves the row in every index.
func (s *store) apply(r *row, w call.Write) {
	if before := r.call.Token; before != w.Row.Token && before != "" && !w.Row.IsForgotten() {
		delete(s.tokens, hashToken(before))
	}
	if w.Row.Token != "" {
		s.tokens[hashToken(w.Row.Token)] = w.Row.ID
	}
	if id := w.Row.ContactID; id != "" {
		if owner, known := s.rows[s.contacts[id]]; !known || r.number < owner.number {
			s.contacts[id] = w.Row.ID
		}
	}
	s.due.set(r, w.Row.DueAt())
	s.ops[w.Entry.Op] = w.Row.ID
	r.call = w.Row
	r.entries = append(r.entries, w.Entry)
	s.highWater++
	s.lastWrite = w.Entry.At
}

func (s *store) get(id string) (call.Call, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, exists := s.rows[id]
	if !exists {
		return call.Call{}, fmt.Errorf("row %s: %w", id, call.ErrNotFound)
	}
	return r.call, nil
}

func (s *store) dueBy(now time.Time, limit int) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return ids(s.due.by(now, limit), limit)
}

func (s *store) describe(identity *call.LedgerIdentity) {
	s.mu.Lock()
	defer s.mu.Unlock()
	identity.Epoch, identity.HighWater, identity.LastWrite, identity.Reading = s.epoch, s.highWater, s.lastWrite, s.reading
	if s.recovery != nil {
		open := *s.recovery
		identity.Recovery = &open
	}
}

func ids(rows []*row, limit int) []string {
	rows = rows[:min(max(limit, 0), len(rows))]
	list := make([]string, len(rows))
	for i, r := range rows {
		list[i] = r.call.ID
	}
	return list
}
