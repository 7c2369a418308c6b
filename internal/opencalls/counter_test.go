package opencalls_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/opencalls"
)

// index is the ledger as far as a counter asks it. before is run between two pages.
type index struct {
	call.Index

	mu     sync.Mutex
	rows   []call.Call
	before func(page int)
	err    error
	asked  int
}

func (i *index) List(_ context.Context, f call.Filter) ([]call.Call, string, error) {
	at, _ := strconv.Atoi(f.Cursor)
	if i.before != nil {
		i.before(at)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.asked++
	end := min(at+f.Limit, len(i.rows))
	next := ""
	if end < len(i.rows) {
		next = strconv.Itoa(end)
	}
	return i.rows[at:end], next, i.err
}

func row(id, space string, state call.State) call.Call {
	return call.Call{ID: id, State: state, Key: call.Key{KeySpace: space}}
}

func TestAProducerHasNoMoreOpenCallsThanItMay(t *testing.T) {
	t.Parallel()
	ledger := &index{}
	c := opencalls.New(opencalls.Options{Limits: map[string]int{"crm": 3, "free": 0}, Other: 1, Index: ledger})
	var settled []func(call.Call)
	for range 3 {
		settle, ok := c.Reserve("crm", "crm")
		if !ok {
			t.Fatal("a place was refused")
		}
		settled = append(settled, settle)
	}
	if _, ok := c.Reserve("crm", "crm"); ok {
		t.Error("more are being accepted at once than may be open")
	}
	settled[0](row("a", "crm", call.Received))
	settled[1](row("b", "crm", call.Placed)) // final at once
	settled[2](call.Call{})                  // nothing came of it
	if n := c.Open("crm"); n != 1 {
		t.Errorf("%d are open", n)
	}
	if _, ok := c.Reserve("shop", "shop"); !ok {
		t.Error("another producer is refused")
	}
	if _, ok := c.Reserve("shop", "shop"); ok {
		t.Error("a producer that is not listed has no limit")
	}
	for range 100 {
		if _, ok := c.Reserve("free", "free"); !ok {
			t.Fatal("a producer without a limit is refused")
		}
	}
	c.Ended("a")
	c.Ended("a")
	c.Ended("never seen")
	if n := c.Open("crm"); n != 0 {
		t.Errorf("%d are open", n)
	}
	if ledger.asked != 0 {
		t.Error("a request asked the ledger")
	}
}

func TestALookCorrectsTheCountAndKeepsWhatHappensMeanwhile(t *testing.T) {
	t.Parallel()
	ledger := &index{}
	c := opencalls.New(opencalls.Options{Other: 100_000, Index: ledger})
	settle, _ := c.Reserve("crm", "crm")
	settle(row("ended elsewhere", "crm", call.Received))
	for n := range 1200 {
		ledger.rows = append(ledger.rows, row(fmt.Sprintf("r-%d", n), "crm", call.Received))
	}
	ledger.before = func(page int) {
		if page == 500 {
			c.Ended("r-3") // seen by the look already
			c.Ended("r-700")
			settle, _ := c.Reserve("crm", "crm")
			settle(row("accepted meanwhile", "crm", call.Received))
		}
	}
	if err := c.Look(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := c.Open("crm"); n != 1199 {
		t.Errorf("%d are open, want 1200 less 2 that ended and 1 more", n)
	}
	ledger.before, ledger.err = nil, errors.New("planted")
	if err := c.Look(t.Context()); err == nil || c.Open("crm") != 1199 {
		t.Errorf("%v: %d are open after a look that failed", err, c.Open("crm"))
	}
}

func TestWithoutALimitThereIsNoCounter(t *testing.T) {
	t.Parallel()
	c := opencalls.New(opencalls.Options{Limits: map[string]int{"crm": 0}})
	if c != nil {
		t.Error("there is one")
	}
	c.Ended("a")
	if c.Limit("crm") != 0 {
		t.Error("it limits")
	}
}

// Whatever is accepted, ended and looked at, in any order: the count is that of a plain list, and never above the limit.
func TestTheCountIsThatOfAPlainList(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ledger := &index{}
		const most = 5
		c := opencalls.New(opencalls.Options{Other: most, Index: ledger})
		open, made := map[string]bool{}, 0
		for range rapid.IntRange(1, 60).Draw(t, "acts") {
			switch rapid.IntRange(0, 3).Draw(t, "act") {
			case 0, 1:
				settle, ok := c.Reserve("crm", "crm")
				if ok != (len(open) < most) {
					t.Fatalf("%d are open, and a place was given: %t", len(open), ok)
				}
				if ok {
					made++
					id := strconv.Itoa(made)
					settle(row(id, "crm", call.Received))
					open[id] = true
				}
			case 2:
				for id := range open {
					c.Ended(id)
					delete(open, id)
					break
				}
			case 3:
				ledger.rows = nil
				for id := range open {
					ledger.rows = append(ledger.rows, row(id, "crm", call.Received))
				}
				if err := c.Look(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
			if n := c.Open("crm"); n != len(open) {
				t.Fatalf("%d are counted, %d are open", n, len(open))
			}
		}
	})
}
