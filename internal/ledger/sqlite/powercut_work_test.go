package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/sqlite"
)

// work writes to a ledger until its power is cut, and remembers what was answered.
type work struct {
	shape shape
	t     *testing.T

	mu       sync.Mutex
	answered []call.Write           // in the order of their answers
	open     []call.Write           // sent and not answered
	parked   map[string]call.Parked // answered
	closed   map[string]bool        // answered
	closing  map[string]bool        // sent
	erased   map[string]bool        // sent
	cells    map[string]call.Cell   // answered, by name: the newest version
	setting  map[string]call.Cell   // sent and not answered
}

// run lets the writers write side by side, each to rows of its own, until they are done or the ledger fails.
func (k *work) run(l *sqlite.Ledger) {
	k.parked, k.closed, k.closing, k.erased = map[string]call.Parked{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	k.cells, k.setting = map[string]call.Cell{}, map[string]call.Cell{}
	var wg sync.WaitGroup
	for n := range k.shape.writers {
		wg.Go(func() { k.writer(l, n) })
	}
	wg.Wait()
}

// writer makes rows of a few versions, parks records, counts in a cell, and erases every fourth row.
func (k *work) writer(l *sqlite.Ledger, n int) {
	for i := range k.shape.acts {
		id := fmt.Sprintf("row-%d-%d", n, i)
		w := accepted(k.t, id)
		if !k.send(l.Create, w) {
			return
		}
		w = held(k.t, w.Row)
		if i%2 == 0 && !k.send(l.Update, w) {
			return
		}
		if i%2 == 1 {
			w = placedOn(k.t, l, id)
			if w.Row.ID == "" || !k.send(l.Update, w) {
				return
			}
		}
		if i%3 == 2 && !k.park(l, id) {
			return
		}
		if !k.count(l, n, i) {
			return
		}
		if i%4 == 3 && !k.erase(l, w.Row) {
			return
		}
		if l.Note(context.Background(), call.Note{RowID: id, Kind: call.NoteSuppressed, At: noon}) != nil || l.Beat(context.Background(), noon.Add(time.Duration(i)*time.Second)) != nil {
			return
		}
	}
}

// placedOn makes the write that ends a row, as it is in the ledger; of no row when it cannot be read any more.
func placedOn(t *testing.T, l *sqlite.Ledger, id string) call.Write {
	c, err := l.Get(context.Background(), id)
	if err != nil {
		return call.Write{}
	}
	return write(t, c, call.Event{Kind: call.EventContact, At: noon.Add(time.Second), ContactID: "contact-" + id, From: "event"}, "op-"+id+"-placed")
}

func (k *work) send(act func(context.Context, call.Write) (call.Written, error), w call.Write) bool {
	written, err := act(context.Background(), w)
	k.mu.Lock()
	defer k.mu.Unlock()
	if err != nil {
		k.open = append(k.open, w)
		return false
	}
	if !written.Applied {
		k.t.Errorf("version %d of %s lost against nobody", w.Row.Version, w.Row.ID)
	}
	k.answered = append(k.answered, w)
	return true
}

func (k *work) park(l *sqlite.Ledger, id string) bool {
	p := call.Parked{ID: "parked-" + id, Code: "not_json", Document: bytes.Repeat([]byte(id+"\x00"), 200), At: noon}
	if _, err := l.Park(context.Background(), p); err != nil {
		return false
	}
	k.mu.Lock()
	k.parked[p.ID] = p
	k.closing[p.ID] = len(k.parked)%2 == 0
	closes := k.closing[p.ID]
	k.mu.Unlock()
	if !closes {
		return true
	}
	if err := l.CloseParked(context.Background(), p.ID, call.ParkedDropped, noon); err != nil {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.closed[p.ID] = true
	return true
}

func (k *work) erase(l *sqlite.Ledger, c call.Call) bool {
	event, err := call.Forgotten(c, c.ID, noon.Add(time.Hour), "kim", "request 7")
	if err != nil {
		k.t.Errorf("forget %s: %v", c.ID, err)
		return false
	}
	k.mu.Lock()
	k.erased[c.ID] = true
	k.mu.Unlock()
	if !k.send(l.Erase, write(k.t, c, event, "op-"+c.ID+"-erased")) {
		return false
	}
	return l.Scrub(context.Background(), call.Naming{}.Recipient("", "recipient"), []string{c.ID}) == nil
}

// lost returns what was answered and is not there, and what is there by half.
func (k *work) lost(l *sqlite.Ledger) (wrong []string) {
	ctx := context.Background()
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	last := map[string]call.Write{}
	for _, w := range k.answered {
		last[w.Row.ID] = w
	}
	found := map[string]call.Call{}
	err := l.Each(ctx, func(c call.Call, entries []call.Entry) error {
		found[c.ID] = c
		for _, breach := range call.CheckHistory(c, entries) {
			say("%s", breach)
		}
		return nil
	})
	if err != nil {
		say("each: %v", err)
	}
	for id, w := range last {
		c, there := found[id]
		if !there || c.Version < w.Row.Version || c.Version > w.Row.Version+1 || (c.Version == w.Row.Version && c.Head != w.Row.Head) {
			say("row %s: version %d was answered and %d is there", id, w.Row.Version, c.Version)
		}
	}
	identity, err := l.Identity(ctx)
	if err != nil || identity.HighWater < int64(len(k.answered)+k.before()) {
		say("%d writes were answered, and the ledger counts %d: %v", len(k.answered), identity.HighWater, err)
	}
	k.lostBeside(l, say)
	k.lostCells(l, say)
	k.lostIndexes(l, last, found, say)
	k.again(l, say)
	return wrong
}

// before returns how many writes were in the ledger before.
func (k *work) before() int {
	if k.shape.fresh {
		return 0
	}
	return oldRows
}

// lostBeside looks at what is not a row.
func (k *work) lostBeside(l *sqlite.Ledger, say func(string, ...any)) {
	for id, p := range k.parked {
		got, err := l.Parked(context.Background(), id)
		switch {
		case err != nil:
			say("parked record %s: %v", id, err)
		case k.closed[id] && got.Closed == "":
			say("parked record %s is open again", id)
		case got.Closed != "" && !k.closing[id]:
			say("parked record %s was closed by nobody", id)
		case got.Closed == "" && !bytes.Equal(got.Document, p.Document):
			say("parked record %s has lost %d of %d bytes", id, len(p.Document)-len(got.Document), len(p.Document))
		}
	}
}

// lostIndexes looks for every row by what it is found by.
func (k *work) lostIndexes(l *sqlite.Ledger, last map[string]call.Write, found map[string]call.Call, say func(string, ...any)) {
	ctx := context.Background()
	due, err := l.Due(ctx, noon.Add(24*time.Hour), 10_000)
	if err != nil {
		say("due: %v", err)
	}
	isDue := map[string]bool{}
	for _, id := range due {
		isDue[id] = true
	}
	for id, c := range found {
		if isDue[id] == c.DueAt().IsZero() {
			say("row %s is due at %s and listed as due: %t", id, c.DueAt(), isDue[id])
		}
		if c.ContactID != "" {
			if owner, err := l.ByContact(ctx, c.ContactID); err != nil || owner != id {
				say("contact %s leads to %q: %v", c.ContactID, owner, err)
			}
		}
		if _, mine := last[id]; !mine {
			continue
		}
		thief := accepted(k.t, "thief-of-"+id)
		thief.Row.Token = "token-" + id
		if _, err := l.Create(ctx, thief); !errors.Is(err, call.ErrTokenTaken) {
			say("the token of row %s was free: %v", id, err)
		}
	}
}

// again sends what was not answered: it must be recognized or applied now, and leave one entry.
func (k *work) again(l *sqlite.Ledger, say func(string, ...any)) {
	ctx := context.Background()
	for _, w := range k.open {
		act := l.Update
		switch {
		case w.Entry.Seq == 1:
			act = l.Create
		case w.Entry.Kind == call.EventForgotten:
			act = l.Erase
		}
		written, err := act(ctx, w)
		if err != nil || !written.Applied {
			say("version %d of %s, sent again: applied %t, %v", w.Row.Version, w.Row.ID, written.Applied, err)
		}
		entries, err := l.History(ctx, w.Row.ID)
		ops := 0
		for _, e := range entries {
			if e.Op == w.Entry.Op {
				ops++
			}
		}
		if err != nil || ops != 1 {
			say("version %d of %s has %d entries: %v", w.Row.Version, w.Row.ID, ops, err)
		}
	}
}
