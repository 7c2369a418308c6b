package scenariotest

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
)

func TestScenarioI7WithoutEnoughTimeNothingIsClaimedAndTheMessageStays(t *testing.T) {
	t.Parallel()
	play(t, setting{}, func(w *world) {
		for _, left := range []time.Duration{-time.Second, 0, time.Millisecond, 10 * time.Second} {
			ctx, cancel := context.WithTimeout(context.Background(), left)
			results := w.deliverWithin(ctx, batch(letter(1)))
			cancel()
			if !slices.Equal(returned(results), []string{"m-1"}) || results[0].Outcome.Met != call.MetNotStarted {
				t.Errorf("with %s left: met %s", left, results[0].Outcome.Met)
			}
		}
		if row := w.row(wish(1), 0); row.ID != "" || w.gate.count("before create") != 0 {
			t.Errorf("claimed: %v", row)
		}
		w.asked(0)
		w.met(w.send(wish(1)), call.MetPlaced, call.AckDone) // nothing of the earlier tries is in its way
		w.rang(1)
	})
}

func TestScenarioI8AnExpiredLeaseIsClaimedExactlyOnce(t *testing.T) {
	t.Parallel()
	play(t, setting{}, func(w *world) {
		w.killedAt("before dial", wish(1))
		time.Sleep(call.LeaseTime + 2*time.Second)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() { w.send(wish(1)) })
		}
		all.Wait()
		if c := w.stands(wish(1), call.Placed); c.AttemptCount != 2 {
			t.Errorf("%d attempts: the lease that had ended was claimed %d times", c.AttemptCount, c.AttemptCount-1)
		}
		w.rang(1)
		w.asked(1)
	})
}

// Times are instants with one unit, whatever is done with them: the lease ends at the nanosecond that was written.
func TestScenarioI8TimesKeepTheirUnitOnTheWayThroughTheLedger(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "second"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanosecond")).UTC()
		row := call.Begin("row").Apply(call.Event{Kind: call.EventAccepted, At: at, Opening: &call.Opening{Key: call.Key{Kind: call.KindVoice}}, Due: at})
		row = row.Apply(call.Intent(row, "a-1", []byte("body"), call.Target{}, at, ""))
		text, err := row.Encode()
		if err != nil {
			t.Fatal(err)
		}
		row, err = call.DecodeCall(text)
		if err != nil {
			t.Fatal(err)
		}
		p := call.Profile{}.WithDefaults()
		end := at.Add(call.LeaseTime)
		if step := call.Decide(row, p, end).Step; step != call.StepLater {
			t.Errorf("at the last instant of its lease the claim may be taken over: %s", step)
		}
		if claim := call.Decide(row, p, end); claim.Due.Sub(end) > time.Millisecond {
			t.Errorf("taken over %s after the lease ended", claim.Due.Sub(end))
		}
		if step := call.Decide(row, p, end.Add(time.Millisecond)).Step; step != call.StepSend {
			t.Errorf("after its lease the claim may not be taken over: %s", step)
		}
	})
}

func TestScenarioI14TheLeaseCountsFromTheClaimAndNotFromTheQueue(t *testing.T) {
	t.Parallel()
	play(t, setting{}, func(w *world) {
		waiting := letter(1)
		waiting.sent = time.Now()
		time.Sleep(2 * call.LeaseTime)
		w.gate.kill = "before dial"
		w.deliver(batch(waiting))
		claimed := time.Now()
		if open := w.stands(wish(1), call.Dialing).Open; len(open) != 1 || !open[0].LeaseEnd.Equal(claimed.Add(call.LeaseTime)) {
			t.Errorf("open attempts %v, claimed %s", open, claimed)
		}
		time.Sleep(call.LeaseTime - time.Second)
		w.deliver(batch(waiting))
		w.asked(0)
		time.Sleep(2 * time.Second)
		w.deliver(batch(waiting))
		w.rang(1)
	})
}

func TestScenarioI38V19ADuplicateRingsNothingHoweverLateItComes(t *testing.T) {
	t.Parallel()
	for _, reading := range []connectemu.Reading{connectemu.A1, connectemu.A1Prime} {
		play(t, setting{network: connectemu.Config{Reading: reading}}, func(w *world) {
			born := time.Now()
			first := message{id: "m-1", group: "g", body: wish(1).text()}
			w.deliver(batch(first))
			for i, after := range []time.Duration{5*time.Minute - time.Second, 5*time.Minute + time.Second, 6 * time.Minute, 7*day - time.Second, 7*day + time.Second, 30 * day} {
				time.Sleep(time.Until(born.Add(after)))
				again := first
				again.id = "m-again-" + after.String()
				results := w.deliver(batch(again))
				w.suppressed(results[0].Outcome, call.ReasonDuplicate, wish(1))
				if len(returned(results)) > 0 {
					t.Errorf("duplicate %d, after %s, stays on the queue", i, after)
				}
			}
			w.rang(1)
			w.asked(1)
		})
	}
}

func TestScenarioI86ADelayedFirstDeliveryIsAnsweredByItsOwnRetry(t *testing.T) {
	t.Parallel()
	play(t, setting{}, func(w *world) {
		original := letter(1)
		original.sent = time.Now()
		time.Sleep(time.Minute)
		w.met(w.sendAs("m-retry", wish(1)), call.MetPlaced, call.AckDone)
		time.Sleep(10 * time.Minute)
		w.suppressed(w.deliver(batch(original))[0].Outcome, call.ReasonDuplicate, wish(1))
		w.rang(1)
	})
}
