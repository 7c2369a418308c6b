package sim

import (
	"context"
	"fmt"

	"github.com/ringonce/ringonce/internal/sim/transport"
)

// form draws the way of a message.
func (g *generator) form() transport.Form {
	if g.chance(0.15) { // beside its share with the others: what is accepted first and dialed later has more places to go wrong
		return transport.API
	}
	return pick(g, transport.Forms()...)
}

// client draws the habits of a client of the API.
func (g *generator) client(a *Act) {
	if a.value("form") != string(transport.API) {
		return
	}
	if g.chance(0.3) {
		a.Values = append(a.Values, Value{"unkeyed", "yes"})
	}
	if g.chance(0.2) {
		a.Values = append(a.Values, Value{"wait", "yes"})
	}
}

// beside lets the request of a client come through a queue too, perhaps.
func (g *generator) beside(ctx context.Context, a Act) {
	if a.value("form") == string(transport.API) && g.chance(0.3) {
		g.do(ctx, do("publish", fmt.Sprintf("m%d", len(g.w.messages)+1), a.Words[1], "form="+string(pick(g, transport.SQS, transport.SQSFIFO))))
	}
}

// dials lets the processes dial what they have accepted: nearly always at once, and now and then after something else.
func (g *generator) dials(ctx context.Context, luck float64) {
	for _, k := range g.w.workers {
		if k.door != nil && k.door.offered > 0 && g.chance(luck) {
			g.do(ctx, g.spoil(do("dial", k.name)))
		}
	}
}

// overAPI reports whether an act delivers a request of a client of the API.
func (g *generator) overAPI(a Act) bool {
	if (a.Verb != "deliver" && a.Verb != "redeliver") || len(a.Words) != 1 {
		return false
	}
	m := g.w.message(a.Words[0])
	return m != nil && m.form == transport.API
}

// answering lets a strike meet what only the API does: its answer, and what it keeps for an Idempotency-Key.
func (g *generator) answering(s *Strike) {
	switch kept := g.chance(0.4); {
	case !g.chance(0.35):
	case s.Do == "crash" || s.Do == "pause" || s.Do == "meanwhile":
		s.Point = "before answer"
		if kept {
			s.Point = pick(g, "before cell", "after cell")
		}
	case s.Do == "lose" && !kept:
		s.Point, s.Times = "answer", 1
	case s.Do == "fail" || s.Do == "lose":
		s.Point = "cell"
	}
}
