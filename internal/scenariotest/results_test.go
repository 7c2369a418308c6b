package scenariotest

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

func TestScenarioI61EachErrorEndsInItsOwnClassAndNoPassingOneIsKept(t *testing.T) {
	t.Parallel()
	for fault, want := range map[string]struct {
		first    call.State // after the first delivery
		reason   string     // why it waits
		repeated call.State // once Amazon Connect answers again
		rings    int
	}{
		"fail-500 nth=1":                               {call.Placed, "", call.Placed, 1}, // may have rung: the same token again, at once
		"throttle nth=1":                               {call.Received, "throttled", call.Placed, 1},
		"throttle(LimitExceededException)":             {call.Received, "throttled", call.Received, 0},
		"refuse(AccessDeniedException) nth=1":          {call.Received, "setup", call.Placed, 1},
		"refuse(DestinationNotAllowedException) nth=1": {call.Failed, "", call.Failed, 0},
		"refuse(OutboundContactNotPermittedException)": {call.Failed, "", call.Failed, 0},
		"refuse(InvalidParameterException) nth=1":      {call.Failed, "", call.Failed, 0},
		"refuse(ResourceNotFoundException) nth=1":      {call.Received, "setup", call.Placed, 1},
	} {
		play(t, setting{faults: fault}, func(w *world) {
			w.send(wish(1))
			c := w.stands(wish(1), want.first)
			if c.State == call.Received && c.DueReason != want.reason {
				t.Errorf("%s: waits for %q", fault, c.DueReason)
			}
			asked := len(w.starts())
			time.Sleep(20 * time.Minute)
			out := w.send(wish(1))
			w.stands(wish(1), want.repeated)
			w.rang(want.rings)
			if want.first == call.Failed { // stored, and replayed from the ledger
				w.suppressed(out, call.ReasonFailed, wish(1))
				w.asked(asked)
				if c.Code == "" || out.Code != c.Code {
					t.Errorf("%s: failed for %q, replayed as %q", fault, c.Code, out.Code)
				}
			}
		})
	}
}

func TestScenarioI62AnAnswerWithoutAResultIsFollowedToItsEndAndRunsNothingTwice(t *testing.T) {
	t.Parallel()
	for _, fault := range []string{"place-then-{} nth=1", "place-then-empty nth=1"} {
		play(t, setting{faults: fault}, func(w *world) {
			for range 3 {
				w.send(wish(1))
			}
			if c := w.stands(wish(1), call.Placed); c.ContactID == "" {
				t.Errorf("%s: placed without a contact id", fault)
			}
			w.rang(1)
			w.asked(2) // the lost answer and its resend; the duplicates send nothing
		})
	}
}

func TestScenarioI65OnlyPlacedCallsAreAnsweredFromMemory(t *testing.T) {
	t.Parallel()
	remember := func(c *app.Config) {
		n := 100
		c.Ledger.Remember = &n
	}
	play(t, setting{config: remember, window: "1h", faults: "throttle number=" + number(1) + " nth=1"}, func(w *world) {
		asks := func(request object) int {
			before := w.gate.count("get")
			w.send(request)
			return w.gate.count("get") - before
		}
		w.send(wish(1))
		if asks(wish(1)) == 0 {
			t.Error("a call that waits was answered from memory")
		}
		w.killedAt("after dial", wish(2))
		if asks(wish(2)) == 0 {
			t.Error("a call whose answer is open was answered from memory")
		}
		time.Sleep(2 * call.LeaseTime)
		w.send(wish(2)) // placed
		w.send(wish(2)) // seen to be placed
		if asks(wish(2)) != 0 {
			t.Error("the duplicate of a placed call asked the ledger")
		}
		// What an operator changes is seen: the next ring answers, and a request after the window is not taken for a duplicate.
		out := w.app.Engine.Recall(context.Background(), w.row(wish(2), 0).ID, call.Recall{Actor: "operator", Reason: "nobody answered"})
		if out.Met != call.MetPlaced {
			t.Errorf("the re-call met %s", out.Met)
		}
		w.met(w.send(wish(2)), call.MetPlaced, call.AckDone)
		time.Sleep(2 * time.Hour)
		w.met(w.send(dated(wish(2))), call.MetPlaced, call.AckDone)
		if c := w.row(wish(2), 2); c.State != call.Placed {
			t.Errorf("ring 2 is %v", c)
		}
	})
}

