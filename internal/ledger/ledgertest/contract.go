package ledgertest

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

func contract() Suite {
	return Suite{Name: "Contract", cases: []exercise{
		{name: "a created row comes back as it was", run: createAndGet},
		{name: "creating an existing row changes nothing and returns it", run: createExisting},
		{name: "an unknown row is not found", run: unknownRow},
		{name: "an update moves the row and its history together", run: updateMovesOn},
		{name: "a lost compare changes nothing and returns the row", run: lostCompare},
		{name: "a known op is recognized and not applied twice", run: knownOp},
		{name: "an op of another row is refused", run: foreignOp, skip: func(l Lacks) bool { return l.ForeignOps }},
		{name: "a token belongs to one row", run: tokenTaken},
		{name: "rows without a token never clash", run: noToken},
		{name: "a token clash leaves nothing behind", run: clashLeavesNothing},
		{name: "due rows come earliest first, up to now and the limit", run: dueOrder},
		{name: "a next ring makes its first row due", run: dueByNextRing},
		{name: "a row without due time is never due", run: dueCleared},
		{name: "the identity is complete and no write changes it", run: identityStays},
		{name: "the identity counts every write and nothing else", run: identityCounts, skip: func(l Lacks) bool { return l.Counts }},
		{name: "the measured reading stays until it is measured again", run: readingStays},
		{name: "a write that contradicts itself is refused", run: malformedWrite},
		{name: "an ended context is an error", run: endedContext},
	}}
}

func createAndGet(x *exam) {
	w := x.first("a")
	w.Row.Pin = `{"DestinationPhoneNumber":"+819000000001","Attributes":{"n":"\u0000é"}}`
	x.same("the created row", x.mustCreate(w), w.Row)
	x.holds("a", w)
}

func createExisting(x *exam) {
	w := x.first("a")
	x.mustCreate(w)
	other := opening("a")
	other.Opening.Fingerprint, other.Opening.Token = "another", "token-elsewhere"
	x.mustCreate(x.first("b"))
	for _, token := range []string{"token-elsewhere", "token-b", ""} {
		other.Opening.Token = token
		written, err := x.Create(x.ctx, x.write(call.Begin("a"), other, "op-other"))
		if err != nil || written.Applied {
			x.Fatalf("second create with token %q: applied %t, error %v", token, written.Applied, err)
		}
		x.same("the row that was there", written.Row, w.Row)
	}
	x.holds("a", w)
}

func unknownRow(x *exam) {
	if _, err := x.Get(x.ctx, "nobody"); !errors.Is(err, call.ErrNotFound) {
		x.Errorf("get: %v, want ErrNotFound", err)
	}
	if _, err := x.History(x.ctx, "nobody"); !errors.Is(err, call.ErrNotFound) {
		x.Errorf("history: %v, want ErrNotFound", err)
	}
	w := x.first("nobody")
	if _, err := x.Update(x.ctx, x.held(w.Row, start, "op-2")); !errors.Is(err, call.ErrNotFound) {
		x.Errorf("update: %v, want ErrNotFound", err)
	}
	if _, err := x.Get(x.ctx, "nobody"); !errors.Is(err, call.ErrNotFound) {
		x.Errorf("get after the update: %v, want ErrNotFound", err)
	}
}

func updateMovesOn(x *exam) {
	first := x.first("a")
	second := x.held(x.mustCreate(first), start.Add(time.Hour), "op-2")
	x.same("the updated row", x.mustUpdate(second), second.Row)
	third := x.placed(second.Row, "contact-1", "op-3")
	x.mustUpdate(third)
	x.holds("a", first, second, third)
	x.whole(x.mustGet("a"), x.mustHistory("a"))
}

func lostCompare(x *exam) {
	first := x.first("a")
	x.mustCreate(first)
	second := x.held(first.Row, start.Add(time.Hour), "op-2")
	x.mustUpdate(second)
	future := second.Row
	future.Version++
	for name, base := range map[string]call.Call{"behind": first.Row, "ahead": future} {
		written, err := x.Update(x.ctx, x.placed(base, "contact-1", "op-"+name))
		if err != nil || written.Applied {
			x.Errorf("update from %s: applied %t, error %v", name, written.Applied, err)
		}
		x.same("the row that won", written.Row, second.Row)
	}
	x.holds("a", first, second)
}

func knownOp(x *exam) {
	first := x.first("a")
	x.mustCreate(first)
	x.same("create again", x.mustCreate(first), first.Row)
	second := x.held(first.Row, start.Add(time.Hour), "op-2")
	x.mustUpdate(second)
	x.same("update again", x.mustUpdate(second), second.Row)
	third := x.held(second.Row, start.Add(2*time.Hour), "op-3")
	x.mustUpdate(third)
	x.same("update again after another write", x.mustUpdate(second), third.Row)
	x.same("create again after other writes", x.mustCreate(first), third.Row)
	x.same("a known op on a fitting version", x.mustUpdate(x.placed(third.Row, "contact-1", "op-2")), third.Row)
	x.holds("a", first, second, third)
}

