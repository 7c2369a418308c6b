package twoperson_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/memory"
	"github.com/ringonce/ringonce/internal/twoperson"
)

var start = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

type clock struct{ now time.Time }

func (c *clock) Now() time.Time                             { return c.now }
func (c *clock) Sleep(context.Context, time.Duration) error { return nil }

func admin(name string) access.Principal {
	return access.Principal{Kind: access.Operator, Name: name, Role: access.RoleAdmin}
}

func wish(calls ...string) twoperson.Wish {
	return twoperson.Wish{Action: "call.recall", Calls: calls, Reason: "outage"}
}

func newDesk() (twoperson.Desk, *clock) {
	c := &clock{now: start}
	return twoperson.Desk{Cells: memory.New(memory.Options{}), Clock: c, Random: rand.NewChaCha8([32]byte{3})}, c
}

func TestOnlyAnotherNamedAdminConfirms(t *testing.T) {
	t.Parallel()
	o, err := twoperson.Propose(admin("ann"), wish("b", "a", "b"), start)
	if err != nil || len(o.Calls) != 2 || o.Calls[0] != "a" {
		t.Fatalf("%+v %v", o, err)
	}
	for name, c := range map[string]struct {
		who  access.Principal
		seen string
		at   time.Time
		want call.Code
	}{
		"the same person":            {admin("ann"), o.Digest(), start, twoperson.CodeSecondPerson},
		"the same in capitals":       {admin("Ann "), o.Digest(), start, twoperson.CodeSecondPerson},
		"an operator of less":        {access.Principal{Kind: access.Operator, Name: "bob", Role: access.RoleOperate}, o.Digest(), start, twoperson.CodeRole},
		"a producer":                 {access.Principal{Kind: access.Producer, Name: "bob", KeySpace: "bob"}, o.Digest(), start, twoperson.CodeRole},
		"nobody":                     {access.Local(), o.Digest(), start, twoperson.CodeRole},
		"somebody without a name":    {admin(""), o.Digest(), start, twoperson.CodeRole},
		"who saw something else":     {admin("bob"), "x", start, call.CodeConflict},
		"who comes a day later":      {admin("bob"), o.Digest(), start.Add(twoperson.Lasts), twoperson.CodeNotPending},
		"another admin":              {admin("bob"), o.Digest(), start.Add(time.Hour), ""},
		"another admin at the limit": {admin("bob"), o.Digest(), start.Add(twoperson.Lasts - 1), ""},
	} {
		next, err := o.Confirm(c.who, c.seen, c.at)
		if call.CodeOf(err) != c.want || (err == nil) != (next.State == twoperson.Confirmed) {
			t.Errorf("%s: %v, %s", name, err, next.State)
		}
	}
	if _, err := twoperson.Propose(access.Local(), wish("a"), start); call.CodeOf(err) != twoperson.CodeRole {
		t.Errorf("nobody proposes: %v", err)
	}
	for name, change := range map[string]func(*twoperson.Order){
		"calls": func(o *twoperson.Order) { o.Calls = []string{"a", "c"} }, "reason": func(o *twoperson.Order) { o.Reason = "y" }, "by": func(o *twoperson.Order) { o.By = "eve" },
	} {
		other := o
		if change(&other); other.Digest() == o.Digest() {
			t.Errorf("another %s has the same digest", name)
		}
	}
}

