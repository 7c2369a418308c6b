package model

// kind is what happens in one transition.
type kind uint8

const (
	doTick    kind = iota // time jumps to the next point
	doStep                // worker a makes its next effect, in the way b
	doDeliver             // worker a takes a copy of message b
	doSweep               // worker a takes the due row of ring b
	doSpool               // worker a merges the spooled fact b
	doClick               // worker a carries out a click of the operator
	doRule                // worker a re-calls by rule
	doEvent               // worker a is told contact b by an event
	doCrash               // worker a dies
	doLand                // flight a reaches Amazon Connect, which answers in the way b
	doEnd                 // contact a ends
	doClock               // worker a's clock is set right
	doDrift               // the configuration changes the body
	doBackup              // the ledger is copied
	doRestore             // the ledger goes back to the copy
	doDie                 // the sweeper dies
	doTTL                 // variant N6: the row is deleted
	kindsCount
)

// action is one transition. Packed, it is what the search keeps of a path.
type action struct {
	kind kind
	a, b uint8
}

func (a action) pack() uint32 { return uint32(a.kind)<<16 | uint32(a.a)<<8 | uint32(a.b) }

func unpack(n uint32) action {
	return action{kind: kind(n >> 16), a: uint8(n >> 8), b: uint8(n)} //nolint:gosec // what pack made
}

// The ways of an effect. Which of them are possible depends on the effect and on what is left of the budget.
const (
	wayPlain         uint8 = iota
	wayLost                // the write is in the ledger, its answer is lost, the worker asks again
	wayGivenUp             // the write is in the ledger, and the worker never learns it
	wayNotApplied          // the write is not in the ledger, and the worker gives up
	wayRefused             // of a dial
	wayThrottled           //
	waySetup               //
	wayAnswerLost          // accepted, and the answer is lost
	wayDelayed             // on its way for long
	wayNotSent             // the connection broke before
	wayLibrary             // variant N25: accepted, answer lost, sent again by the library, and refused
	wayHit                 // of a search
	wayRefusedLost         // refused, and the answer is lost
	wayThrottledLost       //
	wayDials               // of an answer: the process dials at once what it accepted
	waysCount
)

// expand calls try with every action that may be possible in the state.
func (m *machine) expand(s *state, try func(action)) {
	if int(s.point)+1 < len(m.c.Points) {
		try(action{kind: doTick})
	}
	for w := range m.c.Workers {
		if s.workers[w].pc == idle {
			m.expandIdle(s, w, try)
			if m.v != "R29" {
				continue
			}
		} else {
			for way := range ways[s.workers[w].pc] {
				try(action{kind: doStep, a: w, b: ways[s.workers[w].pc][way]})
			}
		}
		if s.left.Crash > 0 {
			try(action{kind: doCrash, a: w})
		}
	}
	m.expandWorld(s, try)
}

// ways lists the ways of each effect.
var ways = [...][]uint8{
	idle:        nil,
	atCreate:    {wayPlain, wayLost, wayGivenUp, wayNotApplied},
	atReadFirst: {wayPlain},
	atReadTop:   {wayPlain},
	atWrite:     {wayPlain, wayLost, wayGivenUp, wayNotApplied},
	atMerge:     {wayPlain, wayGivenUp, wayNotApplied},
	atSend:      {wayPlain, wayRefused, wayThrottled, waySetup, wayAnswerLost, wayDelayed, wayNotSent, wayLibrary, wayRefusedLost, wayThrottledLost},
	atAwait:     {wayPlain},
	atSearch:    {wayPlain, wayHit},
	atAck:       {wayPlain, wayDials},
}

func (m *machine) expandIdle(s *state, w uint8, try func(action)) {
	for i := range s.messages {
		if s.messages[i].copies > 0 {
			try(action{kind: doDeliver, a: w, b: uint8(i)})
			if s.left.Hold > 0 {
				try(action{kind: doDeliver, a: w, b: uint8(i) | holds})
			}
		}
	}
	if m.c.Sweeper == SweeperRuns || (m.c.Sweeper == SweeperDies && !s.dead) {
		for r := range m.c.Rings {
			if m.due(s, r, s.now+s.workers[w].skew) {
				try(action{kind: doSweep, a: w, b: r})
			}
		}
		for i := range s.spool {
			if s.spool[i].ring > 0 {
				try(action{kind: doSpool, a: w, b: uint8(i)})
			}
		}
	}
	if s.left.Click > 0 && s.rows[0] != 0 {
		try(action{kind: doClick, a: w})
	}
	if s.left.Rule > 0 && s.rows[0] != 0 {
		try(action{kind: doRule, a: w})
	}
	if s.left.Event > 0 {
		for i := range s.contacts {
			if s.contacts[i].ring > 0 {
				try(action{kind: doEvent, a: w, b: uint8(i)})
			}
		}
	}
	if s.left.Step > 0 && s.workers[w].skew != 0 {
		try(action{kind: doClock, a: w})
	}
}

func (m *machine) expandWorld(s *state, try func(action)) {
	for i := range s.flights {
		if s.flights[i].attempt == 0 {
			continue
		}
		for _, way := range [...]uint8{wayPlain, wayRefused, wayThrottled, waySetup, wayAnswerLost} {
			try(action{kind: doLand, a: uint8(i), b: way})
		}
	}
	if s.left.End > 0 {
		for i := range s.contacts {
			if s.contacts[i].ring > 0 && !s.contacts[i].ended {
				try(action{kind: doEnd, a: uint8(i)})
			}
		}
	}
	if s.left.Drift > 0 {
		try(action{kind: doDrift})
	}
	if s.left.Restore == 2 {
		try(action{kind: doBackup})
	}
	if s.left.Restore == 1 {
		try(action{kind: doRestore})
	}
	if m.c.Sweeper == SweeperDies && !s.dead {
		try(action{kind: doDie})
	}
	if m.v == "N6" && s.rows[0] != 0 {
		try(action{kind: doTTL})
	}
	for w := range m.c.Workers {
		if s.left.Step > 0 && s.workers[w].skew != 0 && s.workers[w].pc != idle {
			try(action{kind: doClock, a: w})
		}
	}
}

// apply makes an action. It returns false when the action is not possible in the state.
func (m *machine) apply(s *state, a action) bool {
	switch a.kind { //nolint:exhaustive // the others are the world's own
	case doStep:
		return m.effect(s, &s.workers[a.a], a.b)
	case doDeliver:
		return m.deliver(s, &s.workers[a.a], a.b)
	case doSweep:
		return m.sweep(s, &s.workers[a.a], a.b)
	case doSpool:
		return m.mergeSpooled(s, a.b)
	case doClick, doRule:
		return m.beginRecall(s, &s.workers[a.a], a.kind)
	case doEvent:
		return m.sawContact(s, &s.workers[a.a], a.b)
	case doLand:
		return m.land(s, a.a, a.b)
	default:
		return m.fault(s, a)
	}
}
