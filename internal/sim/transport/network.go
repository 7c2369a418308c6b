package transport

import (
	"math"
	"math/rand/v2"
	"time"
)

// The lines of a network: one for all that travels alone, one for each kind of batch.
const (
	lineAgenda = iota
	lineQueue
	lineFIFO
	lineKinesis
	lineDynamoDB
	lineCount
)

// Network is the sources between the producers and one function. It is not safe for concurrent use.
type Network struct {
	rng     *rand.Rand
	options Options
	profile Profile
	fixed   fixed
	counts  Counts

	now      time.Time // the latest that a method was given
	ids, seq uint64
	flown    int
	ordinals int64

	lines    [lineCount]line
	lanes    map[string]*lane // looked up only
	messages map[string]*message
	order    []*message
	flights  map[int]*flight      // looked up only
	dedups   map[string]time.Time // first send of each MessageDeduplicationId; looked up only
}

// Counts is what a network did so far.
type Counts struct {
	Published, Deliveries, Records                                int
	Duplicates, Late, Replays, Republished, Redriven              int // copies made
	DeadLetters, Expired                                          int
	LostResponses, ShortDeadlines, CutOff, Throttled, Unreachable int
	Failures                                                      int // invocations that failed as a whole, for whatever reason
}

// New returns an empty network. All its randomness comes from rng.
func New(rng *rand.Rand, o Options) *Network {
	o = o.withDefaults()
	return &Network{
		rng: rng, options: o, profile: o.Profile, fixed: newFixed(o),
		lanes: map[string]*lane{}, messages: map[string]*message{}, flights: map[int]*flight{}, dedups: map[string]time.Time{},
	}
}

// Counts returns what happened so far.
func (n *Network) Counts() Counts { return n.counts }

// SetProfile changes the faults from now on. What they have caused already stays: see [Network.Calm].
func (n *Network) SetProfile(p Profile) { n.profile = p }

// Calm ends all faults: none happens any more, what was planned because of them is not made, and every target can be reached.
func (n *Network) Calm() {
	n.profile = Profile{}
	for _, m := range n.order {
		kept := m.parcels[:0]
		for _, p := range m.parcels {
			if p.state == StatePlanned {
				p.remove()
				continue
			}
			p.reachable = time.Time{}
			kept = append(kept, p)
		}
		clear(m.parcels[len(kept):])
		m.parcels = kept
	}
}

// Next returns when something happens next, and false when nothing will. That may be a step inside a service: Take then has no delivery.
func (n *Network) Next() (time.Time, bool) {
	if l := n.first(); l != nil {
		return l.top().at, true
	}
	return time.Time{}, false
}

func (n *Network) first() *line {
	var first *line
	for i := range n.lines {
		l := &n.lines[i]
		if l.top() != nil && (first == nil || l.top().before(first.top())) {
			first = l
		}
	}
	return first
}

// Take starts one invocation that is due, and returns false when none is. Everything due inside the services happens on the way.
func (n *Network) Take(now time.Time) (Delivery, bool) {
	n.reach(now)
	for {
		l := n.first()
		if l == nil || l.top().at.After(now) {
			return Delivery{}, false
		}
		var d Delivery
		var ok bool
		switch l {
		case &n.lines[lineAgenda]:
			d, ok = n.step(l.top().parcel, now)
		case &n.lines[lineQueue]:
			d, ok = n.receive(now)
		case &n.lines[lineFIFO]:
			d, ok = n.receiveGroups(now)
		default:
			d, ok = n.read(l.top().lane, now)
		}
		if ok {
			return d, true
		}
	}
}

// step does what is due for a copy that travels alone.
func (n *Network) step(p *parcel, now time.Time) (Delivery, bool) {
	switch {
	case p.state == StatePlanned:
		p.remove()
		do := p.plan
		p.plan = nil
		do(p, now)
	case p.state == StateTraveling:
		n.forward(p, now)
	case p.state == StateDeadLetter:
		n.expire(p)
	case p.delivery != 0:
		n.lapse(p.delivery, now)
	case p.way == WayAsync && !n.admits(p, now):
	default:
		return n.start(p.way, []*parcel{p}, now), true
	}
	return Delivery{}, false
}

func (n *Network) reach(now time.Time) { n.now = later(n.now, now) }

// expire forgets a copy: its source gave up.
func (n *Network) expire(p *parcel) {
	n.counts.Expired++
	n.settle(p, StateExpired)
}

func (n *Network) chance(p float64) bool { return p > 0 && n.rng.Float64() < p }

// spread draws a time between two, each order of magnitude as likely as the next.
func (n *Network) spread(least, most time.Duration) time.Duration {
	factor := math.Pow(float64(most)/float64(least), n.rng.Float64())
	return time.Duration(float64(least) * factor).Truncate(time.Millisecond)
}

// latency is the usual time from one hop to the next. No service promises one: a choice of the simulation.
func (n *Network) latency() time.Duration { return time.Duration(1+n.rng.IntN(200)) * time.Millisecond }
