package app_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// costs counts what a ledger and its cells are asked.
type costs struct{ creates, updates, gets, cells, sets atomic.Int64 }

type costedLedger struct {
	call.Ledger

	costs *costs
}

// Create implements call.Ledger.
func (l costedLedger) Create(ctx context.Context, w call.Write) (call.Written, error) {
	l.costs.creates.Add(1)
	return l.Ledger.Create(ctx, w)
}

// Update implements call.Ledger.
func (l costedLedger) Update(ctx context.Context, w call.Write) (call.Written, error) {
	l.costs.updates.Add(1)
	return l.Ledger.Update(ctx, w)
}

// Get implements call.Ledger.
func (l costedLedger) Get(ctx context.Context, id string) (call.Call, error) {
	l.costs.gets.Add(1)
	return l.Ledger.Get(ctx, id)
}

type costedCells struct {
	call.Cells

	costs *costs
}

// Cell implements call.Cells.
func (l costedCells) Cell(ctx context.Context, name string) (call.Cell, error) {
	l.costs.cells.Add(1)
	return l.Cells.Cell(ctx, name)
}

// SetCell implements call.Cells.
func (l costedCells) SetCell(ctx context.Context, c call.Cell) (call.Cell, bool, error) {
	l.costs.sets.Add(1)
	return l.Cells.SetCell(ctx, c)
}

// A call whose outcome is tracked and whose dial asks the gate, both of which are the default, costs what docs/dynamodb.md says: a create and an
// update to its acknowledgment, and one read of the switches for all calls of half a second.
func TestACallCostsTwoWritesWithEveryDefault(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // no time passes
		var n costs
		m := newMeter(t, func(c *app.Config, o *app.Options) {
			c.Ledger.ReadFirst = new(bool) // as with DynamoDB
			o.WrapLedger = func(l call.Ledger) call.Ledger { return costedLedger{l, &n} }
			o.WrapCells = func(l call.Cells) call.Cells { return costedCells{l, &n} }
		})
		const calls = 5
		for i := range calls {
			report, err := m.app.Handler.Process(t.Context(), []byte(batch(request(1, object{"notificationId": string(rune('a' + i))}))))
			if err != nil || report.Results[0].Outcome.Met != call.MetPlaced || !report.Results[0].Outcome.Call.Tracked {
				t.Fatalf("%+v, %v", report.Results, err)
			}
		}
		if n.creates.Load() != calls || n.updates.Load() != calls || n.gets.Load() != 0 || n.cells.Load() != 2 || n.sets.Load() != 1 { // the country, once
			t.Errorf("%d calls: %d creates, %d updates, %d reads, %d cells read, %d written", calls,
				n.creates.Load(), n.updates.Load(), n.gets.Load(), n.cells.Load(), n.sets.Load())
		}
	})
}

// TestWhatAnAcceptedCallAndADuplicateCostWithASharedPace counts what docs/benchmarks.md says of PostgreSQL, for a lone request: a call that waits for its
// turn is a read, a look at the bucket, a place in line and a create; a duplicate is a read.
func TestWhatAnAcceptedCallAndADuplicateCostWithASharedPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // no time passes
		var n costs
		yes, slow := true, 1.0
		m := newMeter(t, func(c *app.Config, o *app.Options) {
			c.Pacing = app.Pacing{PerSecond: &slow, Burst: 1, Patience: "10ms", Shared: &yes}
			o.WrapLedger = func(l call.Ledger) call.Ledger { return costedLedger{l, &n} }
			o.WrapCells = func(l call.Cells) call.Cells { return costedCells{l, &n} }
		})
		if err := m.app.Store.Journal.Beat(t.Context(), m.app.Clock.Now()); err != nil { // a sweeper lives
			t.Fatal(err)
		}
		accept := func(i int) {
			number, err := call.ParsePhone("+12025550101")
			if err != nil {
				t.Fatal(err)
			}
			out := m.app.Engine.Accept(t.Context(), call.Delivery{Source: call.SourceHTTP, Request: call.Request{
				NotificationID: string(rune('a' + i)), RecipientID: "r", Destination: number, Profile: "alert",
			}})
			if out.Ack != call.AckDone || out.Call.State != call.Received {
				t.Fatalf("%+v", out)
			}
		}
		const calls = 5
		accept(calls) // one slot is free, and the line is not known yet
		accept(calls + 1)
		for _, c := range []struct {
			what string
			want [5]int64 // creates, updates, reads, cells read, cells written
		}{{"new calls", [5]int64{calls, 0, calls, calls, calls}}, {"duplicates", [5]int64{0, 0, calls, 0, 0}}} {
			n.creates.Store(0)
			n.updates.Store(0)
			n.gets.Store(0)
			n.cells.Store(0)
			n.sets.Store(0)
			for i := range calls {
				accept(i)
			}
			if got := [5]int64{n.creates.Load(), n.updates.Load(), n.gets.Load(), n.cells.Load(), n.sets.Load()}; got != c.want {
				t.Errorf("%d %s: creates, updates, reads, cells read and written: %v, want %v", calls, c.what, got, c.want)
			}
		}
	})
}
