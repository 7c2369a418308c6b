package envelope

import (
	"slices"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// reading is what all records of one document share.
type reading struct {
	now        time.Time
	maxUnwraps int
	numberless func(profile string) bool // may be nil
	inflate    int                       // bytes that may still be inflated
	mappings   func(source call.Source, producerARN string) *Mapping
	explain    bool
	keep       bool
}

// chain is the way from one record to its payload: what was opened so far, and the evidence gathered on the way.
type chain struct {
	*reading
	record Record

	source call.Source // of the document; empty while the first envelope is to say it

	carried []byte // what the record carries, as far as its transport tells that apart

	whole raw    // the JSON text that is read, its envelopes included
	at    []byte // pointer to the current value, decoding steps included
	base  int    // where in at the current text begins: pointers of a defect are relative to it

	defect  *defect // of the text that is being read; every verdict becomes its refusal
	age     age
	unwraps int
	// bare says that a payload found now was handed over as such, which the nesting calls "direct".
	bare bool
	// sweepable says that the document itself may be the trigger of a sweep.
	sweepable bool
	// wakeable says that what is read now is the document itself or the body of a queue's message: the places of a hint.
	wakeable bool
	// spent says that what is read now was given up by whoever should have delivered it: a trigger or a hint in there is known and does nothing.
	spent bool
	// ambiguous says that the envelope that is being opened has members of a payload next to it. Its own ids are still noted.
	ambiguous bool
	ranBefore bool
	replay    string
	eventID   string

	outer checkpoint
}

// checkpoint is the evidence of the outermost transport alone, kept for chains that are refused as too deep.
type checkpoint struct {
	ids int
	age age
}

func (r *reading) start(path string) *chain {
	const usual = 64 // bytes of a pointer
	return &chain{
		reading: r, at: append(make([]byte, 0, usual), path...), base: len(path),
		record: Record{Path: path, Nesting: make([]string, 0, 4)},
	}
}

// enter notes that an envelope or a transport was opened.
func (c *chain) enter(name string) { c.record.Nesting = append(c.record.Nesting, name) }

// settleTransport marks what was gathered so far as the evidence of the outermost transport.
func (c *chain) settleTransport() {
	c.outer = checkpoint{ids: len(c.record.Identity.All), age: c.age}
}

// id notes an id given by a service.
func (c *chain) id(kind, value string) {
	if value != "" {
		c.record.Identity.All = append(c.record.Identity.All, ID{Kind: kind, Value: value})
	}
}

// stamp notes a time stamp when there is one.
func (c *chain) stamp(at time.Time, ok bool, tier call.Tier, from string) {
	if ok && !c.age.add(c.now, at, tier, from) {
		c.flag(flagClockSkew)
	}
}

// The flags of a record.
const (
	flagClockSkew         = "clock_skew"             // a stamp lies in the future and was dropped
	flagUnparsable        = "requestedAt_unparsable" // the payload's requestedAt is no RFC 3339 time and was dropped
	flagInDLQ             = "in_sqs_dlq"
	flagEventBridgeDLQ    = "eventbridge_dlq"
	flagSchedulerDLQ      = "scheduler_dlq"
	flagLambdaDLQ         = "lambda_dlq"
	flagCustomBusDLQ      = "custombus_dlq"
	flagLambdaFailure     = "lambda_failure_record"
	flagEventBridgeReplay = "eventbridge_replay"
	flagCustomBusReplay   = "custombus_replay"
)

func (c *chain) flag(name string) {
	if !slices.Contains(c.record.Flags, name) {
		c.record.Flags = append(c.record.Flags, name)
	}
}

// attempted notes a mark that proves an earlier attempt.
func (c *chain) attempted(flag string) {
	c.flag(flag)
	c.ranBefore = true
}

// point extends the pointer to the current value.
func (c *chain) point(step string) { c.at = append(c.at, step...) }

// text starts a new JSON text at the current value and returns its value, or settles the record when it cannot be read.
func (c *chain) text(content []byte) (raw, bool) {
	c.point("|json")
	value, d, readable := check(content)
	c.whole = value
	if d != nil && c.defect == nil {
		c.defect, c.base = d, len(c.at)
	}
	if !readable {
		c.reject(d.reason, "")
		return nil, false
	}
	if c.defect == nil {
		c.base = len(c.at)
	}
	return value, true
}

func (c *chain) reject(reason Reason, field string) { c.settle(VerdictReject, reason, field) }

// ignore settles a record that is recognized and no request. There is no payload to point at.
func (c *chain) ignore(reason Reason) {
	c.at = c.at[:0]
	c.settle(VerdictIgnore, reason, "")
}

// settle ends the chain. A text with a defect is refused for it, whatever it would be otherwise.
func (c *chain) settle(verdict Verdict, reason Reason, field string) {
	if c.ambiguous {
		c.at = c.at[:0]
		verdict, reason, field = VerdictReject, ReasonAmbiguous, ""
	}
	if c.defect != nil {
		verdict, reason = VerdictReject, c.defect.reason
		field = c.defect.field(string(c.at[min(c.base, len(c.at)):]))
	}
	r := &c.record
	r.Verdict, r.Reason, r.Field = verdict, reason, cleanField(field)
	if verdict != VerdictOK {
		r.Message, r.Fix = advise(reason, r.Field)
		r.Delivery = call.Delivery{}
	}
	if reason != ReasonContactEvent {
		r.Contact = nil
	}
}

// finish completes the record from what the chain gathered.
func (c *chain) finish(source call.Source) Record {
	r := &c.record
	if n := len(r.Identity.All); n > 0 {
		outermost, innermost := r.Identity.All[0], r.Identity.All[n-1]
		r.Identity.Delivery, r.Identity.DeliveryKind = outermost.Value, outermost.Kind
		r.Identity.Origin, r.Identity.OriginKind = innermost.Value, innermost.Kind
	}
	r.PayloadAt = string(c.at)
	r.FirstRequestedEnvelopeOnly = c.age.result()
	r.FirstRequested = r.FirstRequestedEnvelopeOnly
	if at := r.Delivery.Request.RequestedAt; !at.IsZero() {
		whole := c.age
		if !whole.add(c.now, at, call.TierPayload, "payload.requestedAt") {
			c.flag(flagClockSkew)
		}
		r.FirstRequested = whole.result()
	}
	r.MayHaveRunBefore = RanBeforeUnknown
	if c.ranBefore || r.ReceiveCount != nil && *r.ReceiveCount > 1 {
		r.MayHaveRunBefore = RanBeforeTrue
	}
	if r.Verdict == VerdictOK {
		r.Window = window(c.now, r.FirstRequested)
		c.deliver(source)
	}
	return *r
}

// deliver fills the delivery of an accepted record.
func (c *chain) deliver(source call.Source) {
	r := &c.record
	d := &r.Delivery
	d.Source = source
	d.ID, d.Origin, d.EventID = r.Identity.Delivery, r.Identity.Origin, c.eventID
	d.FirstRequested = r.FirstRequested
	d.Replay, d.Trace = c.replay, r.Trace
	if r.ReceiveCount != nil {
		d.ReceiveCount = *r.ReceiveCount
	}
}
