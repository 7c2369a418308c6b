package transport

import (
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
)

// evidence is what the documents of a form prove of the request's age (facts/event-envelopes.md section 2).
var evidence = map[Form]call.Tier{
	SQS: call.TierHop, SQSFIFO: call.TierHop, SNS: call.TierMessage, SNSInSQS: call.TierMessage, SNSRawInSQS: call.TierHop,
	EventBridge: call.TierMessage, EventBridgeInSQS: call.TierMessage, EventBridgeInSNS: call.TierMessage, EventBridgeInSNSInSQS: call.TierMessage,
	Async: call.TierNone, Direct: call.TierNone, HTTP: call.TierHop, API: call.TierHop, StepFunctions: call.TierMessage, Scheduler: call.TierNone,
	SchedulerInSQS: call.TierHop, Kinesis: call.TierMessage, DynamoDB: call.TierMessage,
}

// bare reads the payload alone: the request that every document must hold.
func bare(t *testing.T, text string) call.Request {
	t.Helper()
	r := envelope.Decode([]byte(text), envelope.Options{Now: start}).Records[0]
	if r.Verdict != envelope.VerdictOK {
		t.Fatal(r.Message)
	}
	return r.Delivery.Request
}

func sameRequest(a, b call.Request) bool {
	if len(a.Attributes) != len(b.Attributes) {
		return false
	}
	for k, v := range a.Attributes {
		if b.Attributes[k] != v {
			return false
		}
	}
	a.Attributes, b.Attributes = nil, nil
	return a.NotificationID == b.NotificationID && a.RecipientID == b.RecipientID && a.Destination == b.Destination && a.RecallID == b.RecallID &&
		a.RequestedAt.Equal(b.RequestedAt)
}

func TestEveryFormsDocumentHoldsTheRequest(t *testing.T) {
	t.Parallel()
	want := bare(t, payload)
	for _, form := range Forms() {
		n := calm(Options{})
		publish(t, n, Message{ID: "m", Form: form}, start)
		var stamps []call.Stamp
		for try := 1; try <= 3; try++ {
			d, now := mustNext(t, n)
			r := only(t, d, now)
			if !sameRequest(r.Delivery.Request, want) {
				t.Errorf("%s: got %+v, want %+v", form, r.Delivery.Request, want)
			}
			if r.FirstRequested.Tier != evidence[form] {
				t.Errorf("%s: evidence of tier %q, want %q", form, r.FirstRequested.Tier, evidence[form])
			}
			if cause := d.Records[0].Cause; (try == 1) != (cause == CauseFirst) || (try > 1) != (cause == CauseRetry) {
				t.Errorf("%s: try %d is %q", form, try, cause)
			}
			if d.Way.Batched() && !d.Way.stream() && d.Records[0].Received != try {
				t.Errorf("%s: received %d at try %d", form, d.Records[0].Received, try)
			}
			if d.Way != form.Way() {
				t.Errorf("%s: came by %s, want %s", form, d.Way, form.Way())
			}
			stamps = append(stamps, r.FirstRequested)
			if ruling := answer(t, n, d, refusal(d), now); ruling.Acknowledged[0] {
				t.Errorf("%s: a failure was taken for an acknowledgment", form)
			}
		}
		if form.Way() == WayHTTP { // timeEpoch is of the try
			if !stamps[1].At.After(stamps[0].At) {
				t.Errorf("%s: the retry has the first try's time", form)
			}
			continue
		}
		if stamps[0] != stamps[1] || stamps[1] != stamps[2] {
			t.Errorf("%s: a retry changes the time stamp: %v", form, stamps)
		}
	}
}

func TestAProducerStampsTheRequestOrTheSend(t *testing.T) {
	t.Parallel()
	for _, form := range Forms() {
		for habit, resent := range map[Stamping]time.Time{StampRequest: start, StampSend: start.Add(time.Hour)} {
			n := calm(Options{})
			publish(t, n, Message{ID: "m", Form: form, Stamping: habit}, start)
			d, now := mustNext(t, n)
			if at := only(t, d, now).Delivery.Request.RequestedAt; !at.Equal(start) {
				t.Errorf("%s: requestedAt %v, want %v", form, at, start)
			}
			first := d.Records[0].Hops
			answer(t, n, d, Response{}, now)
			if err := n.Republish("m", start.Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
			d, now = mustNext(t, n)
			if at := only(t, d, now).Delivery.Request.RequestedAt; !at.Equal(resent) {
				t.Errorf("%s: sent again with requestedAt %v, want %v", form, at, resent)
			}
			if d.Records[0].Cause != CauseRepublish || form.Way() != WayHTTP && form != Direct && d.Records[0].Hops == first {
				t.Errorf("%s: sent again as %q with %+v", form, d.Records[0].Cause, d.Records[0].Hops)
			}
		}
	}
}

func TestAPayloadThatCannotTravelIsRefused(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]Message{
		"no such form":      {ID: "a", Form: "pigeon", Payload: []byte(payload)},
		"no JSON":           {ID: "a", Form: EventBridge, Payload: []byte("{")},
		"no object":         {ID: "a", Form: DynamoDB, Payload: []byte("[]")},
		"nothing to stamp":  {ID: "a", Form: SQS, Payload: []byte("text"), Stamping: StampSend},
		"empty for a stamp": {ID: "a", Form: SQS, Stamping: StampSend},
	} {
		if err := calm(Options{}).Publish(m, start); err == nil {
			t.Errorf("%s: published", name)
		}
	}
	n := calm(Options{})
	publish(t, n, Message{ID: "a", Form: SQS}, start)
	if n.Publish(Message{ID: "a", Form: SQS}, start) == nil {
		t.Error("published twice")
	}
	if n.Republish("b", start) == nil || n.Replay("b", start) == nil {
		t.Error("what was never published came again")
	}
}