func TestAnOrderIsConfirmedOnce(t *testing.T) {
	t.Parallel()
	d, _ := newDesk()
	o, _, err := d.Propose(t.Context(), admin("ann"), wish("a"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Finish(t.Context(), o.ID, []string{"recalled"}); call.CodeOf(err) != twoperson.CodeNotPending {
		t.Errorf("carried out before anybody confirmed: %v", err)
	}
	var won sync.Map
	var all sync.WaitGroup
	for _, name := range []string{"bob", "cid", "dan", "eve"} {
		all.Go(func() {
			if _, err := d.Confirm(t.Context(), admin(name), o.ID, o.Digest()); err == nil {
				won.Store(name, true)
			}
		})
	}
	all.Wait()
	n := 0
	won.Range(func(any, any) bool { n++; return true })
	now, err := d.Order(t.Context(), o.ID)
	if n != 1 || err != nil || now.State != twoperson.Confirmed {
		t.Errorf("%d confirmations, %+v %v", n, now, err)
	}
	if _, err := d.Withdraw(t.Context(), admin("ann"), o.ID, "not needed"); call.CodeOf(err) != twoperson.CodeNotPending {
		t.Errorf("withdrawn after it was confirmed: %v", err)
	}
	for range 2 {
		if now, err = d.Finish(t.Context(), o.ID, []string{"recalled"}); err != nil || now.State != twoperson.Done {
			t.Errorf("%+v %v", now, err)
		}
	}
	if list, err := d.List(t.Context(), "", 10); err != nil || len(list) != 1 || list[0].Second == "" {
		t.Errorf("%+v %v", list, err)
	}
	if _, err := d.Order(t.Context(), "no\nsuch"); call.CodeOf(err) != call.CodeNotFound {
		t.Errorf("%v", err)
	}
}

// unsure is a store whose next write fails, before or after it was done.
type unsure struct {
	call.Cells

	fail, done bool
}

var errLost = errors.New("the answer was lost")

func (u *unsure) SetCell(ctx context.Context, c call.Cell) (call.Cell, bool, error) {
	if !u.fail {
		return u.Cells.SetCell(ctx, c)
	}
	u.fail = false
	if u.done {
		if _, _, err := u.Cells.SetCell(ctx, c); err != nil {
			return call.Cell{}, false, err
		}
	}
	return call.Cell{}, false, errLost
}

func TestADecisionWhoseAnswerWasLostIsTheSameDecision(t *testing.T) {
	t.Parallel()
	for _, done := range []bool{false, true} {
		d, _ := newDesk()
		store := &unsure{Cells: d.Cells, done: done}
		d.Cells = store
		store.fail = true
		o, _, err := d.Propose(t.Context(), admin("ann"), wish("a"))
		if err != nil {
			t.Fatal(err)
		}
		store.fail = true
		if now, err := d.Confirm(t.Context(), admin("bob"), o.ID, o.Digest()); err != nil || now.Second != "bob" {
			t.Errorf("done %v: %+v %v", done, now, err)
		}
		if list, err := d.List(t.Context(), "", 10); err != nil || len(list) != 1 {
			t.Errorf("%+v %v", list, err)
		}
	}
}

func TestAWithdrawnOrderIsNotConfirmed(t *testing.T) {
	t.Parallel()
	d, _ := newDesk()
	o, _, err := d.Propose(t.Context(), admin("ann"), wish("a"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Withdraw(t.Context(), admin("ann"), o.ID, "not needed"); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Confirm(t.Context(), admin("bob"), o.ID, o.Digest()); call.CodeOf(err) != twoperson.CodeNotPending {
		t.Errorf("%v", err)
	}
}

func TestTheSameQuestionFindsItsOrderAgainAndAnotherOneIsAConflict(t *testing.T) {
	t.Parallel()
	d, c := newDesk()
	w := wish("a", "b")
	w.ID, w.Ask = "order-1", "q1"
	first, fresh, err := d.Propose(t.Context(), admin("ann"), w)
	if err != nil || !fresh {
		t.Fatalf("%v %v", fresh, err)
	}
	c.now = c.now.Add(time.Minute)
	w.Calls = []string{"a", "b", "c"} // what the question chooses now
	again, fresh, err := d.Propose(t.Context(), admin("ann"), w)
	if err != nil || fresh || again.Digest() != first.Digest() {
		t.Errorf("%+v %v %v", again, fresh, err)
	}
	w.Ask = "q2"
	if _, _, err := d.Propose(t.Context(), admin("ann"), w); call.CodeOf(err) != call.CodeConflict {
		t.Errorf("another question: %v", err)
	}
	if _, known, err := d.Known(t.Context(), "order-1", "q1"); err != nil || !known {
		t.Errorf("%v %v", known, err)
	}
	if _, _, err := d.Known(t.Context(), "order-1", "q2"); call.CodeOf(err) != call.CodeConflict {
		t.Errorf("%v", err)
	}
	if _, known, err := d.Known(t.Context(), "order-2", "q1"); err != nil || known {
		t.Errorf("%v %v", known, err)
	}
}

func TestAnOrderOfOnePersonNeedsNoNameAndNoSecond(t *testing.T) {
	t.Parallel()
	w := wish("a")
	w.Alone = true
	for _, who := range []access.Principal{access.Local(), admin("ann")} {
		if o, err := twoperson.Propose(who, w, start); err != nil || o.State != twoperson.Confirmed || !o.Decided.Equal(start) {
			t.Errorf("%s: %+v %v", who.Name, o, err)
		}
	}
	for _, who := range []access.Principal{{Kind: access.Operator, Name: "bob", Role: access.RoleOperate}, {Kind: access.Producer, Name: "bob", KeySpace: "bob"}} {
		if _, err := twoperson.Propose(who, w, start); call.CodeOf(err) != twoperson.CodeRole {
			t.Errorf("%s: %v", who.Kind, err)
		}
	}
}

func TestAnOldOrderIsExpiredAndAConfirmedOneIsLate(t *testing.T) {
	t.Parallel()
	o, err := twoperson.Propose(admin("ann"), wish("a"), start)
	if err != nil {
		t.Fatal(err)
	}
	if o.StateAt(start.Add(twoperson.Lasts-1)) != twoperson.Pending || o.StateAt(start.Add(twoperson.Lasts)) != twoperson.Expired {
		t.Error("expires at another time")
	}
	at := start.Add(twoperson.Lasts - 1)
	if o, err = o.Confirm(admin("bob"), o.Digest(), at); err != nil || o.StateAt(at.Add(9*twoperson.Lasts)) != twoperson.Confirmed {
		t.Errorf("%+v %v", o, err)
	}
	if o.Late(at.Add(twoperson.Lasts-1)) || !o.Late(at.Add(twoperson.Lasts)) {
		t.Error("late at another time")
	}
}

func TestALeaseIsTakenOverOnlyAsItWasSeen(t *testing.T) {
	t.Parallel()
	d, _ := newDesk()
	alone := wish("a")
	alone.Alone = true
	o, _, err := d.Propose(t.Context(), admin("ann"), alone)
	if err != nil {
		t.Fatal(err)
	}
	digest := o.Digest()
	first, err := d.Take(t.Context(), o.ID, "first", twoperson.Lease{})
	if err != nil || first.Lease != (twoperson.Lease{Worker: "first", Beat: 1}) || first.Digest() != digest {
		t.Fatalf("%+v %v", first, err)
	}
	for _, still := range []twoperson.Lease{{}, {Worker: "first"}, {Worker: "first", Beat: 2}} {
		if _, err := d.Take(t.Context(), o.ID, "second", still); call.CodeOf(err) != twoperson.CodeBusy {
			t.Errorf("%+v: %v", still, err)
		}
	}
	if again, err := d.Take(t.Context(), o.ID, "first", twoperson.Lease{}); err != nil || again.Lease.Beat != 2 { // a renewal is seen
		t.Errorf("%+v %v", again, err)
	}
	if _, err := d.Take(t.Context(), o.ID, "second", first.Lease); call.CodeOf(err) != twoperson.CodeBusy {
		t.Errorf("a lease was taken over that was renewed: %v", err)
	}
	if o, err = d.Take(t.Context(), o.ID, "second", twoperson.Lease{Worker: "first", Beat: 2}); err != nil || o.Lease.Worker != "second" {
		t.Errorf("%+v %v", o, err)
	}
	if err := d.GiveBack(t.Context(), o.ID, "first"); err != nil {
		t.Error(err)
	}
	if o, err = d.Order(t.Context(), o.ID); err != nil || o.Lease.Worker != "second" {
		t.Errorf("another one's lease was given back: %+v %v", o, err)
	}
	if err := d.GiveBack(t.Context(), o.ID, "second"); err != nil {
		t.Error(err)
	}
	if o, err = d.Take(t.Context(), o.ID, "third", twoperson.Lease{}); err != nil || o.Lease.Worker != "third" {
		t.Errorf("%+v %v", o, err)
	}
	if o, err = d.Finish(t.Context(), o.ID, []string{"released"}); err != nil || o.State != twoperson.Done || o.Lease != (twoperson.Lease{}) {
		t.Errorf("%+v %v", o, err)
	}
	if o, err = d.Take(t.Context(), o.ID, "late", twoperson.Lease{}); err != nil || o.State != twoperson.Done || o.Lease.Worker != "" {
		t.Errorf("%+v %v", o, err)
	}
}
