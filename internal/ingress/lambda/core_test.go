package lambda

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// both runs a story with a ledger and without one, in virtual time.
func both(t *testing.T, story func(t *testing.T, mode call.Mode)) {
	t.Helper()
	for _, mode := range []call.Mode{call.ModeNone, call.ModeLedger} {
		synctest.Test(t, func(t *testing.T) { story(t, mode) })
	}
}

func TestGoodPoisonGoodRingsTwiceAndReturnsThePoison(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, mode call.Mode) {
		w := newWorld(t, mode, newNetwork())
		document := queueBatch(t, standardQueue, messages(wish(1), `{"notificationId":"n-9"}`, wish(2))...)
		for range 3 { // until the queue gives the poison up
			equal(t, string(mode), invoke(t.Context(), t, w.Handler, document), "m-1")
		}
		if w.network.total() != 2 {
			t.Errorf("%s: %d rings for two requests", mode, w.network.total())
		}
	})
}

func TestDuplicatesInABatchRingOnceAndNoneOfThemIsReturned(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, mode call.Mode) {
		n := newNetwork()
		n.takes = time.Second
		w := newWorld(t, mode, n)
		var bodies []string
		for i := range 24 {
			bodies = append(bodies, wish(i%3))
		}
		report, err := w.Process(t.Context(), queueBatch(t, standardQueue, messages(bodies...)...))
		if err != nil {
			t.Fatal(err)
		}
		for _, result := range report.Results {
			if result.Outcome.Met != call.MetPlaced || !result.Acknowledged() || result.Outcome.ContactID == "" {
				t.Errorf("%s: %s got %+v", mode, result.Record.Path, result.Outcome)
			}
		}
		if n.total() != 3 || n.requests != 3 {
			t.Errorf("%s: %d rings and %d wire requests for three keys", mode, n.total(), n.requests)
		}
		if suppressed := len(w.log.all("suppressed")); suppressed != 21 {
			t.Errorf("%s: %d log lines for 21 suppressed deliveries", mode, suppressed)
		}
	})
}

func TestAnotherNumberForTheSameKeyInABatchNeverRings(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, mode call.Mode) {
		w := newWorld(t, mode, newNetwork())
		report, err := w.Process(t.Context(), queueBatch(t, standardQueue, messages(wish(1), elsewhere(1), wish(1), elsewhere(1))...))
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []call.Situation{call.MetPlaced, call.MetConflict, call.MetPlaced, call.MetConflict} {
			out := report.Results[i].Outcome
			if out.Met != want || out.Ack != call.Acknowledge(want, call.SourceSQS, mode, false) {
				t.Errorf("%s: record %d got %s, %s", mode, i, out.Met, out.Ack)
			}
		}
		if w.network.total() != 1 || len(w.network.rings) != 1 {
			t.Errorf("%s: rang %v", mode, w.network.rings)
		}
	})
}

func TestAfterAnEarlyStopRedeliveryRingsExactlyTheMissingOnes(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, mode call.Mode) {
		n := newNetwork()
		n.takes = 10 * time.Second
		w := newWorld(t, mode, n)
		w.Concurrency = 5
		all := messages()
		for i := range 50 {
			all = append(all, message{id: fmt.Sprintf("m-%d", i), body: wish(i)})
		}
		var ids []string
		for _, m := range all {
			ids = append(ids, m.id)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Second)
		defer cancel()
		response, err := w.Invoke(ctx, queueBatch(t, standardQueue, all...))
		kept := queueKeeps(response, err, ids)
		if n.total() != 20 || len(kept) != 30 {
			t.Fatalf("%s: %d rings, %d returned before the deadline", mode, n.total(), len(kept))
		}
		redelivered := slices.DeleteFunc(all, func(m message) bool { return !slices.Contains(kept, m.id) })
		equal(t, string(mode), invoke(t.Context(), t, w.Handler, queueBatch(t, standardQueue, redelivered...)))
		if n.total() != 50 || n.requests != 50 {
			t.Errorf("%s: %d rings and %d wire requests for 50 requests", mode, n.total(), n.requests)
		}
	})
}

