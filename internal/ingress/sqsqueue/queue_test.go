package sqsqueue_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
	"github.com/ringonce/ringonce/internal/ingress/sqsqueue"
)

// receive receives everything and returns the ids in their order.
func receive(t *testing.T, q *sqsqueue.Queue, most int) (ids []string, documents [][]byte) {
	t.Helper()
	err := q.Receive(t.Context(), most, func(m sqsqueue.Message) error {
		ids, documents = append(ids, m.ID), append(documents, m.Document)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids, documents
}

func TestAMessageIsTheDocumentThatLambdaWouldGet(t *testing.T) {
	t.Parallel()
	s, q := newServer(t, 1)
	_, documents := receive(t, q, 100)
	doc := envelope.Decode(documents[0], envelope.Options{Now: s.clock.now})
	r := doc.Records[0]
	if doc.Source != call.SourceSQS || r.Identity.Delivery != "m-000" || r.SourceARN != queueARN || r.DeadLetterOf != sourceID || r.ProducerARN() != sourceID ||
		r.ReceiveCount == nil || *r.ReceiveCount != 1 || r.FirstRequested.At.UnixMilli() != 1763784000000 || r.Reason != envelope.ReasonFieldMissing {
		t.Errorf("read as %+v", r)
	}
}

func TestEverythingIsReceivedOnceHeldAndReturned(t *testing.T) {
	t.Parallel()
	s, q := newServer(t, 34)
	ids, _ := receive(t, q, 1000)
	if len(ids) != 34 || !slices.IsSorted(ids) || q.Held() != 34 || len(s.visible()) != 0 || q.ARN != queueARN || q.Waiting != 7 {
		t.Errorf("received %d, held %d, visible to others %d, %s with %d", len(ids), q.Held(), len(s.visible()), q.ARN, q.Waiting)
	}
	if err := q.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(s.visible()) != 34 || q.Held() != 0 {
		t.Errorf("%d of 34 came back, %d are held", len(s.visible()), q.Held())
	}
}

func TestNoMoreIsReceivedThanWasAskedFor(t *testing.T) {
	t.Parallel()
	s, q := newServer(t, 34)
	if ids, _ := receive(t, q, 12); len(ids) != 12 || len(s.visible()) != 22 {
		t.Errorf("received %d, left %d", len(ids), len(s.visible()))
	}
}

func TestAHeldMessageStaysHiddenForAsLongAsItIsRenewed(t *testing.T) {
	t.Parallel()
	s, q := newServer(t, 12)
	receive(t, q, 100)
	for range 10 {
		s.clock.now = s.clock.now.Add(sqsqueue.DefaultVisibility/2 + time.Second)
		if err := q.Renew(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := len(s.visible()); n > 0 || !q.Holds("m-011") {
			t.Fatalf("%d messages can be received by others; held %t", n, q.Holds("m-011"))
		}
	}
	asked := s.asked["ChangeMessageVisibilityBatch"]
	if err := q.Renew(t.Context()); err != nil || s.asked["ChangeMessageVisibilityBatch"] != asked || asked != 20 {
		t.Errorf("%d renewals of 12 messages, error %v; a fresh one was renewed again: %t", asked, err, s.asked["ChangeMessageVisibilityBatch"] != asked)
	}
}

func TestAMessageThatOthersCanSeeIsNotHeldAnyMore(t *testing.T) {
	t.Parallel()
	s, q := newServer(t, 2)
	receive(t, q, 100)
	s.clock.now = s.clock.now.Add(sqsqueue.DefaultVisibility + time.Second) // a person thought for long
	if q.Holds("m-000") {
		t.Error("held although its time is over")
	}
	if err := q.Renew(t.Context()); err != nil || q.Held() != 0 {
		t.Errorf("%d held after a renewal that came too late: %v", q.Held(), err)
	}
	if err := q.Delete(t.Context(), "m-000"); call.CodeOf(err) != sqsqueue.CodeQueueUnavailable || s.asked["DeleteMessage"] != 0 {
		t.Errorf("deleted %d times: %v", s.asked["DeleteMessage"], err)
	}
}

// Each effect fails in two ways: it was not applied, or it was and the answer is lost.
func TestALostAnswerOfADeleteLosesNoMessageAndHoldsNoneBack(t *testing.T) {
	t.Parallel()
	for how, left := range map[string][]string{"before": {"m-000", "m-001"}, "after": {"m-001"}} {
		s, q := newServer(t, 2)
		receive(t, q, 100)
		s.breaks("DeleteMessage", how)
		if err := q.Delete(t.Context(), "m-000"); call.CodeOf(err) != sqsqueue.CodeQueueUnavailable {
			t.Errorf("%s: %v", how, err)
		}
		if err := q.Release(t.Context()); err != nil {
			t.Errorf("%s: %v", how, err)
		}
		if got := s.visible(); !slices.Equal(got, left) {
			t.Errorf("%s: %q came back, want %q", how, got, left)
		}
	}
}

func TestALostAnswerOfARenewalKeepsTheMessageOnlyAsLongAsItIsKnownToBeHidden(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"before", "after"} {
		s, q := newServer(t, 1)
		receive(t, q, 100)
		s.breaks("ChangeMessageVisibilityBatch", how)
		s.clock.now = s.clock.now.Add(sqsqueue.DefaultVisibility * 3 / 4)
		if err := q.Renew(t.Context()); call.CodeOf(err) != sqsqueue.CodeQueueUnavailable || !q.Holds("m-000") {
			t.Errorf("%s: %v, held %t", how, err, q.Holds("m-000"))
		}
		s.clock.now = s.clock.now.Add(sqsqueue.DefaultVisibility / 2)
		if q.Holds("m-000") {
			t.Errorf("%s: still held", how)
		}
		if err := q.Release(t.Context()); err == nil {
			t.Errorf("%s: the release is not reported", how)
		}
	}
}

func TestWhatWasReceivedBeforeAnErrorIsStillReturned(t *testing.T) {
	t.Parallel()
	s, q := newServer(t, 15)
	enough := errors.New("enough")
	if err := q.Receive(t.Context(), 100, func(sqsqueue.Message) error { return enough }); !errors.Is(err, enough) || q.Held() != 10 {
		t.Errorf("%v, %d held", err, q.Held())
	}
	s.breaks("ReceiveMessage", "after") // five messages are hidden and nobody holds them: they come back by themselves
	if err := q.Receive(t.Context(), 100, nil); call.CodeOf(err) != sqsqueue.CodeQueueUnavailable {
		t.Error(err)
	}
	if err := q.Release(t.Context()); err != nil || len(s.visible()) != 10 {
		t.Errorf("%d came back: %v", len(s.visible()), err)
	}
	s.clock.now = s.clock.now.Add(sqsqueue.DefaultVisibility)
	if len(s.visible()) != 15 {
		t.Errorf("%d came back", len(s.visible()))
	}
}
