package transport

import (
	"slices"
	"time"
)

// deadRetention is how long a dead-letter queue keeps a message, from its SentTimestamp: the most there is.
const deadRetention = 14 * day

// redirect is what a redrive policy does. A standard dead-letter queue keeps the SentTimestamp; a FIFO one sets it anew and replaces the
// MessageDeduplicationId by the messageId (facts/event-envelopes.md sections 2 and 3). The receives go on counting. Whether the messageId stays is
// not documented, and generally observed.
func (n *Network) redirect(p *parcel, now time.Time) {
	l := p.inLane
	p.remove()
	p.leaveLane()
	p.deadOf = n.fixed.queueARN
	if p.way == WaySQSFIFO {
		p.deadOf = n.fixed.fifoARN
		p.Sent, p.dedup = now.Truncate(time.Millisecond), p.QueueID
	}
	if l != nil {
		n.refresh(l, p.way)
	}
	n.keepDead(p)
}

// bury puts what a service gave up into its dead-letter queue: a new message.
func (n *Network) bury(p *parcel, now time.Time) {
	p.way = WaySQS
	n.newQueueMessage(p, now)
	n.keepDead(p)
}

func (n *Network) keepDead(p *parcel) {
	n.counts.DeadLetters++
	p.state, p.delivery = StateDeadLetter, 0
	n.schedule(&p.slot, &n.lines[lineAgenda], p.Sent.Add(deadRetention))
}

// Redrive moves dead letters out of their queues and returns how many: those of the messages, or all when none is named. What a redrive policy had
// moved goes back to its queue, and what a service had given up to the standard queue. It is a new message there: a new messageId, a new SentTimestamp, its receives counted from nothing, and nothing that
// says so (facts/event-envelopes.md section 0). What was the body stays.
func (n *Network) Redrive(now time.Time, messageIDs ...string) int {
	n.reach(now)
	moved := 0
	for _, m := range n.order {
		if len(messageIDs) > 0 && !slices.Contains(messageIDs, m.ID) {
			continue
		}
		for _, p := range m.parcels {
			if p.state == StateDeadLetter {
				n.redrive(p, now)
				moved++
			}
		}
	}
	return moved
}

func (n *Network) redrive(p *parcel, now time.Time) {
	n.counts.Redriven++
	p.remove()
	p.cause, p.again, p.delivery = CauseRedrive, false, 0
	if p.way == WaySQSFIFO {
		n.enterGroup(p, now)
		return
	}
	n.enqueue(p, now)
}
