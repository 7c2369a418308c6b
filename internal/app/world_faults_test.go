package app_test

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// crashed is what a planted crash panics with. A dead worker panics at every later effect, as nothing of a killed process runs on.
type crashed struct{ point string }

var errLedgerAnswer = errors.New("planted: the ledger's answer was lost")

// crashPoints are the instants around an effect at which a worker may die.
func crashPoints() []string {
	return []string{
		"before create", "after create", "before intent", "after intent", "before result", "after result", "before other write",
		"after other write", "before dial", "after dial", "before search", "before stop", "before erase", "after erase", "before scrub",
	}
}

// gate stands before every effect of one worker.
type gate struct {
	w    *world
	k    *worker
	fail int // how many ledger writes still fail, so that a run of failures outlasts the engine's tries
}

// at is an instant around an effect: the worker may die there, or another may act.
func (g *gate) at(point string) {
	w := g.w
	w.mu.Lock()
	dead := g.k.dead
	odds := 0.012
	if strings.HasSuffix(point, "erase") || strings.HasSuffix(point, "scrub") {
		odds = 0.08 // it is rare
	}
	die := !dead && !g.k.starting && !w.calm && w.crashes > 0 && w.chance(odds)
	if die {
		w.crashes--
		g.k.dead = true
		w.coverage["crash "+point]++
	}
	interfere := !dead && !die && !g.k.starting && !w.calm && w.interference > 0 && !w.interfering && w.serial && w.chance(0.02)
	if interfere {
		w.interference--
		w.interfering = true
	}
	w.mu.Unlock()
	if dead || die {
		panic(crashed{point})
	}
	if interfere {
		w.mark("interfered")
		w.interfere(g.k)
		w.interfering = false
		if g.k.dead {
			panic(crashed{point})
		}
	}
}

func (g *gate) write(ctx context.Context, name string, w call.Write, send func(context.Context, call.Write) (call.Written, error)) (call.Written, error) {
	g.at("before " + name)
	g.w.mu.Lock()
	odds := 0.02
	if name == "erase" { // it is rare
		odds = 0.1
	}
	if g.fail == 0 && !g.w.calm && g.w.chance(odds) {
		g.fail = 1 + g.w.rng.IntN(5)
	}
	mode := 0
	if g.fail > 0 && !g.w.calm {
		g.fail--
		mode = 1 + g.w.rng.IntN(2)
	}
	g.w.mu.Unlock()
	if mode == 1 {
		g.w.mark("ledger failed before")
		return call.Written{}, errLedgerAnswer
	}
	written, err := send(ctx, w)
	if err == nil && written.Applied {
		g.w.remember(w)
	}
	g.at("after " + name)
	if mode == 2 {
		g.w.mark("ledger answer lost after")
		return call.Written{}, errLedgerAnswer
	}
	return written, err
}

// gatedLedger is the ledger of a world in which everything can go wrong.
type gatedLedger struct {
	call.Ledger
	eraser call.Eraser
	gate   *gate
}

// Erase implements call.Eraser.
func (l gatedLedger) Erase(ctx context.Context, w call.Write) (call.Written, error) {
	if c, err := l.Ledger.Get(ctx, w.Row.ID); err == nil {
		l.gate.w.erasing(c)
	}
	return l.gate.write(ctx, "erase", w, l.eraser.Erase)
}

// Scrub implements call.Eraser.
func (l gatedLedger) Scrub(ctx context.Context, recipient string, ids []string) error {
	l.gate.at("before scrub")
	return l.eraser.Scrub(ctx, recipient, ids)
}

// Create implements call.Ledger.
func (l gatedLedger) Create(ctx context.Context, w call.Write) (call.Written, error) {
	return l.gate.write(ctx, "create", w, l.Ledger.Create)
}

// Update implements call.Ledger.
func (l gatedLedger) Update(ctx context.Context, w call.Write) (call.Written, error) {
	name := "other write"
	switch w.Entry.Kind { //nolint:exhaustive // the two kinds around a dial have names of their own
	case call.EventIntent:
		name = "intent"
	case call.EventResult:
		name = "result"
	}
	return l.gate.write(ctx, name, w, l.Ledger.Update)
}

// Get implements call.Ledger.
func (l gatedLedger) Get(ctx context.Context, id string) (call.Call, error) {
	l.gate.w.mu.Lock()
	dead := l.gate.k.dead
	l.gate.w.mu.Unlock()
	if dead {
		panic(crashed{"get"})
	}
	return l.Ledger.Get(ctx, id)
}

// gatedDialer is the dialer of such a world. It sees that no attempt begins after a cancel that was acknowledged.
type gatedDialer struct {
	call.Dialer
	gate *gate
}

// Dial implements call.Dialer.
func (d gatedDialer) Dial(ctx context.Context, s call.Send) call.Answer {
	d.gate.at("before dial")
	d.gate.w.dialing(s)
	answer := d.Dialer.Dial(ctx, s)
	d.gate.w.mark("class " + string(answer.Class))
	d.gate.at("after dial")
	d.gate.w.told(d.gate.k, s, answer)
	return answer
}

// Search implements call.Dialer.
func (d gatedDialer) Search(ctx context.Context, t call.Target, id string, from, to time.Time) ([]call.Contact, error) {
	d.gate.at("before search")
	return d.Dialer.Search(ctx, t, id, from, to)
}

// Stop implements call.Dialer.
func (d gatedDialer) Stop(ctx context.Context, t call.Target, id string) error {
	d.gate.at("before stop")
	return d.Dialer.Stop(ctx, t, id)
}
