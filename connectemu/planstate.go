package connectemu

import (
	"hash/fnv"
	"strconv"
	"sync"
)

// planState is a plan at work: the plan and what each of its rules has counted.
type planState struct {
	plan Plan
	seed uint64

	mu    sync.Mutex
	seen  []int
	fired []int
	// drawn counts, per rule with a probability, how often it has seen a number and token.
	drawn []map[string]uint64
}

func newPlanState(plan Plan, seed uint64) *planState {
	if plan.Seed != 0 {
		seed = plan.Seed
	}
	n := len(plan.Rules)
	return &planState{plan: plan.clone(), seed: seed, seen: make([]int, n), fired: make([]int, n), drawn: make([]map[string]uint64, n)}
}

// pick returns the rule that decides this request, or nil.
func (p *planState) pick(op Operation, number, token string) *Rule {
	if len(p.plan.Rules) == 0 {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var chosen *Rule
	for i := range p.plan.Rules {
		rule := &p.plan.Rules[i]
		if !rule.concerns(op, number, token) {
			continue
		}
		p.seen[i]++
		applies := p.appliesLocked(i, number, token)
		if chosen == nil && applies {
			p.fired[i]++
			chosen = rule
		}
	}
	return chosen
}

func (r *Rule) concerns(op Operation, number, token string) bool {
	wanted := r.Operation
	if wanted == "" {
		wanted = OpStart
	}
	return (wanted == OpAny || wanted == op) && (r.Number == "" || r.Number == number) && (r.Token == "" || r.Token == token)
}

func (p *planState) appliesLocked(i int, number, token string) bool {
	rule := &p.plan.Rules[i]
	lucky := rule.Probability == 0 || p.drawLocked(i, number+"\n"+token) < rule.Probability
	return lucky && (rule.Nth == 0 || rule.Nth == p.seen[i]) && (rule.Times == 0 || p.fired[i] < rule.Times)
}

// drawLocked returns a number in [0, 1) that depends on the seed, the rule, key and how often the rule has seen key.
func (p *planState) drawLocked(i int, key string) float64 {
	if p.drawn[i] == nil {
		p.drawn[i] = make(map[string]uint64)
	}
	p.drawn[i][key]++
	h := fnv.New64a()
	_, _ = h.Write([]byte(strconv.Itoa(i) + "\n" + key)) // a hash.Hash never fails
	mixed := mix(mix(p.seed^h.Sum64()) + p.drawn[i][key])
	return float64(mixed>>11) / (1 << 53)
}

// rewind forgets what the rules have counted.
func (p *planState) rewind() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.seen)
	clear(p.fired)
	clear(p.drawn)
}

// counts returns how many requests each rule has met.
func (p *planState) counts() []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]int{}, p.fired...)
}