func TestABatchThatIsRedeliveredAsAWholeRingsNothingTwice(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, mode call.Mode) {
		n := newNetwork()
		n.takes = 2 * time.Second
		w := newWorld(t, mode, n)
		var bodies []string
		for i := range 12 {
			bodies = append(bodies, wish(i))
		}
		document := queueBatch(t, standardQueue, messages(bodies...)...)
		for range 4 {
			equal(t, string(mode), invoke(t.Context(), t, w.Handler, document))
		}
		if n.total() != 12 {
			t.Errorf("%s: %d rings for 12 requests", mode, n.total())
		}
	})
}

func TestALostAnswerIsReturnedOrResolvedAndRingsOnce(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, mode call.Mode) {
		n := newNetwork()
		n.lose = func(attempt int) bool { return attempt == 1 }
		w := newWorld(t, mode, n)
		document := queueBatch(t, standardQueue, messages(wish(1))...)
		for range 3 {
			invoke(t.Context(), t, w.Handler, document)
			time.Sleep(30 * time.Second)
		}
		equal(t, string(mode), invoke(t.Context(), t, w.Handler, document))
		if n.total() != 1 {
			t.Errorf("%s: %d rings", mode, n.total())
		}
	})
}

func TestADialThatTheDeadlineCutsIsReturnedInTimeAndRingsOnce(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, mode call.Mode) {
		n := newNetwork()
		n.takes = time.Hour
		w := newWorld(t, mode, n)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		document := queueBatch(t, standardQueue, messages(wish(1))...)
		equal(t, string(mode), invoke(ctx, t, w.Handler, document), "m-0")
		if ctx.Err() != nil {
			t.Errorf("%s: the handler answered after its deadline", mode)
		}
		n.takes = time.Second
		time.Sleep(2 * time.Minute) // visibility timeout; the lease has ended
		equal(t, string(mode), invoke(t.Context(), t, w.Handler, document))
		if n.total() != 1 {
			t.Errorf("%s: %d rings", mode, n.total())
		}
	})
}

func TestAFIFOGroupOnTheRealCoreKeepsItsOrderAcrossRedelivery(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, mode call.Mode) {
		n := newNetwork()
		w := newWorld(t, mode, n)
		list := []message{{"g-1", "g", wish(1)}, {"g-2", "g", `{"notificationId":7}`}, {"g-3", "g", wish(3)}, {"h-1", "h", wish(4)}}
		equal(t, string(mode), invoke(t.Context(), t, w.Handler, queueBatch(t, fifoQueue, list...)), "g-2", "g-3")
		if n.total() != 2 {
			t.Errorf("%s: %d rings before the poison left the group", mode, n.total())
		}
		equal(t, string(mode), invoke(t.Context(), t, w.Handler, queueBatch(t, fifoQueue, list[2])))
		if n.total() != 3 {
			t.Errorf("%s: %d rings", mode, n.total())
		}
	})
}

func TestOneRequestThroughEverySourceRingsOnce(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, mode call.Mode) {
		w := newWorld(t, mode, newNetwork())
		dated := wish(1, `,"requestedAt":"1999-12-31T23:00:00Z"`) // synctest begins at the turn of the century
		for name, source := range everySource {
			if _, err := w.Invoke(t.Context(), source.document(t, published, dated)); err != nil {
				t.Errorf("%s, %s: %v", mode, name, err)
			}
		}
		if w.network.total() != 1 {
			t.Errorf("%s: %d rings", mode, w.network.total())
		}
	})
}

// TestTheNetworkCanRingTwice shows that the stories above would see a second ring: two keys for one number, and a random token.
func TestTheNetworkCanRingTwice(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, mode call.Mode) {
		token := 0
		w := newWorld(t, mode, newNetwork(), func(c *call.Config) {
			c.Token = func(call.TokenInput) (string, error) {
				token++
				return fmt.Sprintf("random-%d", token), nil
			}
		})
		document := queueBatch(t, standardQueue, messages(wish(1))...)
		for range 2 {
			invoke(t.Context(), t, w.Handler, document)
		}
		want := map[call.Mode]int{call.ModeNone: 2, call.ModeLedger: 1}[mode]
		if w.network.total() != want {
			t.Errorf("%s: %d rings with a random token, want %d", mode, w.network.total(), want)
		}
	})
}
