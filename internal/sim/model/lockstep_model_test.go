package model

import "github.com/ringonce/ringonce/internal/call"

// modelSide runs moves in the model, one worker at a time.
type modelSide struct {
	m        *machine
	s        state
	replies  []reply
	searches [][]call.Contact
}

func newModelSide(c *Config) *modelSide {
	m := newMachine(c)
	return &modelSide{m: m, s: m.initial()}
}

// run makes a move. It reports whether the move means anything here.
func (x *modelSide) run(v move) bool {
	x.replies, x.searches = nil, nil
	m, s := x.m, &x.s
	w := &s.workers[0]
	switch v.kind { //nolint:exhaustive // the moves
	case doTick:
		for range v.points {
			if !m.apply(s, action{kind: doTick}) {
				return false
			}
		}
		return true
	case doDrift:
		return m.apply(s, action{kind: doDrift})
	case doSweep:
		if !m.apply(s, action{kind: doSweep, b: v.n}) {
			return false
		}
		claimed := m.row(s.rows[v.n]).Next != nil
		x.finish(w, v)
		if c := m.row(s.rows[v.n]); claimed && (!c.State.Final() || c.State == call.InDoubt) { // the engine goes on with the first row
			w.row = s.rows[v.n]
			m.walk(s, w)
			x.finish(w, v)
		}
		return true
	default:
		if !m.apply(s, action{kind: v.kind, b: v.n}) {
			return false
		}
		x.finish(w, v)
		return true
	}
}

func (x *modelSide) finish(w *worker, v move) {
	first := true
	for range most {
		switch w.pc { //nolint:exhaustive // only what the other side must be told
		case idle:
			return
		case atSend:
			x.dial(w, v, first)
			first = false
			continue
		case atSearch:
			x.search(w, v)
			continue
		}
		if !x.m.effect(&x.s, w, wayPlain) {
			break
		}
	}
	panic("the model's worker does not end")
}

func (x *modelSide) dial(w *worker, v move, first bool) {
	attempt, _ := x.m.attemptOf(w)
	r := reply{}
	r.notBefore, r.notAfter = call.SendBounds(*x.m.row(w.row), attempt)
	if !first || !x.m.effect(&x.s, w, v.way) {
		if !x.m.effect(&x.s, w, wayPlain) {
			panic("the model cannot dial")
		}
	}
	r.answer = call.Answer{Class: classes[w.class]}
	switch w.class {
	case classOK:
		r.answer.ContactID = contactID(w.contact)
	case classRefused:
		r.answer.Code = call.CodeDestinationRefused
	}
	x.replies = append(x.replies, r)
}

func (x *modelSide) search(w *worker, v move) {
	way := wayPlain
	if v.found {
		way = wayHit
	}
	if !x.m.effect(&x.s, w, way) && !x.m.effect(&x.s, w, wayPlain) && !x.m.effect(&x.s, w, wayHit) {
		panic("the model cannot search")
	}
	var found []call.Contact
	if w.pc == atMerge && w.then == thenContact {
		found = append(found, x.contact(w.contact))
	}
	x.searches = append(x.searches, found)
}

func (x *modelSide) contact(n uint8) call.Contact {
	c := x.s.contacts[n-1]
	return call.Contact{ID: contactID(n), CallID: x.m.naming[c.ring-1], Initiated: instant(c.at)}
}
