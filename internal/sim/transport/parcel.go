package transport

import "time"

// State is where a copy of a message is.
type State string

// The states of a copy. In flight takes precedence over where it waits.
const (
	StatePlanned    State = "planned"     // a later duplicate, replay or second send, not yet made
	StateTraveling  State = "traveling"   // with SNS, EventBridge or Scheduler
	StateQueued     State = "queued"      // in a queue, a stream or Lambda's own queue, or with a caller that will try again
	StateInFlight   State = "in flight"   // an invocation has it and was not answered
	StateDeadLetter State = "dead letter" // in a dead-letter queue
	StateDone       State = "done"        // acknowledged
	StateExpired    State = "expired"     // given up by its source at the end of its horizon, and forgotten
	StateSwallowed  State = "swallowed"   // a FIFO queue had seen its MessageDeduplicationId within 5 minutes
)

// Final reports whether nothing will happen to the copy any more by itself. A dead letter may still be redriven, and it expires.
func (s State) Final() bool { return s == StateDone || s == StateExpired || s == StateSwallowed }

// Cause says why a record is delivered.
type Cause string

// The causes. A copy that was delivered before is delivered as a retry, whatever its first cause was.
const (
	CauseFirst     Cause = "first"
	CauseRetry     Cause = "retry"
	CauseDuplicate Cause = "duplicate" // delivered or fired twice although nothing failed
	CauseLate      Cause = "late"      // a deleted message of a queue, or a stream that is read again, hours or days later
	CauseReplay    Cause = "replay"    // from an archive of EventBridge
	CauseRepublish Cause = "republish" // sent again by its producer
	CauseRedrive   Cause = "redrive"   // moved out of a dead-letter queue
	CauseForced    Cause = "forced"    // by Force, although it was done
)

// Hops are the ids and time stamps that the services gave to a copy, zero where it did not pass them.
type Hops struct {
	EventID   string // EventBridge id
	TopicID   string // SNS MessageId
	QueueID   string // SQS messageId
	RequestID string // of a Lambda invocation or an HTTP try
	Execution string // Scheduler execution-id, Step Functions execution
	RecordID  string // sequence number in a stream

	EventTime time.Time // EventBridge time
	TopicTime time.Time // SNS Timestamp
	Sent      time.Time // SQS SentTimestamp, arrival in a stream
	Scheduled time.Time // Scheduler's scheduled time, start of a Step Functions execution
}

// parcel is one copy of a message on its way: everything that AWS keeps of it.
type parcel struct {
	slot
	Hops

	msg     *message
	copy    int
	cause   Cause
	way     Way // of the next delivery
	state   State
	plan    func(p *parcel, now time.Time)
	payload []byte

	hop       int       // services it passed
	tries     int       // failed tries of the service it is with, or deliveries by Lambda or a caller
	since     time.Time // when that began
	reachable time.Time // the target of the service cannot be reached before
	replay    bool

	received      int // ApproximateReceiveCount
	firstReceived time.Time
	delivered     int  // deliveries in all
	again         bool // it was delivered since its cause
	delivery      int  // the delivery it is in flight in, 0 when none
	twice         bool // it has had its duplicate

	inner   []byte // what an SNS envelope holds
	text    []byte // what the next hop carries: a body, an event
	quoted  []byte // the same as a JSON string, for a queue
	sum     string // of text
	marks   []byte // messageAttributes
	deadOf  string // ARN of the queue whose redrive policy moved it; empty in the dead-letter queue of a service
	inLane  *lane
	dedup   string
	ordinal int64 // SequenceNumber
}

// Status is one copy of a message.
type Status struct {
	MessageID string
	Copy      int // 0 is the one that Publish made
	Form      Form
	Way       Way
	Cause     Cause
	State     State
	Delivered int       // how often, in all
	Received  int       // ApproximateReceiveCount of a queue
	Next      time.Time // when something happens to it next, zero when nothing will
	Hops      Hops
}

func (p *parcel) status() Status {
	s := Status{
		MessageID: p.msg.ID, Copy: p.copy, Form: p.msg.Form, Way: p.way, Cause: p.cause, State: p.state, Delivered: p.delivered, Received: p.received,
		Hops: p.Hops,
	}
	switch {
	case p.inLane != nil:
		s.Next = p.inLane.at
	case p.pos > 0:
		s.Next = p.at
	}
	if p.delivery != 0 && s.State != StateDeadLetter {
		s.State = StateInFlight
	}
	return s
}

// clone makes another copy of what AWS holds of p, in no line.
func (n *Network) clone(p *parcel, cause Cause) *parcel {
	c := *p
	c.slot, c.inLane, c.plan = slot{}, nil, nil
	c.cause, c.copy, c.delivery, c.delivered = cause, p.msg.copies, 0, 0
	p.msg.copies++
	c.slot.parcel = &c
	p.msg.parcels = append(p.msg.parcels, &c)
	return &c
}

// settle ends a copy.
func (n *Network) settle(p *parcel, state State) {
	p.remove()
	p.leaveLane()
	p.state, p.delivery = state, 0
}
