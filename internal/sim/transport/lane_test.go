package transport

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// names returns the messages of a delivery.
func names(d Delivery) string {
	var all []string
	for _, r := range d.Records {
		all = append(all, r.MessageID)
	}
	return strings.Join(all, " ")
}

func TestAGroupKeepsItsOrderAndIsBlockedWhileAPartIsInFlightOrReturned(t *testing.T) {
	t.Parallel()
	n := calm(Options{BatchSize: 3, MaxReceive: -1})
	for i, id := range []string{"a1", "a2", "b1", "a3", "a4", "b2"} {
		publish(t, n, Message{ID: id, Form: SQSFIFO, Group: id[:1]}, start.Add(time.Duration(i)*time.Microsecond))
	}
	blocked := map[string]time.Time{}
	var done []string
	for round := range 60 {
		now, waiting := n.Next()
		if !waiting {
			break
		}
		d, ok := n.Take(now)
		if !ok {
			continue
		}
		firsts := map[string]int{}
		for i, r := range d.Records {
			group := r.MessageID[:1]
			if now.Before(blocked[group]) {
				t.Fatalf("%s comes at %v, its group is blocked until %v", r.MessageID, now, blocked[group])
			}
			if _, seen := firsts[group]; !seen {
				firsts[group] = i
			}
		}
		if round%2 == 0 {
			answer(t, n, d, refusal(d), now)
			for group := range firsts {
				blocked[group] = now.Add(6 * time.Minute)
			}
			continue
		}
		answer(t, n, d, Response{}, now)
		for _, r := range d.Records {
			done = append(done, r.MessageID)
		}
	}
	for _, group := range []string{"a", "b"} {
		of := slices.DeleteFunc(slices.Clone(done), func(id string) bool { return id[:1] != group })
		if !slices.IsSorted(of) || len(of) != map[string]int{"a": 4, "b": 2}[group] {
			t.Errorf("group %s was done as %v", group, of)
		}
	}
}

func TestTheRestOfAGroupComesBackAfterItsFirstFailure(t *testing.T) {
	t.Parallel()
	n := calm(Options{})
	for _, id := range []string{"a", "b", "c"} {
		publish(t, n, Message{ID: id, Form: SQSFIFO}, start)
	}
	d, err := n.Force(start.Add(time.Second), "a", "b", "c")
	if err != nil {
		t.Fatal(err)
	}
	if ruling := answer(t, n, d, failing(d, 1, 2), start); !slices.Equal(ruling.Acknowledged, []bool{true, false, false}) {
		t.Fatalf("%+v", ruling)
	}
	again, now := mustNext(t, n)
	if !strings.HasPrefix("b c", names(again)) || now.Sub(start) < 6*time.Minute+time.Second {
		t.Errorf("%s at %v", names(again), now.Sub(start))
	}
}

func TestAFIFOQueueSwallowsADeduplicationIdForFiveMinutes(t *testing.T) {
	t.Parallel()
	for gap, deliveries := range map[time.Duration]int{5*time.Minute - time.Second: 1, 5*time.Minute + time.Second: 2} {
		n := calm(Options{})
		publish(t, n, Message{ID: "m", Form: SQSFIFO, Dedup: "chosen"}, start)
		d, now := mustNext(t, n)
		answer(t, n, d, Response{}, now)
		if err := n.Republish("m", start.Add(gap)); err != nil {
			t.Fatal(err)
		}
		count := 1
		for d, now, more := next(n); more; d, now, more = next(n) {
			count++
			answer(t, n, d, Response{}, now)
		}
		if count != deliveries {
			t.Errorf("sent again after %v: %d deliveries, want %d", gap, count, deliveries)
		}
	}
}

func TestAShardRetriesFromItsLowestFailedRecordUntilTheRecordExpires(t *testing.T) {
	t.Parallel()
	for _, form := range []Form{Kinesis, DynamoDB} {
		n := calm(Options{})
		for _, id := range []string{"a", "b", "c"} {
			publish(t, n, Message{ID: id, Form: form}, start)
		}
		d, err := n.Force(start.Add(time.Second), "a", "b", "c")
		if err != nil {
			t.Fatal(err)
		}
		read(t, d, start.Add(time.Second))
		if ruling := answer(t, n, d, failing(d, 1), start); !slices.Equal(ruling.Acknowledged, []bool{true, false, false}) {
			t.Fatalf("%s: %+v", form, ruling)
		}
		var last time.Time
		for d, now, more := next(n); more; d, now, more = next(n) {
			if !strings.HasPrefix("b c", names(d)) {
				t.Fatalf("%s: %s", form, names(d))
			}
			last = now
			answer(t, n, d, refusal(d), now)
		}
		if lived := last.Sub(start); lived < 23*time.Hour || lived > day || n.Counts().Expired != 2 || n.Counts().Deliveries > 1000 {
			t.Errorf("%s: retried until %v, %+v", form, lived, n.Counts())
		}
	}
}

func TestAStreamIsReadAgainUnderTheSameIdsAndTimes(t *testing.T) {
	t.Parallel()
	for _, form := range []Form{Kinesis, DynamoDB} {
		n := calm(Options{})
		publish(t, n, Message{ID: "m", Form: form}, start)
		d, now := mustNext(t, n)
		answer(t, n, d, Response{}, now)
		if err := n.Replay("m", start.Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		again, now := mustNext(t, n)
		if string(again.Document) != string(d.Document) || again.Records[0].Cause != CauseLate {
			t.Errorf("%s: %+v\n%s\n%s", form, again.Records[0], d.Document, again.Document)
		}
		answer(t, n, again, Response{}, now)
		if n.Replay("m", start.Add(25*time.Hour)) == nil {
			t.Errorf("%s: read again after its retention", form)
		}
	}
}
