package main

import (
	"fmt"
	"slices"

	"github.com/ringonce/ringonce/internal/call"
)

// scenario is one line of the comparison.
type scenario struct {
	id      string
	starred bool // the peer's configuration decides its result
	what    string
	wanted  string
	numbers int   // logical requests, each with a number of its own
	asks    []int // which request each delivery is about; nil: all about the first
	holds   func(measure) bool
}

// delivery is what one delivery was told.
type delivery struct {
	By     string `json:"by"`
	OK     bool   `json:"ok"` // told that it is done, or that an earlier one did it
	Text   string `json:"text"`
	Dialed bool   `json:"dialed"` // it reached the telephone itself
}

// measure is the result of one run of a scenario.
type measure struct {
	Setting    string     `json:"setting,omitempty"`
	Rings      []int      `json:"rings"` // of each logical request
	Lost       int        `json:"lost"`  // requests that never rang though their caller was told that they are done
	Told       []delivery `json:"told"`
	AsWanted   bool       `json:"asWanted"`
	FinalState []string   `json:"finalStates,omitempty"` // of the calls, when everything has settled; of ringonce only
	Breaches   []string   `json:"breaches,omitempty"`    // of the ledger's invariants, by then; of ringonce only
}

// all is every request of a scenario, in scenario.asks.
const all = -1

// judge counts what was lost and compares with what was wanted.
func (s scenario) judge(m measure) measure {
	for request, rings := range m.Rings {
		told := false
		for i, d := range m.Told {
			about := 0
			if i < len(s.asks) {
				about = s.asks[i]
			}
			told = told || d.OK && (about == request || about == all)
		}
		if rings == 0 && told {
			m.Lost++
		}
	}
	m.AsWanted = m.Lost == 0 && len(m.Breaches) == 0 && s.holds(m)
	return m
}

// total is the number of rings.
func (m measure) total() int {
	n := 0
	for _, rings := range m.Rings {
		n += rings
	}
	return n
}

func once(m measure) bool { return m.Rings[0] == 1 }

// onceAndThen wants one ring, and each call in one of the states when everything has settled. A peer that has no states is asked for the ring alone.
func onceAndThen(states ...call.State) func(measure) bool {
	return func(m measure) bool {
		for _, is := range m.FinalState {
			if !slices.Contains(states, call.State(is)) {
				return false
			}
		}
		return once(m)
	}
}

func refused(m measure) bool {
	for _, d := range m.Told {
		if d.OK {
			return false
		}
	}
	return m.total() == 0
}

func separate(m measure) bool { return m.Rings[0] == 1 && m.Rings[1] == 1 }

// scenarios returns the twelve.
func scenarios() []scenario {
	return []scenario{
		{"S1", true, "two events, every field of the key absent in both", "both refused, nothing lost", 2, []int{0, 1}, refused},
		{"S2", true, "two ids beyond 2^53 as JSON numbers", "two requests, or both refused", 2, []int{0, 1}, func(m measure) bool { return separate(m) || refused(m) }},
		{"S3", false, "A outlives its deadline, B completes, A fails late, a third delivery", "1 ring, and the call is placed", 1, nil, onceAndThen(call.Placed)},
		{"S4", false, "as S3, but A completes late", "1 ring, and the call is placed", 1, nil, onceAndThen(call.Placed)},
		{"S5", false, "the store refuses the completing write after the ring", "1 ring", 1, nil, once},
		{"S6", false, "the result is larger than an item of the store", "1 ring", 1, nil, once},
		{"S7", true, "a refused concurrent duplicate, a third delivery, the first still runs", "1 ring", 1, nil, once},
		{"S8", true, "one batch holds m1, m2 and m1 again", "2 rings, no item failed", 2, []int{all}, func(m measure) bool { return separate(m) && m.Told[0].OK }},
		{"S9", true, "the same request under two message ids", "1 ring", 1, nil, once},
		{"S10", false, "same key, other number, after the first worker's deadline", "refused with a reason, only the first number rings", 2, []int{1}, func(m measure) bool {
			return m.Rings[0] == 1 && m.Rings[1] == 0 && !m.Told[0].OK && m.Told[0].Text != ""
		}},
		{"S11", true, "the outcome of the dial is unknown, three deliveries", "1 ring, and the call is placed or in doubt", 1, nil, onceAndThen(call.Placed, call.InDoubt)},
		{"S12", false, "the claiming write is stored, its answer lost, the client retries", "1 ring, by the first delivery", 1, nil, func(m measure) bool {
			return once(m) && m.Told[0].Dialed
		}},
	}
}

// book hands out numbers that nobody else has: each stands for one logical request.
type book struct{ given int }

func (b *book) take(n int) []string {
	numbers := make([]string, n)
	for i := range numbers {
		numbers[i] = fmt.Sprintf("+819000000%01d%02d", b.given/90, b.given%90) // those from 90 on do not answer (connectemu.DefaultFate)
		b.given++
	}
	return numbers
}
