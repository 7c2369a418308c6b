package scenariotest

import (
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

func TestScenarioI40ARedriveWithinFiveMinutesIsSeenAndRingsNothing(t *testing.T) {
	t.Parallel()
	play(t, setting{}, func(w *world) {
		w.deliver(batch(message{id: "m-1", group: "g", body: wish(1).text()}))
		time.Sleep(time.Minute)
		results := w.deliver(batch(message{id: "m-redriven", group: "g", body: wish(1).text()})) // a new message, the same business key
		w.suppressed(results[0].Outcome, call.ReasonDuplicate, wish(1))
		w.rang(1)
	})
}

func TestScenarioI41ARedriveAfterThirteenDaysRingsOnlyWhatNeverRang(t *testing.T) {
	t.Parallel()
	play(t, setting{faults: "throttle number=" + number(2) + " times=3"}, func(w *world) {
		w.met(w.send(wish(1)), call.MetPlaced, call.AckDone)
		for range 3 { // until the queue gives it up
			w.met(w.send(wish(2)), call.MetReceived, call.AckRetry)
			time.Sleep(2 * time.Minute)
		}
		time.Sleep(13 * day)
		w.suppressed(w.sendAs("m-redriven-1", wish(1)), call.ReasonDuplicate, wish(1))
		w.sendAs("m-redriven-2", wish(2))
		w.sendAs("m-redriven-3", wish(3)) // never reached the ledger
		if rings := len(w.emu.RingsFor(number(2))); rings != 1 {
			t.Errorf("what was never placed rang %d times: %v", rings, w.row(wish(2), 0))
		}
		w.rang(3)
	})
}

func TestScenarioV5ARedriveBesideTheOriginalRingsOnceAndIsListed(t *testing.T) {
	t.Parallel()
	play(t, setting{faults: "place-then-delay(8s) nth=1"}, func(w *world) {
		done := make(chan struct{})
		go func() { w.send(wish(1)); close(done) }()
		time.Sleep(time.Second)
		out := w.sendAs("m-redriven", wish(1))
		<-done
		w.suppressed(out, call.ReasonInProgress, wish(1))
		notes := w.notes(wish(1))
		if notes.Suppressed != 1 || len(notes.Kept) != 1 || notes.Kept[0].Delivery.ID != "m-redriven" {
			t.Errorf("listed: %+v", notes)
		}
		w.rang(1)
		w.asked(1)
	})
}

func TestScenarioV10AQueueThatCannotBeToldForAnHourRingsOnceAndIsCounted(t *testing.T) {
	t.Parallel()
	play(t, setting{}, func(w *world) {
		for range 60 {
			w.send(wish(1)) // DeleteMessage is refused: the message comes back every minute
			time.Sleep(time.Minute)
		}
		w.rang(1)
		if notes := w.notes(wish(1)); notes.Suppressed != 59 {
			t.Errorf("%d suppressions are counted for 60 deliveries", notes.Suppressed)
		}
	})
}

func TestScenarioV11ACallThatWaitsForHoursIsHeldInTheLedgerAndNotInTheQueue(t *testing.T) {
	t.Parallel()
	play(t, setting{config: paused}, func(w *world) {
		w.sweep()
		w.met(w.send(wish(1)), call.MetReceived, call.AckDone) // safely stored, so the queue may forget it
		for range 4 {                                          // another producer's visibility of 30 s
			time.Sleep(30 * time.Second)
			w.met(w.send(wish(1)), call.MetReceived, call.AckDone)
		}
		if c := w.row(wish(1), 0); c.DueReason != "paused" || c.Due.IsZero() {
			t.Errorf("held for %q until %s", c.DueReason, c.Due)
		}
		w.sweepFor(9 * time.Hour)
		w.asked(0)
		w.restart(func(*app.Config) {})
		w.sweepFor(10 * time.Minute)
		w.rang(1)
		w.asked(1)
	})
}

func TestScenarioV47AnOldBacklogIsListedAndNotDialed(t *testing.T) {
	t.Parallel()
	limited := func(c *app.Config) {
		paused(c)
		p := c.Profiles["alert"]
		p.Deadline = "6h"
		c.Profiles["alert"] = p
	}
	play(t, setting{config: limited}, func(w *world) {
		w.sweep()
		w.send(wish(1)) // accepted and held when everything was switched off
		old := wish(2).with("notAfter", time.Now().Add(time.Hour).UTC().Format(time.RFC3339))
		time.Sleep(60 * day)
		w.restart(func(*app.Config) {})
		w.met(w.send(old), call.MetExpired, call.AckDone)
		w.sweepFor(time.Hour)
		expired, _, err := w.app.Store.Index.List(w.Context(), call.Filter{States: []call.State{call.Expired}})
		if err != nil || len(expired) != 2 {
			t.Errorf("%d stale calls are listed: %v", len(expired), err)
		}
		w.asked(0)
	})
	play(t, setting{driver: "none"}, func(w *world) {
		old := wish(3).with("requestedAt", time.Now().UTC().Format(time.RFC3339))
		time.Sleep(60 * day)
		w.met(w.send(old), call.MetStale, call.AckRefuse)
		w.asked(0)
	})
}

func TestScenarioV59ACallThatIsHeldBeyondItsLimitExpires(t *testing.T) {
	t.Parallel()
	play(t, setting{config: paused}, func(w *world) {
		w.sweep()
		limited := wish(1).with("notAfter", time.Now().Add(3*time.Hour).UTC().Format(time.RFC3339))
		w.met(w.send(limited), call.MetReceived, call.AckDone)
		w.sweepFor(8 * time.Hour)
		if c := w.stands(limited, call.Expired); c.Code != "not_after" || c.Message == "" {
			t.Errorf("expired for %q: %q", c.Code, c.Message)
		}
		w.restart(func(*app.Config) {})
		w.suppressed(w.send(limited), call.ReasonExpired, limited)
		w.asked(0)
	})
}
