package model

import "hash/maphash"

// Result is what the exploration of one configuration found.
type Result struct {
	Config  *Config
	States  int
	Edges   int
	Depth   int
	Found   Promise  // empty: nothing
	Detail  string   // what was found
	Story   []string // the shortest way to it
	Partial bool     // the limit was reached: nothing is proven
	seen    *coverage
}

// hashes is a set of 64-bit state hashes. Two different states share one with a probability below 2^-17 up to 16 million states.
type hashes struct {
	slots []uint64
	used  int
}

func newHashes() *hashes { return &hashes{slots: make([]uint64, 1<<12)} }

// add reports whether the hash is new.
func (h *hashes) add(x uint64) bool {
	if x == 0 {
		x = 1
	}
	if 2*h.used >= len(h.slots) {
		old := h.slots
		h.slots = make([]uint64, 2*len(old))
		for _, y := range old {
			if y != 0 {
				h.slots[h.free(y)] = y
			}
		}
	}
	i := h.free(x)
	if h.slots[i] == x {
		return false
	}
	h.slots[i] = x
	h.used++
	return true
}

// free returns the place of a hash, or the free one where it belongs.
func (h *hashes) free(x uint64) uint64 {
	mask := uint64(len(h.slots) - 1) //nolint:gosec // never empty
	i := x & mask
	for h.slots[i] != 0 && h.slots[i] != x {
		i = (i + 1) & mask
	}
	return i
}

// step is how a state was first reached. Only indexes are kept: a story is told by walking the actions again.
type step struct {
	parent uint32
	action uint32
}

// initial returns the first state of the configuration.
func (m *machine) initial() state {
	s := state{left: m.c.Budget}
	if len(m.c.Points) > 0 {
		s.now = m.c.Points[0]
	}
	for i := range m.c.Messages {
		s.messages[i].copies = m.c.Messages[i].Copies
	}
	for w := range m.c.Workers {
		s.workers[w].skew = m.c.Skews[w]
	}
	return s
}

// Explore visits every state of a configuration, nearest first, and stops at the first finding.
func Explore(c *Config) Result {
	m := newMachine(c)
	e := exploration{m: m, known: newHashes(), result: Result{Config: c, seen: m.seen}}
	e.run()
	return e.result
}

type exploration struct {
	m      *machine
	known  *hashes
	steps  []step
	result Result
	fresh  []state // found in this layer
	rested bool    // it was found when faults stopped
}

func (e *exploration) run() {
	m := e.m
	first := m.initial()
	e.add(first, 0, action{})
	layer := e.fresh
	base := uint32(0)
	for len(layer) > 0 {
		e.fresh = nil
		for i := range layer {
			s, index := &layer[i], base+uint32(i)
			done := false
			m.expand(s, func(a action) {
				if !done {
					done = e.follow(s, index, a)
				}
			})
			if done {
				return
			}
			if len(e.steps) > m.c.Limit {
				e.result.Partial = true
				return
			}
		}
		base += uint32(len(layer)) //nolint:gosec // below the limit
		layer = e.fresh
		e.result.Depth++
	}
}

// follow makes one action. It reports whether something was found.
func (e *exploration) follow(s *state, index uint32, a action) bool {
	m := e.m
	next := *s
	m.bad = finding{}
	if !m.apply(&next, a) {
		return false
	}
	e.result.Edges++
	m.seen.action(s, a)
	m.tidy(&next)
	if m.bad.text == "" {
		if !e.add(next, index, a) {
			return false
		}
		if m.settles() && m.resting(&next) {
			m.bad = m.settle(next)
			e.rested = m.bad.text != ""
		}
		if m.bad.text == "" {
			return false
		}
	} else {
		e.steps = append(e.steps, step{parent: index, action: a.pack()})
	}
	e.result.Found, e.result.Detail = m.bad.promise, m.bad.text
	e.result.Story = e.story(uint32(len(e.steps) - 1)) //nolint:gosec // below the limit
	return true
}

func (e *exploration) add(s state, parent uint32, a action) bool {
	canonical := s.canonical(e.m.c.Workers)
	if !e.known.add(maphash.Comparable(e.m.seed, canonical)) {
		return false
	}
	e.steps = append(e.steps, step{parent: parent, action: a.pack()})
	e.fresh = append(e.fresh, s)
	e.result.States++
	return true
}

// settles reports whether what is looked for shows only when faults stop. The story of a second ring is told without.
func (m *machine) settles() bool {
	return m.c.Breaks == "" || m.c.Breaks == G2 || m.c.Breaks == G5
}

// resting reports whether no worker is busy.
func (m *machine) resting(s *state) bool {
	for w := range m.c.Workers {
		if s.workers[w].pc != idle {
			return false
		}
	}
	return true
}

// path returns the actions that lead to a state.
func (e *exploration) path(index uint32) []action {
	var path []action
	for index != 0 {
		path = append(path, unpack(e.steps[index].action))
		index = e.steps[index].parent
	}
	for i, j := 0, len(path)-1; i < j; i, j = i+1, j-1 {
		path[i], path[j] = path[j], path[i]
	}
	return path
}
