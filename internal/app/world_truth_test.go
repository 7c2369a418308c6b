package app_test

import (
	"context"
	"slices"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb/tabletest"
)

// truth is what the world knows beside the ledger: what was promised to whom, and in which order things became durable.
type truth struct {
	seq      int
	writes   []call.Write
	intents  map[string]int       // attempt id: when its intent became durable
	accepted map[string]bool      // first rows whose request was acknowledged
	kept     map[string]time.Time // first rows: latest cancel that was acknowledged
	keptSeq  map[string]int
	recalled map[call.Key]bool
	facts    map[*worker]map[string]string // contact ids that a worker was told and lived on with, by row
	safe     map[string]string             // those that the ledger or the spool has for certain
	was      map[string]call.Call          // forgotten rows as they were before

	quiet      bool // the sweeper runs at last, whatever the seed says
	backup     *backup
	restored   bool
	restoredAt time.Time
	closed     bool
}

// backup is a copy of the ledger and of what was true when it was made.
type backup struct {
	items   map[string]tabletest.Item // of a table
	at      time.Time
	writes  int
	kept    map[string]time.Time
	keptSeq map[string]int
	file    string
}

func newTruth() truth {
	return truth{
		intents: map[string]int{}, accepted: map[string]bool{}, kept: map[string]time.Time{}, keptSeq: map[string]int{},
		recalled: map[call.Key]bool{}, facts: map[*worker]map[string]string{}, safe: map[string]string{}, was: map[string]call.Call{},
	}
}

// forget drops the facts that die with a process.
func (t *truth) forget(k *worker) { delete(t.facts, k) }

// remember is told each write that the ledger has applied.
func (w *world) remember(write call.Write) {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := &w.truth
	again := func(earlier call.Write) bool { return earlier.Entry.Op == write.Entry.Op }
	if slices.ContainsFunc(t.writes, again) { // its answer was lost: it is in the ledger once
		return
	}
	t.seq++
	t.writes = append(t.writes, write)
	event, err := write.Entry.Event()
	if err == nil && event.Attempt != nil {
		if _, known := t.intents[event.Attempt.ID]; !known {
			t.intents[event.Attempt.ID] = t.seq
		}
	}
	if write.Row.ContactID != "" {
		t.safe[write.Row.ID] = write.Row.ContactID
	}
	if err == nil {
		w.coverage["event "+string(event.Kind)]++
		if event.Kind == call.EventContact {
			w.coverage["contact merged by "+event.From]++
		}
	}
}

// each visits every row of the ledger as it is, without any worker between.
func (w *world) each(ctx context.Context, visit func(call.Call, []call.Entry) error) {
	var err error
	if w.store != nil {
		err = w.store.Each(ctx, visit)
	} else {
		err = w.workers[0].app.Store.Admin.Each(ctx, visit)
	}
	if err != nil {
		w.find("read the ledger: %v", err)
	}
}

func (w *world) rows(ctx context.Context) []call.Call {
	var rows []call.Call
	w.each(ctx, func(c call.Call, _ []call.Entry) error {
		rows = append(rows, c)
		return nil
	})
	return rows
}

func (w *world) row(ctx context.Context, id string) (call.Call, bool) {
	ledger := call.Ledger(w.store)
	if w.store == nil {
		ledger = w.workers[0].app.Store.Ledger
	}
	c, err := ledger.Get(ctx, id)
	return c, err == nil
}

func (s *subject) key() call.Key {
	return call.Key{Kind: call.KindVoice, NotificationID: s.name, RecipientID: "user-67890", RecallID: s.recall}
}

func (s *subject) row() string { return call.Naming{}.Row(s.key(), 0) }

// acknowledged notes what a source was promised, and sees that the ledger can keep it.
func (w *world) acknowledged(m *message, out call.Outcome) {
	first, known := w.row(context.Background(), m.subject.row())
	if !known {
		w.find("%s was acknowledged (%s) and is not in the ledger", m.subject.name, out.Met)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	t := &w.truth
	switch {
	case m.ask.cancel:
		if !m.ask.at.IsZero() && first.CanceledBefore.Before(m.ask.at) {
			w.findings = append(w.findings, "an acknowledged cancel left no trace on "+m.subject.name)
		}
		if first.Tombstone {
			w.coverage["tombstone"]++
		}
		if at := m.canceledAt(); at.After(t.kept[first.ID]) {
			t.seq++
			t.kept[first.ID], t.keptSeq[first.ID] = at, t.seq
		}
	case out.Met != call.MetConflict:
		t.accepted[first.ID] = true
	}
}

// canceledAt returns a time up to which the cancel surely counts.
func (m *message) canceledAt() time.Time {
	switch {
	case !m.ask.at.IsZero():
		return m.ask.at
	case m.form == "sqs" || m.form == "sqs-fifo" || m.form == "direct": // undated: it counts from its arrival, on a worker's clock
		return time.Now().UTC().Add(-10 * time.Minute)
	}
	return m.born.Truncate(time.Second)
}

// dialing sees that each dial has its durable intent, and that none was made after a cancel that was acknowledged for it.
func (w *world) dialing(s call.Send) {
	c, known := w.row(context.Background(), s.CallID)
	if !known {
		w.find("dialed without a row")
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	t := &w.truth
	if c.IsForgotten() {
		w.findings = append(w.findings, "a forgotten call was dialed")
	}
	intent, durable := t.intents[s.AttemptID]
	if !durable {
		w.findings = append(w.findings, "dialed without a durable intent")
	}
	first := call.Naming{}.Row(c.Key, 0)
	at, canceled := t.kept[first]
	if canceled && intent > t.keptSeq[first] && call.CancelHits(c.RequestedAt, c.Tier, c.Cause, at) {
		w.findings = append(w.findings, "ring "+c.ID+", requested "+short(c.RequestedAt)+", was dialed at "+short(time.Now())+" after its cancel of "+short(at)+" was acknowledged")
	}
}

// answered notes a contact id that a worker was told.
func (w *world) told(k *worker, s call.Send, a call.Answer) {
	if a.Class != call.ClassOK {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.truth.facts[k] == nil {
		w.truth.facts[k] = map[string]string{}
	}
	w.truth.facts[k][s.CallID] = a.ContactID
}

func (w *world) hasRow(rows []call.Call, id string) (call.Call, bool) {
	i := slices.IndexFunc(rows, func(c call.Call) bool { return c.ID == id })
	if i < 0 {
		return call.Call{}, false
	}
	return rows[i], true
}
