package ledgertest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

func crash() Suite {
	return Suite{Name: "Crash", cases: []exercise{
		{name: "what was answered survives", run: answeredSurvives},
		{name: "nothing survives by half", run: neverHalf},
		{name: "the identity survives", run: identitySurvives},
		{name: "the count of writes survives", run: countSurvives, skip: func(l Lacks) bool { return l.Counts }},
		{name: "tokens, ops, due times and indexes survive", run: constraintsSurvive},
		{name: "a closed ledger opens again with its notes and beat", run: closedOpensAgain},
		{name: "a dead ledger answers nothing", run: deadIsDead},
	}}
}

func answeredSurvives(x *exam) {
	created, moved := x.first("created"), x.first("moved")
	x.mustCreate(created)
	x.mustCreate(moved)
	second := x.placed(moved.Row, "contact-1", "op-2")
	x.mustUpdate(second)
	for range 3 {
		x.restart()
		x.holds("created", created)
		x.holds("moved", moved, second)
		x.whole(x.mustGet("moved"), x.mustHistory("moved"))
	}
	third := x.held(x.mustGet("created"), start.Add(time.Hour), "op-3")
	x.mustUpdate(third)
	x.restart()
	x.holds("created", created, third)
}

// neverHalf kills the ledger under writers. An answered write must be there; one that was not answered may be there, but only
// with its history entry, at its version, in the chain.
func neverHalf(x *exam) {
	var answered sync.Map // row id to the version that was answered
	var writes atomic.Int64
	enough := make(chan struct{})
	var once sync.Once
	var wg sync.WaitGroup
	for i := range rivals {
		wg.Go(func() {
			x.writeUntilDead(fmt.Sprintf("row-%d", i), &answered, &writes, func() { once.Do(func() { close(enough) }) })
		})
	}
	<-enough
	x.store.Kill(x.Ledger)
	wg.Wait()
	x.open()
	found := 0
	err := x.Each(x.ctx, func(c call.Call, entries []call.Entry) error {
		found++
		x.whole(c, entries)
		if version, ok := answered.Load(c.ID); ok && version != c.Version && version != c.Version-1 {
			x.Errorf("row %s is at version %d, but version %v was answered", c.ID, c.Version, version)
		}
		return nil
	})
	if err != nil {
		x.Errorf("each: %v", err)
	}
	answered.Range(func(id, _ any) bool {
		if text, ok := id.(string); ok {
			x.mustGet(text)
		}
		return true
	})
	if found == 0 {
		x.Errorf("no row survived")
	}
}

// writeUntilDead writes version after version until the ledger fails, and reports when enough was written.
func (x *exam) writeUntilDead(id string, answered *sync.Map, writes *atomic.Int64, enough func()) {
	defer enough()
	l := x.Ledger
	w := x.first(id)
	for n := int64(1); n < 2000; n++ {
		act := l.Update
		if n == 1 {
			act = l.Create
		}
		written, err := act(x.ctx, w)
		if err != nil {
			return
		}
		if !written.Applied {
			x.Errorf("version %d of %s lost against nobody", n, id)
			return
		}
		answered.Store(id, n)
		if writes.Add(1) > 10*rivals {
			enough()
		}
		w = x.held(w.Row, start.Add(time.Duration(n)*time.Second), fmt.Sprintf("op-%s-%d", id, n+1))
	}
}

func identitySurvives(x *exam) {
	x.mustCreate(x.first("a"))
	before := x.identity()
	x.restart()
	after := x.identity()
	if after.ID != before.ID || after.Epoch != before.Epoch || after.Check != before.Check || after.Mode != before.Mode ||
		after.HighWater != before.HighWater || !after.LastWrite.Equal(before.LastWrite) {
		x.Errorf("the restart changed the identity from %+v to %+v", before, after)
	}
}

func countSurvives(x *exam) {
	x.mustCreate(x.first("a"))
	x.restart()
	after := x.identity()
	x.mustCreate(x.first("b"))
	if now := x.identity().HighWater; now != after.HighWater+1 {
		x.Errorf("the first write after the restart moved the high-water from %d to %d", after.HighWater, now)
	}
}

func constraintsSurvive(x *exam) {
	a, b := x.first("a"), x.first("b")
	x.mustCreate(a)
	x.mustCreate(b)
	x.mustUpdate(x.placed(b.Row, "contact-b", "op-b-2"))
	x.restart()
	clash := opening("c")
	clash.Opening.Token = a.Row.Token
	if _, err := x.Create(x.ctx, x.write(call.Begin("c"), clash, "op-c")); !errors.Is(err, call.ErrTokenTaken) {
		x.Errorf("create with a token taken before the restart: %v, want ErrTokenTaken", err)
	}
	x.same("create again", x.mustCreate(a), a.Row)
	x.due(start, 10, "a")
	if id, err := x.ByContact(x.ctx, "contact-b"); err != nil || id != "b" {
		x.Errorf("by contact: %q, %v", id, err)
	}
	if page, _, err := x.List(x.ctx, call.Filter{}); err != nil || len(page) != 2 {
		x.Errorf("list: %d rows, error %v", len(page), err)
	}
}

func closedOpensAgain(x *exam) {
	a := x.first("a")
	x.mustCreate(a)
	x.mustNote(call.Note{RowID: "a", Kind: call.NoteConflict, At: start, Reason: "conflict", Fingerprint: "other"})
	if err := x.Beat(x.ctx, start); err != nil {
		x.Errorf("beat: %v", err)
	}
	for range 2 {
		if err := x.Close(); err != nil {
			x.Errorf("close: %v", err)
		}
	}
	x.open()
	x.holds("a", a)
	if notes := x.mustNotes("a"); len(notes.Kept) != 1 {
		x.Errorf("%d notes survived the close, want 1", len(notes.Kept))
	}
	if beat, err := x.LastBeat(x.ctx); err != nil || !beat.Equal(start) {
		x.Errorf("last beat: %s, %v", beat, err)
	}
}

func deadIsDead(x *exam) {
	a := x.first("a")
	x.mustCreate(a)
	dead := x.Ledger
	x.restart()
	if _, err := dead.Create(x.ctx, x.first("b")); err == nil {
		x.Errorf("a dead ledger created a row")
	}
	if _, err := dead.Get(x.ctx, "a"); err == nil {
		x.Errorf("a dead ledger read a row")
	}
	if err := dead.Note(x.ctx, call.Note{RowID: "a", Kind: call.NoteSuppressed, At: start}); err == nil {
		x.Errorf("a dead ledger took a note")
	}
	x.holds("a", a)
}
