package transport

import (
	"fmt"
	"time"
)

// Publish sends a message for the first time. It fails for a message that cannot travel, and for an ID that was published before.
func (n *Network) Publish(m Message, now time.Time) error {
	entry := &message{Message: m, route: routeOf(m.Form), born: now}
	if n.messages[m.ID] != nil {
		return fmt.Errorf("%w: %s", errTwice, m.ID)
	}
	if err := entry.check(); err != nil {
		return err
	}
	n.reach(now)
	n.messages[m.ID] = entry
	n.order = append(n.order, entry)
	n.counts.Published++
	n.send(entry, CauseFirst, now)
	if n.chance(n.profile.Republish) {
		n.plan(entry, CauseRepublish, now.Add(n.spread(time.Second, time.Hour)), func(p *parcel, now time.Time) { n.depart(p, now) })
	}
	return nil
}

// Republish sends a message again, as a producer does that did not hear the answer: the same request under new ids of every service. A FIFO queue
// swallows it within 5 minutes when the message has a Dedup.
func (n *Network) Republish(messageID string, now time.Time) error {
	m := n.messages[messageID]
	if m == nil {
		return fmt.Errorf("%w: %s", errUnknown, messageID)
	}
	n.reach(now)
	n.send(m, CauseRepublish, now)
	return nil
}

func (n *Network) send(m *message, cause Cause, now time.Time) { n.depart(n.parcel(m, cause), now) }

// parcel makes a copy that no service has seen yet.
func (n *Network) parcel(m *message, cause Cause) *parcel {
	p := &parcel{msg: m, copy: m.copies, cause: cause, way: m.route.way}
	m.copies++
	p.slot.parcel = p
	m.parcels = append(m.parcels, p)
	return p
}

// depart hands a new copy to the first service of its route.
func (n *Network) depart(p *parcel, now time.Time) {
	if p.cause == CauseRepublish {
		n.counts.Republished++
	}
	p.payload = p.msg.payload(now)
	p.text = p.payload
	n.hand(p, now)
}

// hand gives a copy to the next hop of its route.
func (n *Network) hand(p *parcel, now time.Time) {
	if p.hop < len(p.msg.route.services) {
		n.accept(p, now)
		return
	}
	n.arrive(p, now)
}

// plan makes a copy later.
func (n *Network) plan(m *message, cause Cause, at time.Time, do func(p *parcel, now time.Time)) {
	p := n.parcel(m, cause)
	p.state, p.plan = StatePlanned, do
	n.schedule(&p.slot, &n.lines[lineAgenda], at)
}