func TestScenarioI67EveryPathIsLoggedWithItsCallAndState(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	play(t, setting{log: &log, faults: "throttle number=" + number(2) + " nth=1"}, func(w *world) {
		paths := map[string]struct {
			request object
			state   call.State
		}{
			"first": {wish(1), call.Placed}, "replay": {wish(1), call.Placed}, "throttled": {wish(2), call.Received}, "in progress": {wish(2), call.Received},
			"conflict": {wish(1).with("profile", "alert"), call.Placed},
		}
		for _, path := range []string{"first", "replay", "throttled", "in progress", "conflict"} {
			log.Reset()
			w.sendAs("m-"+path, paths[path].request)
			logged := false
			for line := range strings.Lines(log.String()) {
				var said struct{ Call, State string }
				if err := json.Unmarshal([]byte(line), &said); err != nil {
					t.Fatal(err)
				}
				logged = logged || (said.Call == w.row(paths[path].request, 0).ID && said.State == string(paths[path].state))
			}
			if !logged {
				t.Errorf("%s: no line names the call and its state:\n%s", path, log.String())
			}
		}
	})
}

func TestScenarioI68EveryKindOfAnswerIsCounted(t *testing.T) {
	t.Parallel()
	play(t, setting{resend: "never", faults: "fail-500 number=" + number(3) + "; throttle number=" + number(2) + " nth=1"}, func(w *world) {
		w.sweep()
		w.send(wish(1))                                               // placed
		w.send(wish(1))                                               // replayed
		w.send(wish(1).with("destinationPhoneNumber", number(9)))     // mismatch
		w.send(wish(2))                                               // parked
		w.send(wish(2))                                               // in progress
		w.send(wish(3))                                               // unknown
		w.deliver(batch(message{id: "m-poison", body: `{"broken":`})) // unreadable
		w.sweepFor(2 * day)
		counts := map[string]int64{}
		for m, n := range w.app.Observer.Counts() {
			counts[m.What+" "+m.State+" "+m.Code+" "+m.Reason] += n
			if m.What == "suppressed" {
				counts["suppressed as "+m.Reason] += n
			}
			if m.What == "refused" && m.Code == string(call.CodeConflict) {
				counts["conflict"] += n
			}
			if m.What == string(call.EventDoubted) {
				counts["in doubt"] += n
			}
			if m.What == "unreadable" {
				counts["unreadable"] += n
			}
		}
		for _, counter := range []string{"suppressed as duplicate", "suppressed as in-progress", "conflict", "in doubt", "unreadable"} {
			if counts[counter] != 1 {
				t.Errorf("%q counted %d times in %v", counter, counts[counter], counts)
			}
		}
	})
}

func TestScenarioI76AReplySaysWhetherItIsAReplayAndOfWhat(t *testing.T) {
	t.Parallel()
	play(t, setting{}, func(w *world) {
		accepted := time.Now()
		for i, want := range []bool{false, true, true} {
			results := w.deliver([]byte(wish(1).text()))
			answer := results[0].Answer()
			if answer.Replayed != want || (answer.By != "") != want || answer.ContactID == "" || answer.CallID == "" {
				t.Errorf("answer %d: %+v", i, answer)
			}
			if c := results[0].Outcome.Call; c.AcceptedAt.Sub(accepted).Abs() > time.Second {
				t.Errorf("answer %d: first accepted %s", i, c.AcceptedAt)
			}
			time.Sleep(time.Hour)
		}
		w.rang(1)
	})
}
