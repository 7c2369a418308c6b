package transport

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/envelope"
)

func TestAReturnedMessageComesBackWhenItsVisibilityTimeoutEnds(t *testing.T) {
	t.Parallel()
	for _, form := range []Form{SQS, SQSFIFO} {
		for name, response := range map[string]func(Delivery) Response{
			"returned":  refusal,
			"error":     func(Delivery) Response { return Response{Err: errNoFlight} },
			"crash":     func(Delivery) Response { return Response{Crashed: true} },
			"timed out": func(Delivery) Response { return Response{TimedOut: true} },
		} {
			n := calm(Options{Visibility: 90 * time.Second})
			publish(t, n, Message{ID: "m", Form: form}, start)
			d, first := mustNext(t, n)
			answer(t, n, d, response(d), first)
			again, second := mustNext(t, n)
			if late := second.Sub(first) - 90*time.Second; late < 0 || late > time.Second || again.Records[0].Received != 2 || again.Records[0].Item != d.Records[0].Item {
				t.Errorf("%s, %s: came after %v as %+v", form, name, second.Sub(first), again.Records[0])
			}
			if r := answer(t, n, again, Response{}, second); !r.Acknowledged[0] || state(t, n, "m") != StateDone {
				t.Errorf("%s: not done: %v", form, n.Statuses())
			}
			if _, _, more := next(n); more {
				t.Errorf("%s: a deleted message came again", form)
			}
		}
	}
}

func TestAnAnswerThatNeverComesLetsTheMessageComeBack(t *testing.T) {
	t.Parallel()
	for _, form := range Forms() {
		n := calm(Options{})
		publish(t, n, Message{ID: "m", Form: form}, start)
		_, first := mustNext(t, n)
		_, second := mustNext(t, n)
		if waited := second.Sub(first); waited < time.Minute {
			t.Errorf("%s: came again after %v, before the function's timeout", form, waited)
		}
	}
}

func TestAMessageReceivedTooOftenMovesToTheDeadLetterQueue(t *testing.T) {
	t.Parallel()
	for _, form := range []Form{SQS, SQSFIFO} {
		n := calm(Options{MaxReceive: 3})
		publish(t, n, Message{ID: "m", Form: form, Group: "g", Dedup: "chosen"}, start)
		var last Delivery
		var now time.Time
		for range 3 {
			last, now = mustNext(t, n)
			answer(t, n, last, refusal(last), now)
		}
		if _, ok := n.Take(now.Add(time.Hour)); ok || state(t, n, "m") != StateDeadLetter {
			t.Fatalf("%s: %v", form, n.Statuses())
		}
		dead, err := n.Force(now.Add(2*time.Hour), "m")
		if err != nil {
			t.Fatal(err)
		}
		r := only(t, dead, now.Add(2*time.Hour))
		if r.DeadLetterOf == "" || r.DeadLetterOf != envelopeSource(t, last, now) || !slices.Contains(r.Flags, "in_sqs_dlq") {
			t.Errorf("%s: %+v", form, r)
		}
		if dead.Records[0].Received != 4 {
			t.Errorf("%s: the dead-letter queue counts anew: %d", form, dead.Records[0].Received)
		}
		// Move to a FIFO queue: SentTimestamp reset; to a standard queue: unchanged.
		if kept := dead.Records[0].Hops.Sent.Equal(last.Records[0].Hops.Sent); kept != (form == SQS) {
			t.Errorf("%s: SentTimestamp kept %v", form, kept)
		}
		// A FIFO dead-letter queue replaces the MessageDeduplicationId by the messageId.
		if replaced := bytes.Contains(dead.Document, []byte(`"MessageDeduplicationId":"`+last.Records[0].Item+`"`)); replaced != (form == SQSFIFO) {
			t.Errorf("%s: %s", form, dead.Document)
		}
		answer(t, n, dead, refusal(dead), now.Add(2*time.Hour))
		if state(t, n, "m") != StateDeadLetter {
			t.Errorf("%s: %v", form, n.Statuses())
		}
		redriven(t, n, last, now.Add(24*time.Hour))
	}
}

func envelopeSource(t *testing.T, d Delivery, now time.Time) string {
	t.Helper()
	return only(t, d, now).SourceARN
}

// redriven checks the column "DLQ redrive" of facts/event-envelopes.md section 3.
func redriven(t *testing.T, n *Network, last Delivery, now time.Time) {
	t.Helper()
	if moved := n.Redrive(now); moved != 1 {
		t.Fatalf("%d moved", moved)
	}
	d, now := mustNext(t, n)
	r, before := d.Records[0], last.Records[0]
	want := envelope.RanBeforeUnknown
	if flags := only(t, last, now).Flags; len(flags) > 0 {
		want = envelope.RanBeforeTrue // message attributes of a service's dead-letter queue travel along
	}
	switch {
	case r.Cause != CauseRedrive, r.Received != 1, r.Item == before.Item, !r.Hops.Sent.After(before.Hops.Sent):
		t.Errorf("redriven as %+v, was %+v", r, before)
	case only(t, d, now).MayHaveRunBefore != want:
		t.Errorf("%s: a redriven message says %q to having run before, want %q", r.Form, only(t, d, now).MayHaveRunBefore, want)
	}
	answer(t, n, d, Response{}, now)
}

