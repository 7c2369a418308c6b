package connectemu

import (
	"hash/fnv"
	"strconv"
	"sync"
)

// planState is a plan at work: the plan and what each of its rules has counted.
type planState struct {
	plan Plan

	mu    sync.Mutex
	rules ruleCounts
	// events are the counts of the rules about events.
	events ruleCounts
}

// ruleCounts is what each rule of a list has counted.
type ruleCounts struct {
	seed  uint64
	seen  []int
	fired []int
	// drawn counts, per rule with a probability, how often it has seen a number and token.
	drawn []map[string]uint64
}

func newRuleCounts(n int, seed uint64) ruleCounts {
	return ruleCounts{seed: seed, seen: make([]int, n), fired: make([]int, n), drawn: make([]map[string]uint64, n)}
}

func newPlanState(plan Plan, seed uint64) *planState {
	if plan.Seed != 0 {
		seed = plan.Seed
	}
	const eventRoom = 1 << 32 // so that a rule about events draws other numbers than the rule about requests in its place
	return &planState{plan: plan.clone(), rules: newRuleCounts(len(plan.Rules), seed), events: newRuleCounts(len(plan.Events), seed^eventRoom)}
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
		if p.rules.applies(i, rule.Nth, rule.Times, rule.Probability, number+"\n"+token) && chosen == nil {
			p.rules.fired[i]++
			chosen = rule
		}
	}
	return chosen
}

// pickEvents returns the rules that act on an event.
func (p *planState) pickEvents(kind EventType, number, token string) []*EventRule {
	p.mu.Lock()
	defer p.mu.Unlock()
	var met []*EventRule
	for i := range p.plan.Events {
		rule := &p.plan.Events[i]
		if rule.concerns(kind, number, token) && p.events.applies(i, rule.Nth, rule.Times, rule.Probability, number+"\n"+token+"\n"+string(kind)) {
			p.events.fired[i]++
			met = append(met, rule)
		}
	}
	return met
}

func (r *Rule) concerns(op Operation, number, token string) bool {
	wanted := r.Operation
	if wanted == "" {
		wanted = OpStart
	}
	return (wanted == OpAny || wanted == op) && (r.Number == "" || r.Number == number) && (r.Token == "" || r.Token == token)
}

// applies counts what rule i has seen and reports whether it is met. Whoever lets the rule act adds to fired.
func (n *ruleCounts) applies(i, nth, times int, probability float64, key string) bool {
	n.seen[i]++
	lucky := probability == 0 || n.draw(i, key) < probability
	return lucky && (nth == 0 || nth == n.seen[i]) && (times == 0 || n.fired[i] < times)
}

// draw returns a number in [0, 1) that depends on the seed, the rule, key and how often the rule has seen key.
func (n *ruleCounts) draw(i int, key string) float64 {
	if n.drawn[i] == nil {
		n.drawn[i] = make(map[string]uint64)
	}
	n.drawn[i][key]++
	h := fnv.New64a()
	_, _ = h.Write([]byte(strconv.Itoa(i) + "\n" + key)) // a hash.Hash never fails
	mixed := mix(mix(n.seed^h.Sum64()) + n.drawn[i][key])
	return float64(mixed>>11) / (1 << 53)
}

func (n *ruleCounts) rewind() {
	clear(n.seen)
	clear(n.fired)
	clear(n.drawn)
}

// rewind forgets what the rules have counted.
func (p *planState) rewind() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules.rewind()
	p.events.rewind()
}

// counts returns how many requests each rule has met.
func (p *planState) counts() []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]int{}, p.rules.fired...)
}

// eventCounts returns how many events each rule about events has met.
func (p *planState) eventCounts() []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]int{}, p.events.fired...)
}
