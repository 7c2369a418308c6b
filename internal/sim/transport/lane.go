package transport

import (
	"slices"
	"time"
)

// lane keeps an order: a group of a FIFO queue, or a shard. Nothing of it is delivered while a part of it is in flight or waits for its retry.
type lane struct {
	slot

	parcels []*parcel
	blocked time.Time
	flight  int // the delivery that holds it
	failed  int // tries of a shard without progress
}

const defaultGroup = "default"

func (m *message) group() string {
	if m.Group == "" {
		return defaultGroup
	}
	return m.Group
}

func (n *Network) lane(way Way, name string) *lane {
	key := string(way) + "/" + name
	l := n.lanes[key]
	if l == nil {
		l = &lane{}
		l.slot.lane = l
		n.lanes[key] = l
	}
	return l
}

// line returns where lanes of a way wait.
func (n *Network) lineOf(way Way) *line {
	switch way {
	case WayKinesis:
		return &n.lines[lineKinesis]
	case WayDynamoDB:
		return &n.lines[lineDynamoDB]
	case WaySQSFIFO, WaySQS, WayAsync, WayDirect, WayHTTP:
	}
	return &n.lines[lineFIFO]
}

func (n *Network) join(p *parcel, l *lane, at time.Time) {
	p.at, p.inLane = n.polled(at), l
	l.parcels = append(l.parcels, p)
	n.refresh(l, p.way)
}

// refresh moves a lane to where its first message and its block put it.
func (n *Network) refresh(l *lane, way Way) {
	if len(l.parcels) == 0 {
		l.remove()
		return
	}
	n.schedule(&l.slot, n.lineOf(way), later(n.polled(l.blocked), l.parcels[0].at))
}

// leaveLane takes a copy out of its lane. The lane must be refreshed after it.
func (p *parcel) leaveLane() {
	if p.inLane == nil {
		return
	}
	p.inLane.parcels = slices.DeleteFunc(p.inLane.parcels, func(other *parcel) bool { return other == p })
	p.inLane = nil
}

// enqueueFIFO makes a message of a FIFO queue, or swallows it: within 5 minutes a MessageDeduplicationId is accepted and delivered once.
func (n *Network) enqueueFIFO(p *parcel, now time.Time) {
	p.dedup = p.msg.Dedup
	if p.dedup == "" {
		p.dedup = n.id()
	} else {
		if first, seen := n.dedups[p.dedup]; seen && now.Sub(first) < dedupWindow {
			n.settle(p, StateSwallowed)
			return
		}
		n.dedups[p.dedup] = now
	}
	n.enterGroup(p, now)
}

func (n *Network) enterGroup(p *parcel, now time.Time) {
	n.newQueueMessage(p, now)
	n.ordinals++
	p.ordinal = n.ordinals
	n.join(p, n.lane(WaySQSFIFO, p.msg.group()), now.Add(n.latency()))
}

// receiveGroups takes a batch from the FIFO queue: of each group that nothing blocks, the first messages in their order.
func (n *Network) receiveGroups(now time.Time) (Delivery, bool) {
	line := &n.lines[lineFIFO]
	limit := 1 + n.rng.IntN(n.options.BatchSize)
	batch := make([]*parcel, 0, limit)
	for len(batch) < limit && line.top() != nil && !line.top().at.After(now) {
		l := line.top().lane
		taken := len(batch)
		for _, p := range slices.Clone(l.parcels) {
			if len(batch) == limit || p.at.After(now) {
				break
			}
			p.delivery = 0
			if n.receivable(p, now) {
				batch = append(batch, p)
			}
		}
		if l.flight = 0; len(batch) > taken {
			l.blocked = now.Add(n.options.Visibility)
		}
		n.refresh(l, WaySQSFIFO)
	}
	if len(batch) == 0 || n.throttled(batch, now) {
		return Delivery{}, false
	}
	return n.start(WaySQSFIFO, batch, now), true
}

// release lets the lanes of an answered delivery go on: a FIFO group waits until the visibility timeout of what was returned ends, a shard tries
// again after a backoff. Lambda retries a batch until its records expire; it does not say how fast, so the gaps are a choice of the simulation.
func (n *Network) release(f *flight, returned []bool, now time.Time) {
	for i, l := range f.lanes {
		if l == nil || l.flight != f.id || slices.Index(f.lanes, l) != i {
			continue
		}
		kept, done := false, false
		for j := range returned {
			if f.lanes[j] == l {
				kept, done = kept || returned[j], done || !returned[j]
			}
		}
		switch {
		case !kept:
			l.blocked, l.failed = time.Time{}, 0
		case f.way.stream():
			if done {
				l.failed = 0
			}
			l.blocked = now.Add(min(time.Second<<min(l.failed, 9), 5*time.Minute))
			l.failed++
		}
		l.flight = 0
		n.refresh(l, f.way)
	}
}