func TestAMessageExpiresAtTheEndOfItsRetentionPeriod(t *testing.T) {
	t.Parallel()
	for _, form := range []Form{SQS, SQSFIFO} {
		n := calm(Options{MaxReceive: -1, Visibility: 5 * time.Hour})
		publish(t, n, Message{ID: "m", Form: form}, start)
		var last time.Time
		for {
			d, now, more := next(n)
			if !more {
				break
			}
			last = now
			answer(t, n, d, refusal(d), now)
		}
		if lived := last.Sub(start); state(t, n, "m") != StateExpired || lived > 14*day || lived < 14*day-6*time.Hour {
			t.Errorf("%s: last delivered after %v, now %v", form, lived, n.Statuses())
		}
	}
}

func TestADeadLetterExpiresAndAStandardOneBringsItsAgeAlong(t *testing.T) {
	t.Parallel()
	for form, more := range map[Form]time.Duration{SQS: 0, SQSFIFO: time.Hour} {
		n := calm(Options{MaxReceive: 1, Visibility: time.Hour})
		publish(t, n, Message{ID: "m", Form: form}, start)
		d, now := mustNext(t, n)
		answer(t, n, d, refusal(d), now)
		n.Take(now.Add(time.Hour + time.Second))
		end, _ := n.Next()
		if want := now.Add(more + 14*day); end.Sub(want).Abs() > 2*time.Second {
			t.Errorf("%s: the dead letter expires at %v, want about %v", form, end, want)
		}
		n.Take(end)
		if state(t, n, "m") != StateExpired || n.Redrive(end) != 0 {
			t.Errorf("%s: %v", form, n.Statuses())
		}
	}
}

func TestABatchHoldsSeveralMessagesAndOnlyTheReturnedOnesComeBack(t *testing.T) {
	t.Parallel()
	n := calm(Options{BatchSize: 4})
	ids := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	for i, id := range ids {
		publish(t, n, Message{ID: id, Form: []Form{SQS, SNSInSQS, EventBridgeInSQS, SNSRawInSQS}[i%4]}, start)
	}
	largest := 0
	returned := map[string]bool{}
	acknowledged := map[string]bool{}
	for {
		d, now, more := next(n)
		if !more {
			break
		}
		read(t, d, now)
		largest = max(largest, len(d.Records))
		ruling := answer(t, n, d, failing(d, 0), now)
		for i, r := range d.Records {
			if ruling.Acknowledged[i] != (i > 0) || acknowledged[r.MessageID] {
				t.Fatalf("%s: %+v", r.MessageID, ruling)
			}
			acknowledged[r.MessageID] = i > 0
			returned[r.MessageID] = returned[r.MessageID] || i == 0
		}
	}
	if largest < 2 || largest > 4 || len(returned) != len(ids) {
		t.Errorf("batches of up to %d, %d messages", largest, len(returned))
	}
	for _, s := range n.Statuses() {
		if (s.State == StateDone) != acknowledged[s.MessageID] {
			t.Errorf("%v", s)
		}
	}
}

func TestAStandardQueueDeliversOutOfOrder(t *testing.T) {
	t.Parallel()
	n := calm(Options{BatchSize: 1, Profile: Profile{Reorder: 0.5}})
	var sent, came []string
	for i := range 20 {
		id := string(rune('a' + i))
		sent = append(sent, id)
		publish(t, n, Message{ID: id, Form: SQS}, start.Add(time.Duration(i)*time.Second))
	}
	for d, now, more := next(n); more; d, now, more = next(n) {
		came = append(came, d.Records[0].MessageID)
		answer(t, n, d, Response{}, now)
	}
	if len(came) != len(sent) || slices.Equal(came, sent) {
		t.Errorf("came as %v", came)
	}
}

func TestADeletedMessageOfAStandardQueueMayComeOnceMore(t *testing.T) {
	t.Parallel()
	n := calm(Options{Profile: Profile{Duplicate: 1}})
	publish(t, n, Message{ID: "m", Form: SQS}, start)
	d, now := mustNext(t, n)
	answer(t, n, d, Response{}, now)
	again, now := mustNext(t, n)
	if r := again.Records[0]; r.Cause != CauseDuplicate || r.Item != d.Records[0].Item || r.Received != 2 || r.Copy == 0 {
		t.Errorf("%+v", r)
	}
	answer(t, n, again, Response{}, now)
	if _, _, more := next(n); more {
		t.Error("duplicates have duplicates")
	}
}
