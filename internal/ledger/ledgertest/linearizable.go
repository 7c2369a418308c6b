package ledgertest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// The histories of this suite are those of clients that run side by side: every call of the ledger with the instants between which it was
// under way, and its answer. Each is given to a checker that looks for one order of these calls in which a row that is compared and set one
// call at a time gives the same answers. Writes are lost on the way, applied without an answer, arrive twice, or arrive late, after their
// writer has gone on; such a write may take effect at any later instant, or never.

const (
	histories     = 100 // of one exercise, on one store
	slowHistories = 15  // of a store that lacks speed
	nightBatches  = 50  // how often each exercise comes with RINGONCE_NIGHT

	clients     = 5
	callsOfEach = 8
	historyRows = 2 // of one history: few, so that its clients meet
)

func linearizable() Suite {
	s := Suite{Name: "Linearizable"}
	batches := 1
	if os.Getenv("RINGONCE_NIGHT") != "" {
		batches = nightBatches
	}
	for batch := range batches {
		with := ""
		slow := func(l Lacks) bool { return l.Speed && batch > 0 }
		if batch > 0 {
			with = fmt.Sprintf(", batch %d", batch+1)
		}
		s.cases = append(
			s.cases,
			exercise{name: "histories of answered calls" + with, run: func(x *exam) { x.histories(batch, nil) }, skip: slow},
			exercise{name: "histories with lost, late and doubled writes" + with, run: func(x *exam) {
				x.histories(batch, []Fate{Answered, Answered, Answered, AnswerLost, NeverArrived, Twice, Late})
			}, skip: slow},
		)
	}
	return s
}

// histories checks many histories, each of rows of its own, and that they were worth checking.
func (x *exam) histories(batch int, fates []Fate) {
	x.Helper()
	many := histories
	if x.lacks.Speed {
		many = slowHistories
	}
	var all tally
	for n := range many {
		h := &history{x: x, name: fmt.Sprintf("history-%d", n), fates: fates, step: rowStep}
		h.run(uint64(batch*histories + n))
		if reason := h.illegal(x.lacks.Due); reason != "" {
			x.Fatalf("%s is not linearizable%s", h.name, reason)
		}
		all.add(h)
		h.retire()
	}
	if all.overlaps == 0 || all.lostCompares == 0 || all.applied == 0 || (len(fates) > 0 && all.open == 0) {
		x.Errorf("%d histories with %d overlaps, %d applied writes, %d lost compares and %d open calls prove nothing",
			many, all.overlaps, all.applied, all.lostCompares, all.open)
	}
}

// client makes a random life: it reads a row and writes the version after it, and asks what is due. Sometimes it works on with what it read
// long ago, and sends what it does not know the fate of again.
type client struct {
	h      *history
	number int
	random *rand.Rand
	known  map[string]call.Call // what it saw last of each row
	writes int
}

// run lets the clients live, then reads every row once more.
func (h *history) run(seed uint64) {
	var ready, done sync.WaitGroup
	gate := make(chan struct{})
	for n := range clients {
		c := &client{h: h, number: n, random: rand.New(rand.NewPCG(seed, uint64(n))), known: map[string]call.Call{}}
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-gate
			for range callsOfEach {
				c.live()
			}
		})
	}
	ready.Wait()
	close(gate)
	done.Wait()
	h.late.Wait()
	last := &client{h: h, number: clients, known: map[string]call.Call{}}
	for n := range historyRows {
		last.get(h.row(n))
	}
	last.due(start.Add(time.Hour))
}

// retire ends the rows, so that the coming histories are not told that these are due. It is no part of the exercise, so its errors are not.
func (h *history) retire() {
	for n := range historyRows {
		if c, err := h.x.Get(h.x.ctx, h.row(n)); err == nil {
			_, _ = h.x.Update(h.x.ctx, h.x.placed(c, "contact-"+c.ID, "op-retire-"+c.ID))
		}
	}
}

func (h *history) row(n int) string { return fmt.Sprintf("%s-row-%d", h.name, n) }

func (c *client) live() {
	id := c.h.row(c.random.IntN(historyRows))
	known, seen := c.known[id]
	switch draw := c.random.IntN(10); {
	case draw < 2:
		c.get(id)
	case draw < 3:
		c.due(start.Add(time.Duration(c.random.IntN(40)) * time.Minute))
	case !seen || draw < 4:
		e := opening(id)
		e.Due = c.anyTime()
		c.write(c.h.x.Create, "create", c.h.x.write(call.Begin(id), e, c.op()))
	default:
		c.write(c.h.x.Update, "update", c.h.x.held(known, c.anyTime(), c.op()))
	}
}

func (c *client) anyTime() time.Time {
	return start.Add(time.Duration(c.random.IntN(40)) * time.Minute)
}

func (c *client) op() string {
	c.writes++
	return fmt.Sprintf("%s-op-%d-%d", c.h.name, c.number, c.writes)
}

func (c *client) fate() Fate {
	if len(c.h.fates) == 0 {
		return Answered
	}
	return c.h.fates[c.random.IntN(len(c.h.fates))]
}

// write sends a write into its fate. What is not answered stays open; most of it is sent again, as the engine does.
func (c *client) write(act act, what string, w call.Write) {
	x := c.h.x
	in := input{what: what, row: w.Row.ID, op: w.Entry.Op, version: w.Row.Version, head: w.Row.Head, due: w.Row.DueAt()}
	for range 3 {
		o := c.h.begin(c.number, in)
		send := func() output {
			runtime.Gosched() // so that calls of a ledger in memory overlap
			return answered(act(x.ctx, w))
		}
		switch c.fate() {
		case Answered:
			c.learn(w.Row.ID, o.end(send()))
			return
		case Twice: // two arrivals, of which the first has no answer
			o.leaveOpen()
			o = c.h.begin(c.number, in)
			send()
			c.learn(w.Row.ID, o.end(send()))
			return
		case AnswerLost:
			send()
		case Late:
			c.h.late.Go(func() { send() })
		case NeverArrived:
		}
		o.leaveOpen()
		if c.random.IntN(4) == 0 {
			return
		}
	}
}

func (c *client) learn(id string, out output) {
	if out.err == "" {
		c.known[id] = out.call
	}
}

func (c *client) get(id string) {
	o := c.h.begin(c.number, input{what: "get", row: id})
	runtime.Gosched()
	row, err := c.h.x.Get(c.h.x.ctx, id)
	c.learn(id, o.end(answered(call.Written{Row: row}, err)))
}

// due asks once for all rows; each row's history has its own part of the answer.
func (c *client) due(now time.Time) {
	var parts []*operation
	for n := range historyRows {
		parts = append(parts, c.h.begin(c.number, input{what: "due", row: c.h.row(n), now: now}))
	}
	ids, err := c.h.x.Due(c.h.x.ctx, now, 1_000_000)
	listed := map[string]bool{}
	for _, id := range ids {
		listed[id] = true
	}
	for _, o := range parts {
		out := answered(call.Written{}, err)
		out.due = listed[o.in.row]
		o.end(out)
	}
}
