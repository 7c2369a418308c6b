package scenariotest

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

var (
	errKilled = errors.New("planted: the process was killed")
	errLost   = errors.New("planted: the ledger did not answer")
)

// points are the instants around an effect at which a process can die.
func points() []string {
	return []string{"before create", "after create", "before intent", "after intent", "before dial", "after dial", "before result", "after result"}
}

// gate stands before and after every effect of the process.
type gate struct {
	mu    sync.Mutex
	kill  string                         // the point at which the process dies next
	dead  bool                           // nothing of a killed process runs on
	do    map[string]func()              // what happens at a point, once
	spoil func(name string) (fate write) // what becomes of a write of the ledger; nil: nothing
	seen  map[string]int                 // how often each point was passed
}

// write is what becomes of a ledger's write.
type write int

const (
	answered write = iota
	notApplied
	answerLost
)

func (g *gate) revive() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.dead, g.kill = false, ""
}

func (g *gate) killed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.dead
}

// count returns how often a point was passed.
func (g *gate) count(point string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.seen[point]
}

func (g *gate) at(point string) {
	g.mu.Lock()
	if g.seen == nil {
		g.seen = map[string]int{}
	}
	g.seen[point]++
	if g.kill == point {
		g.dead = true
	}
	dead, act := g.dead, g.do[point]
	delete(g.do, point)
	g.mu.Unlock()
	if dead {
		panic(errKilled)
	}
	if act != nil {
		act()
	}
}

func (g *gate) write(name string, send func() (call.Written, error)) (call.Written, error) {
	g.at("before " + name)
	fate := answered
	g.mu.Lock()
	if g.spoil != nil {
		fate = g.spoil(name)
	}
	g.mu.Unlock()
	if fate == notApplied {
		return call.Written{}, errLost
	}
	written, err := send()
	g.at("after " + name)
	if fate == answerLost {
		return call.Written{}, errLost
	}
	return written, err
}

// gatedLedger is a ledger whose process can die around each write.
type gatedLedger struct {
	call.Ledger

	gate *gate
}

// Create implements call.Ledger. A row that is made together with its first intent passes the points of both.
func (l gatedLedger) Create(ctx context.Context, w call.Write) (call.Written, error) {
	if w.Row.State != call.Dialing {
		return l.gate.write("create", func() (call.Written, error) { return l.Ledger.Create(ctx, w) })
	}
	return l.gate.write("create", func() (call.Written, error) {
		return l.gate.write("intent", func() (call.Written, error) { return l.Ledger.Create(ctx, w) })
	})
}

// Update implements call.Ledger.
func (l gatedLedger) Update(ctx context.Context, w call.Write) (call.Written, error) {
	return l.gate.write(string(w.Entry.Kind), func() (call.Written, error) { return l.Ledger.Update(ctx, w) })
}

// Get implements call.Ledger.
func (l gatedLedger) Get(ctx context.Context, id string) (call.Call, error) {
	l.gate.at("get")
	return l.Ledger.Get(ctx, id)
}

// gatedDialer is a dialer whose process can die around each dial.
type gatedDialer struct {
	call.Dialer

	gate *gate
}

// Dial implements call.Dialer.
func (d gatedDialer) Dial(ctx context.Context, s call.Send) call.Answer {
	d.gate.at("before dial")
	answer := d.Dialer.Dial(ctx, s)
	d.gate.at("after dial")
	return answer
}

// Search implements call.Dialer.
func (d gatedDialer) Search(ctx context.Context, t call.Target, id string, from, to time.Time) ([]call.Contact, error) {
	d.gate.at("before search")
	return d.Dialer.Search(ctx, t, id, from, to)
}
