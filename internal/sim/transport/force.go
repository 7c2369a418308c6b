package transport

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

var (
	errForceNothing = errors.New("transport: nothing to force")
	errForceMixed   = errors.New("transport: messages of different ways, or of a way without batches, are no batch")
	errForceGone    = errors.New("transport: the message expired before it was delivered; publish it again")
)

// Force delivers messages now, whatever their schedule says: one, or several as one batch in this order. What still travels arrives at once; what
// is in flight is delivered a second time; what is done comes once more under its ids, as a duplicate; a dead letter is read from its dead-letter
// queue, as a function does that is attached to it. Each message is delivered in its latest copy that is not done, or in its first.
func (n *Network) Force(now time.Time, messageIDs ...string) (Delivery, error) {
	if len(messageIDs) == 0 {
		return Delivery{}, errForceNothing
	}
	n.reach(now)
	parcels := make([]*parcel, len(messageIDs))
	for i, id := range messageIDs {
		m := n.messages[id]
		if m == nil {
			return Delivery{}, fmt.Errorf("%w: %s", errUnknown, id)
		}
		parcels[i] = m.latest()
		if i > 0 && slices.Contains(messageIDs[:i], id) {
			return Delivery{}, fmt.Errorf("%w: %s twice", errForceMixed, id)
		}
		if len(messageIDs) > 1 && (parcels[i].way != parcels[0].way || !parcels[0].way.Batched()) {
			return Delivery{}, fmt.Errorf("%w: %s", errForceMixed, id)
		}
	}
	for i, p := range parcels {
		ready, err := n.rush(p, now)
		if err != nil {
			return Delivery{}, err
		}
		parcels[i] = ready
	}
	d := n.start(parcels[0].way, parcels, now)
	n.block(parcels, now)
	return d, nil
}

func (m *message) latest() *parcel {
	for _, p := range slices.Backward(m.parcels) {
		if !p.state.Final() && p.state != StatePlanned {
			return p
		}
	}
	return m.parcels[0]
}

// rush brings a copy to where the function can have it.
func (n *Network) rush(p *parcel, now time.Time) (*parcel, error) {
	for p.state == StateTraveling {
		p.reachable = time.Time{}
		n.forward(p, now)
	}
	switch p.state {
	case StateDone:
		return n.raise(p), nil
	case StateExpired, StateSwallowed:
		if p.text == nil || p.way == WaySQS && p.QueueID == "" {
			return nil, fmt.Errorf("%w: %s", errForceGone, p.msg.ID)
		}
		return n.raise(p), nil
	case StatePlanned, StateTraveling, StateQueued, StateInFlight, StateDeadLetter:
	}
	return p, nil
}

// raise makes a copy of one that is over.
func (n *Network) raise(p *parcel) *parcel {
	n.counts.Duplicates++
	again := n.clone(p, CauseForced)
	again.state, again.again = StateQueued, false
	if again.way.ordered() {
		l := n.lane(WaySQSFIFO, p.msg.group())
		if again.way.stream() {
			l = n.shardOf(again)
		}
		n.join(again, l, p.at)
	}
	return again
}

// block holds the lanes of what was forced, as a receive would.
func (n *Network) block(parcels []*parcel, now time.Time) {
	for _, p := range parcels {
		if l := p.inLane; l != nil {
			wait := n.options.Visibility
			if p.way.stream() {
				wait = n.options.Timeout
			}
			l.blocked = now.Add(wait)
			n.refresh(l, p.way)
		}
	}
}
