package sim

import (
	"context"
	"fmt"
	"time"
)

// wake delivers hints that have arrived, and some that nobody gave.
func (g *generator) wake(ctx context.Context) {
	w := g.w
	if w.Setting.Hints == HintsNone {
		return
	}
	if w.Setting.Hints == HintsForged && g.chance(0.2) {
		a := do("wake")
		for range 1 + g.rng.IntN(5) {
			name := fmt.Sprintf("nobody%d", g.rng.IntN(10))
			if rows := w.rows(); len(rows) > 0 && g.chance(0.9) {
				if known := w.nameOf(pick(g, rows...).ID); known != "" {
					name = known
				}
			}
			a.Words = append(a.Words, name)
		}
		a.Values = []Value{{"due", pick(g, "now", "-1h", "1h", "-10d", "row")}, {"to", pick(g, w.workers...).name}}
		g.do(ctx, g.spoil(a))
	}
	if at, more := w.hints.next(); more && !at.After(time.Now()) {
		g.do(ctx, g.spoil(do("wake", "to="+pick(g, w.workers...).name)))
	}
}

// passHints lets time pass from hint to hint.
func (g *generator) passHints(ctx context.Context, until time.Time) {
	if g.w.Setting.Hints == HintsNone || g.chance(0.3) {
		return
	}
	for range 40 {
		at, more := g.w.hints.next()
		if !more || at.After(until) {
			return
		}
		if wait := time.Until(at); wait > 0 {
			g.tick(ctx, wait)
		}
		g.do(ctx, g.spoil(do("wake", "to="+pick(g, g.w.workers...).name)))
	}
}
