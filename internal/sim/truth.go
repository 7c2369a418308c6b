package sim

import (
	"context"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// truth is what the world knows beside the ledger: what was promised to whom, and in which order things became durable.
type truth struct {
	seq      int
	writes   []*call.Write
	ops      map[string]bool // that the ledger still recognizes
	rows     map[string]*mirrored
	order    []*mirrored          // rows in the order of their creation
	intents  map[string]int       // attempt id: when its intent became durable
	accepted map[string]int       // first rows whose request was acknowledged, and the highest ring that they were answered with
	kept     map[string]time.Time // first rows: latest cancel that was acknowledged
	keptSeq  map[string]int
	recalled map[call.Key]bool
	saw      map[string]bool // rows of the rings that operators saw when they asked for another
	tombs    map[string]bool // rows that a cancel began
	turns    turnTruth
	forgets  bool                 // somebody has asked to be forgotten
	doubts   map[string]bool      // rows that were in doubt
	safe     map[string]string    // those that the ledger or the spool has for certain
	was      map[string]call.Call // forgotten rows as they were before
	life     lifeTruth
	made     map[string]int // rows: when they became durable
	madeAt   map[string]time.Time
	promised map[string]string // rows that a client of the API was told are accepted, and by which message
	first    map[string][]byte // by Idempotency-Key: the answer that is to come again

	quiet      bool // the sweeper runs at last, whatever the setting says
	backup     *backup
	restored   bool
	restoredAt time.Time
	decided    int                  // how many dials were decided before the restore
	signed     map[string][]signing // rows: their dials
	unscrubbed bool                 // the last erasure was interrupted: on DynamoDB the notes are overwritten by the next one
	closed     bool
	lost       lostLedger
}

// mirrored is a row as the applied writes left it.
type mirrored struct{ *call.Call }

func newTruth() truth {
	return truth{
		ops: map[string]bool{}, rows: map[string]*mirrored{}, intents: map[string]int{}, accepted: map[string]int{}, kept: map[string]time.Time{},
		keptSeq: map[string]int{}, recalled: map[call.Key]bool{}, saw: map[string]bool{}, tombs: map[string]bool{}, doubts: map[string]bool{}, safe: map[string]string{}, was: map[string]call.Call{}, turns: newTurnTruth(),
		life: newLifeTruth(), made: map[string]int{}, madeAt: map[string]time.Time{}, promised: map[string]string{}, first: map[string][]byte{}, signed: map[string][]signing{},
	}
}

// remember is told each write that the ledger has applied.
func (w *World) remember(write call.Write) {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := &w.truth
	if t.ops[write.Entry.Op] { // its answer was lost: it is in the ledger once
		return
	}
	t.seq++
	if _, known := t.made[write.Row.ID]; !known {
		t.made[write.Row.ID], t.madeAt[write.Row.ID] = t.seq, time.Now().UTC()
	}
	w.judgeFollowing(write)
	w.judgePassing(write)
	t.apply(&write)
	for _, attempt := range write.Row.Open { // those of the event are the last
		if _, known := t.intents[attempt.ID]; !known {
			t.intents[attempt.ID] = t.seq
		}
	}
	if write.Entry.Kind == call.EventTombstone {
		t.tombs[write.Row.ID] = true
	}
	if write.Entry.Kind == call.EventDoubted {
		t.doubts[write.Row.ID] = true
	}
	if write.Row.ContactID != "" {
		t.safe[write.Row.ID] = write.Row.ContactID
	}
	w.counts["event "+string(write.Entry.Kind)]++
	if write.Entry.Kind == call.EventHeld {
		w.counts["held "+write.Row.DueReason]++
	}
	if write.Entry.Kind == call.EventContact {
		w.counts["contact merged by "+write.Row.ContactFrom]++
	}
}

// apply puts a write into the mirror of the ledger.
func (t *truth) apply(write *call.Write) {
	if write.Entry.Kind == call.EventForgotten { // the ledger does not know the row's earlier writes any more
		for _, earlier := range t.writes {
			if earlier.Row.ID == write.Row.ID {
				delete(t.ops, earlier.Entry.Op)
			}
		}
	}
	t.writes = append(t.writes, write)
	t.ops[write.Entry.Op] = true
	t.turns.apply(write, len(t.writes))
	t.set(&write.Row)
}

// set makes a row what it is now. It is kept, and not changed any more.
func (t *truth) set(c *call.Call) {
	m, known := t.rows[c.ID]
	if !known {
		m = &mirrored{}
		t.rows[c.ID] = m
		t.order = append(t.order, m)
	}
	m.Call = c
}

// back takes the mirror back to its first n writes.
func (t *truth) back(n int) {
	writes := t.writes[:n:n]
	t.writes, t.order, t.ops, t.rows, t.turns = nil, nil, map[string]bool{}, map[string]*mirrored{}, newTurnTruth()
	for _, write := range writes {
		t.apply(write)
	}
}

// row returns a row as the ledger has it.
func (w *World) row(id string) (call.Call, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.truth.row(id)
}

// row returns a row as the applied writes left it; who asks holds the world's lock.
func (t *truth) row(id string) (call.Call, bool) {
	if m, known := t.rows[id]; known {
		return *m.Call, true
	}
	return call.Call{}, false
}

// rows returns all of them, in the order of creation.
func (w *World) rows() []call.Call {
	w.mu.Lock()
	defer w.mu.Unlock()
	rows := make([]call.Call, len(w.truth.order))
	for i, m := range w.truth.order {
		rows[i] = *m.Call
	}
	return rows
}

// nextDue returns when the ledger wants a sweep next; zero when nothing waits.
func (w *World) nextDue() (due time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range w.truth.order {
		if at := m.DueAt(); !at.IsZero() && (due.IsZero() || at.Before(due)) {
			due = at
		}
	}
	return due
}

// each visits every row of the ledger itself, without any worker between.
func (w *World) each(ctx context.Context, visit func(call.Call, []call.Entry) error) {
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

// dialing sees that each dial has its durable intent, and that none was made after a cancel that was acknowledged for it.
func (w *World) dialing(s call.Send) {
	c, known := w.row(s.CallID)
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
	if made := t.madeAt[c.ID]; c.Cause == call.CauseOperator && c.RequestedAt.Before(made) { // a slow clock dates what a person asks for too early
		c.RequestedAt = made
	}
	if canceled && intent > t.keptSeq[first] && meant(at, c) {
		w.findings = append(w.findings, w.names[c.ID]+", requested "+short(c.RequestedAt)+", was dialed at "+short(time.Now())+" after its cancel of "+short(at)+" was acknowledged")
	}
	w.judgeDial(c, s.AttemptID, intent)
	if t.restored {
		if _, known := t.lost.again[c.ID]; !known {
			t.lost.again[c.ID] = time.Now()
		}
	}
	t.signed[c.ID] = append(t.signed[c.ID], signing{time.Now(), c.FirstSigned})
}

// erasing keeps a row as it was, for the oracle.
func (w *World) erasing(c call.Call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !c.IsForgotten() {
		w.truth.was[c.ID] = c
	}
}

// asItWas gives a forgotten row back what the oracle compares.
func (w *World) asItWas(c call.Call) call.Call {
	w.mu.Lock()
	defer w.mu.Unlock()
	was, known := w.truth.was[c.ID]
	if !c.IsForgotten() || !known {
		return c
	}
	c.Key, c.Destination, c.Token, c.NotAfter = was.Key, was.Destination, was.Token, was.NotAfter
	return c
}

func (w *World) asTheyWere(rows []call.Call) []call.Call {
	all := make([]call.Call, len(rows))
	for i, c := range rows {
		all[i] = w.asItWas(c)
	}
	return all
}

func hasRow(rows []call.Call, id string) (call.Call, bool) {
	for i := range rows { // a row is large: it is not copied to be compared
		if rows[i].ID == id {
			return rows[i], true
		}
	}
	return call.Call{}, false
}

func short(at time.Time) string {
	if at.IsZero() {
		return "-"
	}
	return at.UTC().Format("01-02T15:04:05.000")
}
