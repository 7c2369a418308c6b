package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/httpapi"
	"github.com/ringonce/ringonce/internal/twoperson"
)

// later is a clock that is set forward.
type later struct {
	call.Clock

	by atomic.Int64
}

func (l *later) Now() time.Time { return l.Clock.Now().Add(time.Duration(l.by.Load())) }

// follows carries on with what a process left that died: it looks twice, as a service does that lives on.
func (x *ordering) follows(change ...func(*httpapi.Options)) {
	x.t.Helper()
	o := x.options
	clock := &later{Clock: o.Clock}
	o.Clock = clock
	for _, f := range change {
		f(&o)
	}
	c := httpapi.NewCarrier(o)
	for range 2 {
		if err := c.Resume(x.t.Context()); err != nil {
			x.t.Error(err)
		}
		clock.by.Add(int64(twoperson.LeaseLasts))
	}
}

// told counts what the audit log and the histories tell of the releases of an order, by call.
func (x *ordering) told(ids []string) (written, happened map[string]int) {
	x.t.Helper()
	written, happened = map[string]int{}, map[string]int{}
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, act := range x.acts {
		if act.Action == "releaseHeld" && act.CallID != "" {
			written[act.CallID]++
		}
	}
	for _, id := range ids {
		entries, err := x.options.Index.History(x.t.Context(), id)
		if err != nil {
			x.t.Fatal(err)
		}
		for _, e := range entries {
			if event, err := e.Event(); err != nil {
				x.t.Fatal(err)
			} else if event.Kind == call.EventReleased {
				happened[id]++
			}
		}
	}
	return written, happened
}

// slowLedger takes its time for each look at a row, so that two who work at once meet.
type slowLedger struct{ call.Ledger }

func (s slowLedger) Get(ctx context.Context, id string) (call.Call, error) {
	time.Sleep(time.Millisecond)
	return s.Ledger.Get(ctx, id) //nolint:wrapcheck // of the ledger under it
}

// releasedAtOnce gives an order and has others carry it on while its own process works.
func releasedAtOnce(t *testing.T, x *ordering, others []*ordering, ids []string) {
	t.Helper()
	for _, one := range append(others, x) {
		one.options.Ledger = slowLedger{one.options.Ledger}
	}
	x.restart()
	seen := x.seenBy("release")
	var all sync.WaitGroup
	all.Go(func() { x.do(&admin, "POST", "/v1/held:release", wishes(ofShop, `,"seen":"`+seen+`"`)) })
	for _, other := range others {
		all.Go(func() {
			for range 20 {
				other.resumes()
				time.Sleep(5 * time.Millisecond)
			}
		})
	}
	all.Wait()
	x.resumes()
	written, happened := x.told(ids)
	for _, other := range others {
		if other.world == x.world { // they write one audit log
			continue
		}
		w, _ := other.told(ids)
		for _, id := range ids {
			written[id] += w[id]
		}
	}
	for _, id := range ids {
		if written[id] != 1 || happened[id] != 1 {
			t.Fatalf("a release is %d times in the audit log and %d times in the history", written[id], happened[id])
		}
	}
	if list := x.do(&reader, "GET", "/v1/orders", ""); list.text("orders", 0, "state") != "done" || list.at("orders", 0, "done") != float64(len(ids)) {
		t.Error(list.Text)
	}
}

func TestOneAtATimeCarriesAnOrderOut(t *testing.T) {
	t.Parallel()
	x, ids := holding(t, 30)
	releasedAtOnce(t, x, []*ordering{{world: x.world, options: x.options}}, ids)
}

// deadCells writes no order any more after its process died.
type deadCells struct {
	call.Cells

	dead *atomic.Bool
}

func (d deadCells) SetCell(ctx context.Context, c call.Cell) (call.Cell, bool, error) {
	if d.dead.Load() {
		return call.Cell{}, false, errors.New("the process is dead")
	}
	return d.Cells.SetCell(ctx, c) //nolint:wrapcheck // of the cells under it
}

// diesAfter lets the process of an order end after so many of its acts, without giving anything back.
func diesAfter(n int32) func(*httpapi.Options) {
	return func(o *httpapi.Options) {
		var dead atomic.Bool
		o.Cells = deadCells{o.Cells, &dead}
		var acts atomic.Int32
		o.Audited = func() error {
			if acts.Add(1) > n+1 { // the first is the order's own
				dead.Store(true)
				return errors.New("the process is dead")
			}
			return nil
		}
	}
}

