package scenariotest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

func TestScenarioI1ACallWhoseProcessDiedBeforeItsAnswerWasSavedRingsOnce(t *testing.T) {
	t.Parallel()
	play(t, setting{}, func(w *world) {
		w.killedAt("after dial", wish(1)) // Amazon Connect has accepted, nothing was saved
		before := w.stands(wish(1), call.Dialing)
		time.Sleep(call.LeaseTime + time.Second)
		w.met(w.send(wish(1)), call.MetPlaced, call.AckDone)
		after := w.stands(wish(1), call.Placed)
		if after.Token != before.Token || after.PinHash != before.PinHash || after.AcceptedAt != before.AcceptedAt || after.LastRing != 0 {
			t.Errorf("claimed anew: %v, then %v", before, after)
		}
		w.rang(1)
	})
}

func TestScenarioI2DuplicatesOfACallUnderWayTakeNothingFromIt(t *testing.T) {
	t.Parallel()
	play(t, setting{faults: "place-then-delay(8s) nth=1"}, func(w *world) {
		var slow sync.WaitGroup
		slow.Go(func() { w.met(w.sendAs("m-1", wish(1)), call.MetPlaced, call.AckDone) })
		time.Sleep(time.Second)
		before := w.stands(wish(1), call.Dialing)
		for _, id := range []string{"m-2", "m-3"} {
			out := w.sendAs(id, wish(1))
			w.suppressed(out, call.ReasonInProgress, wish(1))
			w.met(out, call.MetDialing, call.AckRetry) // no sweeper runs here
		}
		if after := w.row(wish(1), 0); after.Version != before.Version || len(after.Open) != 1 {
			t.Errorf("the duplicates changed the row from version %d to %d", before.Version, after.Version)
		}
		slow.Wait()
		w.rang(1)
		w.asked(1)
	})
}

func TestScenarioI4AClaimWithoutADeadlineIsTakenOverOnlyWhenItsLeaseEnds(t *testing.T) {
	t.Parallel()
	play(t, setting{}, func(w *world) {
		w.killedAt("before dial", wish(1)) // deliver has no deadline in its context, as a worker has none
		time.Sleep(call.LeaseTime - 2*time.Second)
		w.met(w.send(wish(1)), call.MetDialing, call.AckRetry)
		w.asked(0)
		time.Sleep(3 * time.Second)
		w.met(w.send(wish(1)), call.MetPlaced, call.AckDone)
		w.asked(1)
		w.rang(1)
	})
}

func TestScenarioI5EachOfAHundredConcurrentRequestsOwnsItsRecord(t *testing.T) {
	t.Parallel()
	everywhere(t, setting{}, func(w *world) {
		var all sync.WaitGroup
		for i := range 100 { // one notification and recipient: only the recallId tells them apart
			all.Go(func() {
				request := wish(7).with("recallId", fmt.Sprintf("r-%d", i)).with("attributes", object{"n": fmt.Sprint(i)})
				w.met(w.sendAs(fmt.Sprintf("m-%d", i), request), call.MetPlaced, call.AckDone)
			})
		}
		all.Wait()
		w.rang(100)
		for i := range 100 {
			c := w.stands(wish(7).with("recallId", fmt.Sprintf("r-%d", i)), call.Placed)
			contact, _ := w.emu.Contact(c.ContactID)
			if contact.Attributes["n"] != fmt.Sprint(i) || contact.Attributes["ringonceCallId"] != c.ID || contact.Token != c.Token {
				w.Errorf("request %d has the contact of another one", i)
			}
		}
	})
}

func TestScenarioI43I79SixtyFourDeliveriesAtOnceRingOnce(t *testing.T) {
	t.Parallel()
	everywhere(t, setting{}, func(w *world) {
		var all sync.WaitGroup
		for i := range 64 {
			all.Go(func() { w.sendAs(fmt.Sprintf("m-%d", i), wish(1)) })
		}
		all.Wait()
		w.stands(wish(1), call.Placed)
		w.rang(1)
		w.asked(1)
	})
}

func TestScenarioV4TwoHundredCallersAtOnceAreToldOneCall(t *testing.T) {
	t.Parallel()
	play(t, setting{}, func(w *world) {
		outs := make([]call.Outcome, 200)
		var all sync.WaitGroup
		for i := range outs {
			all.Go(func() { outs[i] = w.deliver([]byte(wish(1).text()))[0].Outcome }) // a direct invocation: its caller waits for the answer
		}
		all.Wait()
		first, id := 0, w.stands(wish(1), call.Placed).ID
		for _, out := range outs {
			switch {
			case !out.Replayed && out.Call.ID == id:
				first++
			case out.By != id || (out.Suppressed != call.ReasonDuplicate && out.Suppressed != call.ReasonInProgress):
				t.Errorf("a duplicate met %s, suppressed %q by %q", out.Met, out.Suppressed, out.By)
			}
		}
		if first != 1 {
			t.Errorf("%d of 200 were told that the call is theirs", first)
		}
		w.rang(1)
	})
}
