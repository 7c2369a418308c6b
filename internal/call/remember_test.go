package call_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// counting counts what a ledger is asked, and refuses when it is broken.
type counting struct {
	call.Ledger
	asked  int
	broken bool
}

var errBroken = errors.New("no ledger there")

func (c *counting) Create(ctx context.Context, w call.Write) (call.Written, error) {
	if c.asked++; c.broken {
		return call.Written{}, errBroken
	}
	return c.Ledger.Create(ctx, w)
}

func (c *counting) Get(ctx context.Context, id string) (call.Call, error) {
	if c.asked++; c.broken {
		return call.Call{}, errBroken
	}
	return c.Ledger.Get(ctx, id)
}

// remembering starts a world whose engine remembers this many placed calls, and returns the counter of its ledger.
func remembering(t *testing.T, most int) (*world, *counting) {
	t.Helper()
	var l *counting
	w := newWorld(t, func(c *call.Config) {
		l = &counting{Ledger: c.Ledger}
		c.Ledger, c.Remember = l, most
	})
	return w, l
}

func TestADuplicateOfAPlacedCallIsAnsweredFromMemory(t *testing.T) {
	t.Parallel()
	w, l := remembering(t, 10)
	w.place(request("n", start))
	l.asked, l.broken = 0, true
	w.outcome(w.place(request("n", start)), call.MetPlaced, call.AckDone, call.ReasonDuplicate)
	if l.asked != 0 {
		t.Errorf("the ledger was asked %d times", l.asked)
	}
	w.clean(1)
}

func TestOnlyWhatIsSuppressedIsAnsweredFromMemory(t *testing.T) {
	t.Parallel()
	for name, d := range map[string]func() call.Delivery{
		"a conflict": func() call.Delivery {
			d := request("n", start)
			d.Request.Attributes = map[string]string{"x": "y"}
			return d
		},
		"a request after the window":   func() call.Delivery { return request("n", start.Add(3*day)) },
		"a cancel":                     func() call.Delivery { return cancel("n", start.Add(time.Minute)) },
		"a call that nobody has asked": func() call.Delivery { return request("m", start) },
	} {
		w, l := remembering(t, 10)
		w.profile(func(p *call.Profile) { p.Window = call.Window{For: day} })
		w.place(request("n", start))
		w.clock.advance(3 * day)
		l.asked = 0
		w.place(d())
		if l.asked == 0 {
			t.Errorf("%s was answered without the ledger", name)
		}
	}
}

// Another process opens the next ring; this one knows the first ring only, and what it suppresses is what the ledger would.
func TestAnOldCopyOfAPlacedCallSuppressesOnlyWhatTheLedgerWould(t *testing.T) {
	t.Parallel()
	w, _ := remembering(t, 10)
	w.profile(func(p *call.Profile) { p.Window = call.Window{For: day} })
	w.place(request("n", start))
	other := w.start(func(c *call.Config) { c.Remember = 0 })
	w.clock.advance(2 * day)
	if out := other.Place(t.Context(), request("n", start.Add(2*day))); out.Met != call.MetPlaced || out.Replayed {
		t.Fatalf("the next ring: %+v", out)
	}
	for _, at := range []time.Duration{0, day / 2, day} {
		mine, theirs := w.place(request("n", start.Add(at))), other.Place(t.Context(), request("n", start.Add(at)))
		if !mine.Replayed || !theirs.Replayed || mine.Ack != theirs.Ack {
			t.Errorf("requested at +%s: %s %s from memory, %s %s from the ledger", at, mine.Met, mine.Ack, theirs.Met, theirs.Ack)
		}
	}
	w.clean(2)
}

func TestTheMemoryOfPlacedCallsIsBounded(t *testing.T) {
	t.Parallel()
	w, l := remembering(t, 2)
	for _, id := range []string{"a", "b", "c"} {
		w.place(request(id, start))
	}
	for id, want := range map[string]int{"a": 1, "c": 0} {
		l.asked = 0
		if w.place(request(id, start)); (l.asked > 0) != (want > 0) {
			t.Errorf("a duplicate of %s asked the ledger %d times", id, l.asked)
		}
	}
}

// An old answer of Peek is good for a duplicate of a placed call; everything else is asked for consistently.
func TestAPeekAnswersDuplicatesOfPlacedCallsOnly(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		peek  func(*world) (call.Call, error)
		place call.Delivery
		met   call.Situation
		asked bool
	}{
		"placed": {func(w *world) (call.Call, error) { return w.row("n", 0), nil }, request("n", start), call.MetPlaced, false},
		"placed, another request": {
			func(w *world) (call.Call, error) { return w.row("n", 0), nil }, undatedWith("n", "x"), call.MetConflict, true,
		},
		"not seen yet": {func(*world) (call.Call, error) { return call.Call{}, call.ErrNotFound }, request("n", start), call.MetPlaced, true},
		"not placed yet": {func(w *world) (call.Call, error) {
			c := w.row("n", 0)
			c.State = call.Dialing
			return c, nil
		}, request("n", start), call.MetPlaced, true},
		"no answer": {func(*world) (call.Call, error) { return call.Call{}, errBroken }, request("n", start), call.MetPlaced, true},
	} {
		w, l := remembering(t, 0)
		w.place(request("n", start))
		w.engine.Peek = func(context.Context, string) (call.Call, error) { return c.peek(w) }
		l.asked = 0
		out := w.place(c.place)
		if out.Met != c.met || (l.asked > 0) != c.asked || (out.Met == call.MetPlaced && !out.Replayed) {
			t.Errorf("%s: %s, replayed %t, the ledger was asked %d times", name, out.Met, out.Replayed, l.asked)
		}
		w.clean(1)
	}
}

// undatedWith is a request of the same key that asks for something else.
func undatedWith(notification, attribute string) call.Delivery {
	d := undated(notification)
	d.Request.Attributes = map[string]string{"a": attribute}
	return d
}

// Without ReadFirst a duplicate is told by a put that carries an intent. When no slot is free it must not wait for one.
func TestADuplicateWaitsForNoSlot(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *call.Config) { c.ReadFirst = false })
	w.place(request("n", start))
	w.engine = w.start(func(c *call.Config) { c.Pacer, c.Patience = slow{}, time.Minute })
	before := w.clock.Now()
	w.outcome(w.place(request("n", start)), call.MetPlaced, call.AckDone, call.ReasonDuplicate)
	if waited := w.clock.Now().Sub(before); waited != 0 {
		t.Errorf("the duplicate waited %s", waited)
	}
	w.clean(1)
}
