package transport

import "time"

// Delivery is one invocation of the function.
type Delivery struct {
	ID   int
	Form Form // of the first record; a batch of the standard queue can hold several forms
	Way  Way
	// Document is what the function is invoked with. It must not be changed: a retry may hand over the same bytes.
	Document []byte
	Records  []Record // in the order of the document
	// Deadline is how long the invocation may take. An answer after it is none.
	Deadline time.Duration
}

// Record is one message of a delivery.
type Record struct {
	MessageID string // the simulation's
	Copy      int
	Form      Form
	Cause     Cause
	Item      string // what a batch response names it by, empty when the way knows no such thing
	Received  int    // ApproximateReceiveCount, 0 when the way has none
	Hops      Hops
}

// flight is a delivery without an answer.
type flight struct {
	id       int
	way      Way
	parcels  []*parcel
	lanes    []*lane // of the parcels
	records  []Record
	started  time.Time
	deadline time.Duration
	refused  bool // the answer is final although it is no success: a client does not try again
}

// start hands parcels to the function.
func (n *Network) start(way Way, parcels []*parcel, now time.Time) Delivery {
	n.flown++
	n.counts.Deliveries++
	n.counts.Records += len(parcels)
	f := &flight{id: n.flown, way: way, parcels: parcels, records: make([]Record, len(parcels)), started: now, deadline: n.deadline()}
	if way.ordered() {
		f.lanes = make([]*lane, len(parcels))
	}
	for i, p := range parcels {
		if l := p.inLane; l != nil {
			f.lanes[i] = l
			l.flight = f.id
		}
		n.leave(p, f, now)
		f.records[i] = p.record(way)
		p.again = true
	}
	n.flights[f.id] = f
	return Delivery{
		ID: f.id, Form: parcels[0].msg.Form, Way: way, Document: n.document(f), Records: f.records, Deadline: f.deadline,
	}
}

// ordered reports whether deliveries hold lanes.
func (w Way) ordered() bool { return w == WaySQSFIFO || w.stream() }

// leave notes that a parcel is in flight, and what happens when no answer comes.
func (n *Network) leave(p *parcel, f *flight, now time.Time) {
	p.delivery = f.id
	p.delivered++
	switch f.way {
	case WaySQS, WaySQSFIFO:
		p.receive(now)
		if f.way == WaySQS && p.state == StateQueued {
			n.hide(p, now)
		}
	case WayHTTP, WayDirect:
		p.RequestID = n.id() // new for every try
		p.tries++
		n.schedule(&p.slot, &n.lines[lineAgenda], now.Add(n.options.Timeout))
	case WayAsync:
		p.tries++
		n.schedule(&p.slot, &n.lines[lineAgenda], now.Add(n.options.Timeout))
	case WayKinesis, WayDynamoDB:
	}
}

func (n *Network) deadline() time.Duration {
	if !n.chance(n.profile.Timeout) {
		return n.options.Timeout
	}
	n.counts.ShortDeadlines++
	return max(time.Millisecond, time.Duration(n.rng.Float64()*float64(n.options.Timeout)).Truncate(time.Millisecond))
}

func (p *parcel) record(way Way) Record {
	r := Record{MessageID: p.msg.ID, Copy: p.copy, Form: p.msg.Form, Cause: p.cause, Hops: p.Hops}
	if p.again {
		r.Cause = CauseRetry
	}
	switch way {
	case WaySQS, WaySQSFIFO:
		r.Item, r.Received = p.QueueID, p.received
	case WayKinesis, WayDynamoDB:
		r.Item = p.RecordID
	case WayAsync, WayDirect, WayHTTP:
	}
	return r
}
