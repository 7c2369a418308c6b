package model

import "github.com/ringonce/ringonce/internal/call"

// coverage counts what an exploration reached.
type coverage struct {
	actions      [kindsCount]int
	ways         [waysCount]int
	counters     [atAck + 1]int
	claims       map[string]int
	replies      map[string]int
	events       map[call.EventKind]int
	classes      map[call.Class]int
	recalls      map[call.Code]int
	acked        map[call.Situation]int
	returned     map[call.Situation]int
	ends         map[call.State]int
	rings        int
	repeated     int // answered with the token's old contact
	stale        int // rejected by the freshness of the signature
	late         int // landed after the worker had given up
	guarded      int // kept off the wire by the send guard
	lostCompares int
	refused      int
}

// What the core must have said of a row in some world: everything that it says of the protocol of the model. A claim or a reply that is new to it belongs here.
var mustClaim = [...]string{
	"later answer_lost", "later answer_pending", "later clock_behind", "later evidence", "later not_sent", "later pacing", "later settling",
	"later setup", "later throttled", "look", "next repin", "next token-age", "nothing", "send ", "send if-cheap", "send required",
	"write doubted canceled", "write doubted not_after", "write doubted refused_after_lost_answer", "write doubted resend_never",
	"write doubted send_rule_end", "write expired not_after", "write failed attempts_exhausted",
}

var mustReply = [...]string{
	"attach canceled", "conflict conflict", "open window", "suppress canceled", "suppress duplicate", "suppress expired", "suppress failed",
	"suppress in-doubt", "suppress in-progress", "suppress late-redelivery",
}

func newCoverage() *coverage {
	return &coverage{
		claims: map[string]int{}, replies: map[string]int{}, events: map[call.EventKind]int{}, classes: map[call.Class]int{},
		recalls: map[call.Code]int{}, acked: map[call.Situation]int{}, returned: map[call.Situation]int{}, ends: map[call.State]int{},
	}
}

func (c *coverage) claim(x call.Claim) {
	name := string(x.Step)
	switch x.Step { //nolint:exhaustive // only these have a reason worth telling apart
	case call.StepLater:
		name += " " + x.Why
	case call.StepWrite:
		name += " " + string(x.Event.Kind) + " " + string(x.Event.Code)
	case call.StepSend:
		name += " " + string(x.Look)
	case call.StepNext:
		name += " " + string(x.Cause)
	}
	c.claims[name]++
}

func (c *coverage) reply(r call.Reply) { c.replies[string(r.Kind)+" "+r.Reason]++ }

func (c *coverage) recall(code call.Code) { c.recalls[code]++ }

func (c *coverage) action(s *state, a action) {
	c.actions[a.kind]++
	switch a.kind { //nolint:exhaustive // only these have ways
	case doStep:
		c.ways[a.b]++
		c.counters[s.workers[a.a].pc]++
	case doLand:
		c.ways[a.b]++
	}
}

// add adds what another exploration reached.
func (c *coverage) add(o *coverage) {
	for i := range o.actions {
		c.actions[i] += o.actions[i]
	}
	for i := range o.ways {
		c.ways[i] += o.ways[i]
	}
	for i := range o.counters {
		c.counters[i] += o.counters[i]
	}
	sum(c.claims, o.claims)
	sum(c.replies, o.replies)
	sum(c.events, o.events)
	sum(c.classes, o.classes)
	sum(c.recalls, o.recalls)
	sum(c.acked, o.acked)
	sum(c.returned, o.returned)
	sum(c.ends, o.ends)
	c.rings += o.rings
	c.repeated += o.repeated
	c.stale += o.stale
	c.late += o.late
	c.guarded += o.guarded
	c.lostCompares += o.lostCompares
	c.refused += o.refused
}

func sum[K comparable](into, from map[K]int) {
	for k, n := range from {
		into[k] += n
	}
}