func TestAnOrderWhoseHolderDiedIsFollowedAfterTwoLooks(t *testing.T) {
	t.Parallel()
	x, ids := holding(t, 10)
	seen := x.seenBy("release")
	clock := &later{Clock: x.options.Clock}
	x.options.Clock = clock
	x.restart(diesAfter(4))
	order := wishes(ofShop, `,"seen":"`+seen+`"`)
	x.do(&admin, "POST", "/v1/held:release", order)
	x.restart()
	c := httpapi.NewCarrier(x.options)
	for i, want := range []string{"confirmed", "confirmed", "done"} {
		if err := c.Resume(t.Context()); err != nil {
			t.Error(err)
		}
		a := x.do(&admin, "POST", "/v1/held:release", order) // which takes nothing over
		if a.text("state") != want {
			t.Errorf("look %d: %s", i, a.Text)
		}
		clock.by.Add(int64(twoperson.LeaseLasts) * 3 / 5)
	}
	_, happened := x.told(ids)
	for _, id := range ids {
		if happened[id] != 1 {
			t.Errorf("%s was released %d times", id, happened[id])
		}
	}
}

// A holder that stood still finds its lease taken over, and does nothing more.
func TestAHolderThatStoodStillStops(t *testing.T) {
	t.Parallel()
	x, ids := holding(t, 10)
	seen := x.seenBy("release")
	clock := &later{Clock: x.options.Clock}
	x.options.Clock = clock
	var acts atomic.Int32
	other := httpapi.NewCarrier(x.options)
	x.restart(func(o *httpapi.Options) {
		o.Audited = func() error {
			if acts.Add(1) != 4 {
				return nil
			}
			for range 2 { // it stands still within its third act, and another process takes over
				if err := other.Resume(t.Context()); err != nil {
					t.Error(err)
				}
				clock.by.Add(int64(twoperson.LeaseLasts))
			}
			return nil
		}
	})
	a := x.do(&admin, "POST", "/v1/held:release", wishes(ofShop, `,"seen":"`+seen+`"`))
	if a.text("state") != "done" || a.at("done") != 10.0 || acts.Load() != 4 {
		t.Error(acts.Load(), a.Text)
	}
	written, happened := x.told(ids)
	for _, id := range ids {
		if happened[id] != 1 || written[id] > 2 {
			t.Errorf("%s was released %d times, and is %d times in the audit log", id, happened[id], written[id])
		}
	}
	if text := fmt.Sprint(written); strings.Count(text, ":2") > 3 { // what it had done before, and what it was at
		t.Error(text)
	}
}

// stepped is a clock of a machine that is set forward while it runs, as the process's own time is not.
type stepped struct {
	later

	ran atomic.Int64
}

func (s *stepped) Monotonic() time.Time { return time.Unix(0, s.ran.Load()) }

// A machine whose clock is set forward between two looks takes no lease over whose holder is at work.
func TestAClockThatIsSetForwardTakesNoLeaseOver(t *testing.T) {
	t.Parallel()
	x, ids := holding(t, 10)
	seen := x.seenBy("release")
	clock := &stepped{later: later{Clock: x.options.Clock}}
	o := x.options
	o.Clock = clock
	other := httpapi.NewCarrier(o)
	looks := func() {
		for range 2 {
			if err := other.Resume(t.Context()); err != nil {
				t.Error(err)
			}
			clock.by.Add(int64(time.Hour))
			clock.ran.Add(int64(time.Second))
		}
	}
	var acts atomic.Int32
	x.restart(func(o *httpapi.Options) {
		o.Audited = func() error {
			if acts.Add(1) == 4 {
				looks()
			}
			return nil
		}
	})
	if a := x.do(&admin, "POST", "/v1/held:release", wishes(ofShop, `,"seen":"`+seen+`"`)); a.text("state") != "done" || a.at("done") != 10.0 {
		t.Error(a.Text)
	}
	written, happened := x.told(ids)
	for _, id := range ids {
		if happened[id] != 1 || written[id] != 1 {
			t.Errorf("%s was released %d times, and is %d times in the audit log", id, happened[id], written[id])
		}
	}
}

// An order whose time is over is carried on by the next look, as its lease is given back then too.
func TestAnOrderThatWasCutOffGivesItsLeaseBack(t *testing.T) {
	t.Parallel()
	x, ids := holding(t, 10)
	seen := x.seenBy("release")
	var acts atomic.Int32
	x.restart(func(o *httpapi.Options) {
		o.LongestOrder = 200 * time.Millisecond
		o.Audited = func() error {
			if acts.Add(1) == 4 {
				time.Sleep(300 * time.Millisecond)
			}
			return nil
		}
	})
	x.do(&admin, "POST", "/v1/held:release", wishes(ofShop, `,"seen":"`+seen+`"`))
	x.restart()
	x.resumes() // one look
	if list := x.do(&reader, "GET", "/v1/orders", ""); list.text("orders", 0, "state") != "done" || list.at("orders", 0, "done") != float64(len(ids)) {
		t.Error(list.Text)
	}
}