func foreignOp(x *exam) {
	a, b := x.first("a"), x.first("b")
	x.mustCreate(a)
	x.mustCreate(b)
	if written, err := x.Update(x.ctx, x.held(b.Row, start, a.Entry.Op)); err == nil {
		x.Errorf("update with another row's op: applied %t and no error", written.Applied)
	}
	if written, err := x.Create(x.ctx, x.write(call.Begin("c"), opening("c"), a.Entry.Op)); err == nil {
		x.Errorf("create with another row's op: applied %t and no error", written.Applied)
	}
	if _, err := x.Get(x.ctx, "c"); !errors.Is(err, call.ErrNotFound) {
		x.Errorf("get c: %v, want ErrNotFound", err)
	}
	x.holds("a", a)
	x.holds("b", b)
}

func tokenTaken(x *exam) {
	a := x.first("a")
	x.mustCreate(a)
	clash := opening("b")
	clash.Opening.Token = a.Row.Token
	if written, err := x.Create(x.ctx, x.write(call.Begin("b"), clash, "op-b")); !errors.Is(err, call.ErrTokenTaken) {
		x.Errorf("create with a taken token: applied %t, error %v, want ErrTokenTaken", written.Applied, err)
	}
	second := x.held(a.Row, start.Add(time.Hour), "op-a-2")
	x.mustUpdate(second)
	x.holds("a", a, second)
}

// tombstone is how a row without a token begins; a body with a token may follow.
func (x *exam) tombstone(id string) call.Write {
	x.Helper()
	e := opening(id)
	e.Kind, e.Before, e.Opening.Token, e.Due = call.EventTombstone, start, "", time.Time{}
	return x.write(call.Begin(id), e, "op-"+id+"-1")
}

func noToken(x *exam) {
	a, b := x.tombstone("a"), x.tombstone("b")
	x.mustCreate(a)
	x.mustCreate(b)
	x.holds("a", a)
	x.holds("b", b)
}

func clashLeavesNothing(x *exam) {
	owner, late := x.first("owner"), x.tombstone("late")
	x.mustCreate(owner)
	x.mustCreate(late)
	body := opening("late")
	body.Kind, body.Opening.Token = call.EventBodyAttached, owner.Row.Token
	if written, err := x.Update(x.ctx, x.write(late.Row, body, "op-late-2")); !errors.Is(err, call.ErrTokenTaken) {
		x.Errorf("update to a taken token: applied %t, error %v, want ErrTokenTaken", written.Applied, err)
	}
	created := opening("new")
	created.Opening.Token = owner.Row.Token
	if _, err := x.Create(x.ctx, x.write(call.Begin("new"), created, "op-new-1")); !errors.Is(err, call.ErrTokenTaken) {
		x.Errorf("create with a taken token: %v, want ErrTokenTaken", err)
	}
	if _, err := x.Get(x.ctx, "new"); !errors.Is(err, call.ErrNotFound) {
		x.Errorf("get: %v, want ErrNotFound", err)
	}
	x.holds("late", late)
	body.Opening.Token = "token-of-its-own"
	again := x.write(late.Row, body, "op-late-2")
	x.mustUpdate(again)
	x.mustCreate(x.first("new"))
	x.holds("late", late, again)
	x.holds("owner", owner)
}

func dueOrder(x *exam) {
	for i, minutes := range []int{3, 1, 4, 2, 5} {
		id := string(rune('a' + i))
		e := opening(id)
		e.Due = start.Add(time.Duration(minutes) * time.Minute)
		x.mustCreate(x.write(call.Begin(id), e, "op-"+id))
	}
	now := start.Add(4 * time.Minute)
	x.due(now, 10, "b", "d", "a", "c")
	x.due(now, 2, "b", "d")
	x.due(now.Add(-time.Nanosecond), 10, "b", "d", "a")
	x.due(start, 10)
	x.mustUpdate(x.held(x.mustGet("b"), start.Add(time.Hour), "op-b-2"))
	x.due(now, 10, "d", "a", "c")
}

func dueByNextRing(x *exam) {
	first := x.first("a")
	x.mustCreate(first)
	done := x.placed(first.Row, "contact-1", "op-2")
	x.mustUpdate(done)
	x.due(start.Add(time.Hour), 10)
	opened := call.Event{
		Kind: call.EventRingOpened, At: start.Add(time.Minute),
		Next: &call.Child{Ring: 1, Cause: call.CauseOperator, Due: start.Add(time.Minute)},
	}
	second := x.write(done.Row, opened, "op-3")
	x.mustUpdate(second)
	x.due(start.Add(time.Hour), 10, "a")
	x.due(start, 10)
	x.mustUpdate(x.write(second.Row, call.Event{Kind: call.EventRingConfirmed, At: start.Add(time.Minute), Ring: 1}, "op-4"))
	x.due(start.Add(time.Hour), 10)
}

