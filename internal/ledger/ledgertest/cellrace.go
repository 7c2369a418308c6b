package ledgertest

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/ringonce/ringonce/internal/call"
)

// mostTries ends a loop that a broken ledger would not: each lost compare is another one's success, so nobody loses more often.
const mostTries = 1000

func oneCellWins(x *exam) {
	var winners atomic.Int64
	answers := make([]call.Cell, rivals)
	race(func(i int) {
		now, ok, err := x.SetCell(x.ctx, call.Cell{Name: "a", Version: 1, Data: strconv.AppendInt(nil, int64(i), 10)})
		if err != nil {
			x.Errorf("set: %v", err)
		}
		if answers[i] = now; ok {
			winners.Add(1)
		}
	})
	if winners.Load() != 1 {
		x.Errorf("%d of %d first writes won", winners.Load(), rivals)
	}
	for _, now := range answers {
		x.sameCell("the cell in an answer", now, x.mustCell("a"))
	}
}

// cellCounted lets many add one, again and again, as the counters of a gate do.
func cellCounted(x *exam) {
	each := 20
	if x.lacks.Speed {
		each = 3
	}
	race(func(int) {
		now, err := x.Cell(x.ctx, "counter")
		for n, try := 0, 0; n < each && err == nil; try++ {
			if try == mostTries {
				x.Errorf("%d writes, each made from the newest cell, counted %d", try, n)
				return
			}
			next := now
			next.Version++
			count, _ := strconv.Atoi(string(now.Data)) // no data is zero
			next.Data = strconv.AppendInt(nil, int64(count+1), 10)
			var ok bool
			if now, ok, err = x.SetCell(x.ctx, next); ok {
				n++
			}
		}
		if err != nil {
			x.Errorf("count: %v", err)
		}
	})
	want := strconv.Itoa(rivals * each)
	if got := x.mustCell("counter"); string(got.Data) != want || got.Version != int64(rivals*each) {
		x.Errorf("%s were counted in version %d, want %s", got.Data, got.Version, want)
	}
}

// cellHistories checks histories of cells as those of rows are (linearizable.go).
func (x *exam) cellHistories(fates []Fate) {
	x.Helper()
	many := histories
	if x.lacks.Speed {
		many = slowHistories
	}
	var all tally
	for n := range many {
		h := &history{x: x, name: fmt.Sprintf("history-%d", n), fates: fates, step: cellStep}
		h.runCells(uint64(n))
		if reason := h.illegal(false); reason != "" {
			x.Fatalf("%s is not linearizable%s", h.name, reason)
		}
		all.add(h)
	}
	if all.overlaps == 0 || all.lostCompares == 0 || all.applied == 0 || (len(fates) > 0 && all.open == 0) {
		x.Errorf("%d histories with %d overlaps, %d applied writes, %d lost compares and %d open calls prove nothing",
			many, all.overlaps, all.applied, all.lostCompares, all.open)
	}
}

// cellStep is [rowStep] for a cell: there is no op that a write is recognized by.
func cellStep(s rowState, in input, out output) (bool, rowState) {
	if in.what == "get" {
		return out.err == "" && out.head == s.head && out.version == s.version, s
	}
	applies := in.version == s.version+1
	if applies {
		s = rowState{version: in.version, head: in.head}
	}
	if out.open {
		return true, s
	}
	return out.err == "" && out.applied == applies && out.head == s.head && out.version == s.version, s
}

// cellClient is a client that reads cells and writes the version after what it saw last.
type cellClient struct {
	client

	seen map[string]call.Cell
}

func (h *history) runCells(seed uint64) {
	var done sync.WaitGroup
	gate := make(chan struct{})
	for n := range clients {
		c := &cellClient{client{h: h, number: n, random: rand.New(rand.NewPCG(seed, uint64(n)))}, map[string]call.Cell{}}
		done.Go(func() {
			<-gate
			for range callsOfEach {
				c.live()
			}
		})
	}
	close(gate)
	done.Wait()
	h.late.Wait()
	last := &cellClient{client{h: h, number: clients}, map[string]call.Cell{}}
	for n := range historyRows {
		last.get(h.row(n))
	}
}

func (c *cellClient) live() {
	name := c.h.row(c.random.IntN(historyRows))
	if c.random.IntN(4) == 0 {
		c.get(name)
		return
	}
	seen := c.seen[name]
	c.set(call.Cell{Name: name, Version: seen.Version + 1, Data: []byte(c.op())})
}

func (c *cellClient) get(name string) {
	o := c.h.begin(c.number, input{what: "get", row: name})
	runtime.Gosched()
	now, err := c.h.x.Cell(c.h.x.ctx, name)
	c.answer(o, now, false, err)
}

func (c *cellClient) answer(o *operation, now call.Cell, ok bool, err error) {
	out := output{applied: ok, head: string(now.Data), version: now.Version}
	if err != nil {
		out.err = err.Error()
	} else {
		c.seen[o.in.row] = now
	}
	o.end(out)
}

// set sends a write into its fate.
func (c *cellClient) set(cell call.Cell) {
	in := input{what: "update", row: cell.Name, version: cell.Version, head: string(cell.Data)}
	send := func() (call.Cell, bool, error) {
		runtime.Gosched()
		return c.h.x.SetCell(c.h.x.ctx, cell)
	}
	o := c.h.begin(c.number, in)
	switch c.fate() {
	case Answered:
		now, ok, err := send()
		c.answer(o, now, ok, err)
		return
	case Twice: // two arrivals, of which the first has no answer
		o.leaveOpen()
		o = c.h.begin(c.number, in)
		_, _, _ = send()
		now, ok, err := send()
		c.answer(o, now, ok, err)
		return
	case AnswerLost:
		_, _, _ = send()
	case Late:
		c.h.late.Go(func() { _, _, _ = send() })
	case NeverArrived:
	}
	o.leaveOpen()
}
