package transport

import "time"

const dedupWindow = 5 * time.Minute // of a FIFO queue's MessageDeduplicationId (facts/event-envelopes.md section 3)

// arrive puts a copy where the function's invocations are made from.
func (n *Network) arrive(p *parcel, now time.Time) {
	p.state, p.since, p.tries, p.reachable = StateQueued, now, 0, time.Time{}
	switch p.way {
	case WaySQS:
		n.enqueue(p, now)
	case WaySQSFIFO:
		n.enqueueFIFO(p, now)
	case WayKinesis, WayDynamoDB:
		n.appendToStream(p, now)
	case WayAsync:
		n.acceptAsync(p, now)
	case WayDirect, WayHTTP:
		if p.msg.Form == StepFunctions {
			p.Execution, p.Scheduled = n.id(), now.Truncate(time.Millisecond)
			p.text = n.contextObject(p)
		}
		n.schedule(&p.slot, &n.lines[lineAgenda], now.Add(n.latency()))
	}
}

// enqueue makes a message of a standard queue: a new messageId and SentTimestamp, its receives counted from nothing.
func (n *Network) enqueue(p *parcel, now time.Time) {
	n.newQueueMessage(p, now)
	at := now.Add(n.latency())
	if n.chance(n.profile.Reorder) {
		at = now.Add(n.spread(time.Second, 10*time.Minute))
	}
	n.schedule(&p.slot, &n.lines[lineQueue], n.polled(at))
}

func (n *Network) newQueueMessage(p *parcel, now time.Time) {
	p.state, p.QueueID, p.Sent = StateQueued, n.id(), now.Truncate(time.Millisecond)
	p.received, p.firstReceived, p.deadOf = 0, time.Time{}, ""
	p.setBody(p.text)
}

// setBody keeps the body in the form in which every document shows it.
func (p *parcel) setBody(text []byte) {
	p.text = text
	p.quoted = appendString(make([]byte, 0, len(text)+len(text)/4+2), text)
	p.sum = checksum(text)
}

// receive takes a batch from the standard queue: whatever is visible.
func (n *Network) receive(now time.Time) (Delivery, bool) {
	l := &n.lines[lineQueue]
	limit := 1 + n.rng.IntN(n.options.BatchSize)
	batch := make([]*parcel, 0, limit)
	for len(batch) < limit && l.top() != nil && !l.top().at.After(now) {
		p := l.top().parcel
		p.remove()
		p.delivery = 0
		if n.receivable(p, now) {
			batch = append(batch, p)
		}
	}
	if len(batch) == 0 {
		return Delivery{}, false
	}
	if n.throttled(batch, now) {
		for _, p := range batch {
			n.hide(p, now)
		}
		return Delivery{}, false
	}
	return n.start(WaySQS, batch, now), true
}

// throttled is a receive whose invocation is refused for want of concurrency. The messages were received, so it
// counts: the deployment's maxReceiveCount reckons with it (deploy/sam), and a message may reach the dead-letter queue unseen.
func (n *Network) throttled(batch []*parcel, now time.Time) bool {
	if !n.chance(n.profile.Throttle) {
		return false
	}
	n.counts.Throttled++
	for _, p := range batch {
		p.receive(now)
	}
	return true
}

// receive counts one receive.
func (p *parcel) receive(now time.Time) {
	p.received++
	if p.firstReceived.IsZero() {
		p.firstReceived = now
	}
}

// receivable ends the time of a message in its queue: it expires at the end of the retention period, and its next receive after maxReceiveCount ones
// moves it to the dead-letter queue.
func (n *Network) receivable(p *parcel, now time.Time) bool {
	switch {
	case !now.Before(p.Sent.Add(n.options.Retention)):
		n.expire(p)
		return false
	case n.options.MaxReceive > 0 && p.received >= n.options.MaxReceive:
		n.redirect(p, now)
		return false
	}
	return true
}

// hide makes a received message invisible. It comes back when nobody deletes it, unless it expires first.
func (n *Network) hide(p *parcel, now time.Time) {
	n.schedule(&p.slot, &n.lines[lineQueue], earlier(n.polled(now.Add(n.options.Visibility)), p.Sent.Add(n.options.Retention)))
}

// polled returns the first poll that finds what is visible from a time on.
func (n *Network) polled(at time.Time) time.Time {
	tick := at.Truncate(n.options.Poll)
	if tick.Before(at) {
		tick = tick.Add(n.options.Poll)
	}
	return tick
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