func dueCleared(x *exam) {
	x.mustCreate(x.tombstone("never"))
	first := x.first("a")
	x.mustCreate(first)
	x.due(start, 10, "a")
	x.mustUpdate(x.placed(first.Row, "contact-1", "op-2"))
	x.due(start.AddDate(100, 0, 0), 10)
}

func (x *exam) due(now time.Time, limit int, want ...string) {
	x.Helper()
	got, err := x.Due(x.ctx, now, limit)
	if err != nil {
		x.Fatalf("due: %v", err)
	}
	if !slices.Equal(got, want) {
		x.Errorf("due at start+%s, at most %d: %v, want %v", now.Sub(start), limit, got, want)
	}
}

func identityStays(x *exam) {
	before := x.identity()
	if before.ID == "" || before.Epoch < 1 || before.Check == "" {
		x.Errorf("identity is incomplete: %+v", before)
	}
	x.mustCreate(x.first("a"))
	after := x.identity()
	if after.ID != before.ID || after.Epoch != before.Epoch || after.Check != before.Check || after.Mode != before.Mode {
		x.Errorf("writes changed the identity from %+v to %+v", before, after)
	}
}

func identityCounts(x *exam) {
	before := x.identity()
	first := x.first("a")
	x.mustCreate(first)
	x.mustCreate(first)
	second := x.held(first.Row, start, "op-2")
	x.mustUpdate(second)
	if _, err := x.Update(x.ctx, x.held(first.Row, start, "op-lost")); err != nil {
		x.Errorf("update: %v", err)
	}
	after := x.identity()
	if after.HighWater-before.HighWater != 2 {
		x.Errorf("two writes moved the high-water from %d to %d", before.HighWater, after.HighWater)
	}
	if !after.LastWrite.Equal(second.Entry.At) {
		x.Errorf("last write %s, want %s", after.LastWrite, second.Entry.At)
	}
}

func (x *exam) identity() call.LedgerIdentity {
	x.Helper()
	identity, err := x.Identity(x.ctx)
	if err != nil {
		x.Fatalf("identity: %v", err)
	}
	return identity
}

func malformedWrite(x *exam) {
	good := x.first("a")
	spoiled := map[string]func(*call.Write){
		"no op":         func(w *call.Write) { w.Entry.Op = "" },
		"another row":   func(w *call.Write) { w.Entry.RowID = "b" },
		"another seq":   func(w *call.Write) { w.Entry.Seq = 2 },
		"not the first": func(w *call.Write) { w.Entry.Seq, w.Row.Version = 2, 2 },
	}
	for name, spoil := range spoiled {
		w := good
		spoil(&w)
		if written, err := x.Create(x.ctx, w); err == nil {
			x.Errorf("create with %s: applied %t and no error", name, written.Applied)
		}
	}
	if _, err := x.Get(x.ctx, "a"); !errors.Is(err, call.ErrNotFound) {
		x.Errorf("get: %v, want ErrNotFound", err)
	}
}

func endedContext(x *exam) {
	w := x.first("a")
	x.mustCreate(w)
	ctx, cancel := context.WithCancel(x.ctx)
	cancel()
	_, createErr := x.Create(ctx, x.first("b"))
	_, getErr := x.Get(ctx, "a")
	_, updateErr := x.Update(ctx, x.held(w.Row, start, "op-2"))
	_, dueErr := x.Due(ctx, start, 1)
	for what, err := range map[string]error{"create": createErr, "get": getErr, "update": updateErr, "due": dueErr} {
		if !errors.Is(err, context.Canceled) {
			x.Errorf("%s with an ended context: %v", what, err)
		}
	}
}

func readingStays(x *exam) {
	before := x.identity()
	if before.Reading != "" {
		x.Errorf("a new ledger has the reading %q", before.Reading)
	}
	x.mustCreate(x.first("a"))
	for _, reading := range []string{"A1", "A1'", ""} {
		if err := x.SetReading(x.ctx, reading); err != nil {
			x.Fatalf("set reading %q: %v", reading, err)
		}
		x.mustUpdate(x.held(x.mustGet("a"), start, "op-held-"+reading))
		for range 2 {
			after := x.identity()
			if after.Reading != reading || after.ID != before.ID || after.Epoch != before.Epoch || after.Mode != before.Mode {
				x.Errorf("the identity is %+v after the reading %q", after, reading)
			}
			x.restart()
		}
	}
}
