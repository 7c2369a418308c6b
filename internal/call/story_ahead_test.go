package call_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// ahead is how far the clock of a producer may run ahead and still be believed.
const ahead = 4 * time.Minute

func TestARedeliveryFromAClockThatRunsAheadOpensNoFurtherRing(t *testing.T) {
	t.Parallel()
	for _, class := range []call.Class{call.ClassRefusedRequest, call.ClassOK} {
		w := newWorld(t)
		w.profile(window(time.Minute))
		if class == call.ClassRefusedRequest {
			w.phones.script = append(w.phones.script, says(class, "invalid_parameter"))
		}
		d := request("n", start.Add(ahead)) // later than the end of the ring that it opens, and than its window
		w.place(d)
		w.clock.advance(time.Second)
		if out := w.place(d); out.Suppressed == "" || out.Call.Ring != 0 {
			t.Errorf("after %s the same request opened ring %d", class, out.Call.Ring)
		}
		w.clock.advance(day)
		if out := w.place(d); out.Suppressed == "" || out.Call.Ring != 0 {
			t.Errorf("a day after %s the same request opened ring %d", class, out.Call.Ring)
		}
	}
}

func TestACancelIsDatedByItsProducerAndNotByItsTransport(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.phones.script = append(w.phones.script, says(call.ClassThrottled, "throttled"))
	w.place(request("n", start.Add(ahead))) // called directly: nothing but the producer's clock dates it
	d := cancel("n", start.Add(ahead+time.Second))
	d.FirstRequested = call.Stamp{At: start.Add(time.Second), Tier: call.TierPayload, From: "sqs.SentTimestamp"} // folded: the earliest
	w.canceled(d)
	w.state("n", 0, call.Canceled, "canceled")
	w.settle()
	w.clean(0)
}

func TestAnUndatedCancelReachesARequestThatIsDatedAhead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.phones.script = append(w.phones.script, says(call.ClassThrottled, "throttled"))
	w.place(request("n", start.Add(ahead)))
	w.canceled(cancel("n", time.Time{}))
	w.state("n", 0, call.Canceled, "canceled")
	w.outcome(w.place(request("n", start.Add(ahead))), call.MetCanceled, call.AckDone, call.ReasonCanceled)
	w.settle()
	w.clean(0)
}

func TestACancelNeedsNoProfile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.profiles = map[string]call.Profile{"alert": w.profiles[""]} // two profiles or more and no default: none for a cancel that names none
	w.canceled(cancel("n", start))
	w.profiles["alert"] = call.Profile{Name: "alert", Region: "r", InstanceID: "i", ContactFlowID: "flow", RequireDated: true}
	d := cancel("n", time.Time{})
	d.Request.Profile = "alert"
	w.canceled(d)
	w.clean(0)
}

func TestABeatOfTheFutureKeepsNoUnfinishedCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := w.store.Beat(context.Background(), start.Add(day)); err != nil {
		t.Fatal(err)
	}
	w.engine = w.start()
	w.phones.script = append(w.phones.script, says(call.ClassThrottled, "throttled"))
	w.outcome(w.place(request("n", start)), call.MetReceived, call.AckRetry, "")
}

func TestAnOldBodyThatIsRefusedDoesNotPauseTheProfileThatWasRepaired(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	old := w.profiles[""].ContactFlowID
	w.phones.script = append(w.phones.script, says(call.ClassAmbiguous, "http_502"), says(call.ClassAmbiguous, "http_502")) // the flow was there then
	w.place(request("old", start))
	w.phones.always = func(s call.Send) call.Answer {
		if bytes.Contains(s.Body, []byte(`"flow":"`+old+`"`)) {
			return call.Answer{Class: call.ClassRefusedSetup, Code: "resource_not_found"}
		}
		return w.phones.ring(s)
	}
	w.profile(func(p *call.Profile) { p.ContactFlowID = "another-flow" })
	w.clock.advance(time.Minute)
	w.sweep() // the stored bytes go out again and are refused
	w.outcome(w.place(request("new", start)), call.MetPlaced, call.AckDone, "")
	if n := w.heard("paused"); n > 0 {
		t.Errorf("the profile was paused %d times", n)
	}
}
