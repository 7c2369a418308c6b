package sqsqueue_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/ingress/sqsqueue"
)

func TestScenarioI28EntriesThatFailInsideASuccessAreRead(t *testing.T) {
	t.Parallel()
	for _, senders := range []bool{true, false} {
		s, q := newServer(t, 10)
		receive(t, q, 10)
		s.serviceFault = !senders
		s.clock.now = s.clock.now.Add(sqsqueue.DefaultVisibility * 3 / 4)
		s.hidden["m-002"] = time.Time{} // the third became visible: its entry fails, the answer is 200
		if err := q.Renew(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i := range 10 {
			id := fmt.Sprintf("m-%03d", i)
			if held := q.Holds(id); held != (i != 2) {
				t.Errorf("sender's fault %t: %s is held: %t", senders, id, held)
			}
		}
		if err := q.Delete(t.Context(), "m-002"); err == nil {
			t.Error("what is not held was deleted without a word")
		}
		if err := q.Delete(t.Context(), "m-003"); err != nil || len(s.bodies) != 9 {
			t.Errorf("its neighbor cannot be deleted: %v, %d left", err, len(s.bodies))
		}
	}
}

func TestScenarioI34EntriesOfABatchAreNumbered(t *testing.T) {
	t.Parallel()
	s, q := newServer(t, 12)
	receive(t, q, 12)
	s.clock.now = s.clock.now.Add(sqsqueue.DefaultVisibility + time.Second)
	receive(t, q, 12) // a message that was delivered again: its new handle replaces the old one
	if err := q.Release(t.Context()); err != nil || len(s.visible()) != 12 {
		t.Errorf("%v, %d of 12 came back", err, len(s.visible()))
	}
	if want := [][]string{numbers(10), numbers(2)}; !slices.EqualFunc(s.entries, want, slices.Equal) {
		t.Errorf("the entries of the batches are %q", s.entries)
	}
}

func numbers(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprint(i))
	}
	return all
}

// Waiting longer is a change of visibility, never a second message; and nothing is sent anew that FIFO's five minutes could swallow.
func TestScenarioI40I44NoMessageIsEverCopied(t *testing.T) {
	t.Parallel()
	s, q := newServer(t, 30)
	for range 3 {
		receive(t, q, 30)
		s.clock.now = s.clock.now.Add(sqsqueue.DefaultVisibility * 3 / 4)
		if err := q.Renew(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := q.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		if left := len(s.bodies); left != 30 {
			t.Fatalf("%d messages of 30", left)
		}
	}
	want := []string{"ChangeMessageVisibilityBatch", "GetQueueAttributes", "ReceiveMessage"}
	if asked := slices.Sorted(maps.Keys(s.asked)); !slices.Equal(asked, want) {
		t.Errorf("SQS was asked %q", asked)
	}
}
