package scenariotest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// near are two integers that one float64 stands for.
var near = []string{"9007199254740993", "9007199254740992"}

func TestScenarioI46LargeIntegersAreNeverRounded(t *testing.T) {
	t.Parallel()
	play(t, setting{}, func(w *world) {
		for i, id := range near { // as text, which is what an id is
			w.met(w.sendAs(fmt.Sprintf("m-%d", i), wish(1).with("notificationId", id)), call.MetPlaced, call.AckDone)
		}
		w.rang(2)
		nested := wish(2).with("attributes", object{"order": near[0]})
		w.met(w.send(nested), call.MetPlaced, call.AckDone)
		w.met(w.send(nested.with("attributes", object{"order": near[1]})), call.MetConflict, call.AckDone)
		for _, member := range []string{"notificationId", "recipientId", "recallId"} { // as a number it is refused and not read as another one
			out := w.send(wish(3).with(member, json.RawMessage(near[0])))
			if out.Ack != call.AckRefuse || !strings.Contains(out.Message, member) {
				t.Errorf("%s as a number: %s, %q", member, out.Met, out.Message)
			}
		}
		out := w.send(wish(3).with("attributes", object{"order": json.RawMessage(near[0])}))
		if out.Ack != call.AckRefuse || !strings.Contains(out.Message, "attributes") {
			t.Errorf("an attribute as a number: %s, %q", out.Met, out.Message)
		}
		w.rang(3)
	})
}

func TestScenarioI50AMismatchIsSeenOnEveryPath(t *testing.T) {
	t.Parallel()
	remember := func(c *app.Config) {
		n := 100
		c.Ledger.Remember = &n
	}
	everywhere(t, setting{config: remember, faults: "throttle number=" + number(1) + " nth=1; refuse number=" + number(3)}, func(w *world) {
		other := func(n int) { // the same key, another number
			w.Helper()
			out := w.sendAs("m-other", wish(n).with("destinationPhoneNumber", number(77)))
			w.met(out, call.MetConflict, call.AckDone)
			if out.By == "" || out.Code != call.CodeConflict || strings.Contains(out.Message, number(n)) || strings.Contains(out.Message, number(77)) {
				w.Errorf("refused with %s %q by %q", out.Code, out.Message, out.By)
			}
		}
		w.met(w.send(wish(1)), call.MetReceived, call.AckRetry)
		other(1) // waiting
		w.killedAt("after dial", wish(2))
		other(2) // in progress
		time.Sleep(2 * call.LeaseTime)
		other(2) // its lease has ended
		w.met(w.send(wish(2)), call.MetPlaced, call.AckDone)
		w.met(w.send(wish(2)), call.MetPlaced, call.AckDone) // from the memory of the process
		other(2)
		w.restart(nil)
		other(2) // from a cold start
		w.met(w.send(wish(3)), call.MetFailed, call.AckDone)
		other(3)
		w.met(w.send(wish(1)), call.MetPlaced, call.AckDone)
		if rings := len(w.emu.RingsFor(number(77))); rings != 0 {
			w.Errorf("the other number rang %d times", rings)
		}
		w.rang(2)
	})
}

func TestScenarioI52AfterAColdStartAnIdenticalRetryIsAReplay(t *testing.T) {
	t.Parallel()
	everywhere(t, setting{}, func(w *world) {
		w.met(w.send(wish(1).with("attributes", object{"language": "ja-JP"})), call.MetPlaced, call.AckDone)
		for range 2 {
			w.restart(nil)
			out := w.send(wish(1).with("attributes", object{"language": "ja-JP"}))
			w.met(out, call.MetPlaced, call.AckDone)
			w.suppressed(out, call.ReasonDuplicate, wish(1))
		}
		w.rang(1)
	})
}

func TestScenarioI53KeyAndFingerprintAreReadAlikeFromEveryEnvelope(t *testing.T) {
	t.Parallel()
	play(t, setting{}, func(w *world) {
		request := wish(1).with("attributes", object{"text": `{"nested":"JSON in a text"}`, "quoted": `say "hello"`})
		rows, fingerprints := map[string]bool{}, map[string]bool{}
		documents := wrapped(request)
		documents["with members that we ignore"] = []byte(request.with("traceId", "t-1").text())
		for name, document := range documents {
			results := w.deliver(document)
			row, fingerprint, err := w.app.Engine.Key(call.Delivery{Request: results[0].Record.Delivery.Request, Source: call.SourceSQS})
			if err != nil || results[0].Outcome.Met != call.MetPlaced {
				t.Errorf("%s: met %s, %v", name, results[0].Outcome.Met, err)
			}
			rows[row], fingerprints[fingerprint] = true, true
		}
		if len(rows) != 1 || len(fingerprints) != 1 {
			t.Errorf("one request has %d keys and %d fingerprints", len(rows), len(fingerprints))
		}
		w.rang(1)
	})
}

func TestScenarioI56AListIsNoKeyAndSaysSo(t *testing.T) {
	t.Parallel()
	play(t, setting{}, func(w *world) {
		for _, member := range []string{"notificationId", "recipientId", "recallId"} {
			out := w.send(wish(1).with(member, []string{"a", "b"}))
			if out.Ack != call.AckRefuse || !strings.Contains(out.Message, member) || strings.Contains(out.Message, "missing") {
				t.Errorf("%s as a list: %s, %q", member, out.Met, out.Message)
			}
		}
		w.asked(0)
		w.met(w.send(wish(1)), call.MetPlaced, call.AckDone)
		w.met(w.send(wish(1).with("recallId", "r-1")), call.MetPlaced, call.AckDone) // a key of one part more
		w.suppressed(w.send(wish(1)), call.ReasonDuplicate, wish(1))
		w.rang(2)
	})
}

func TestScenarioI80AnotherRequestUnderAUsedKeyLeavesTheFirstUntouched(t *testing.T) {
	t.Parallel()
	two := func(c *app.Config) { c.Profiles["other"] = c.Profiles["alert"] }
	play(t, setting{config: two}, func(w *world) {
		w.killedAt("before dial", wish(1))
		before := w.row(wish(1), 0)
		w.met(w.send(wish(1).with("profile", "other")), call.MetConflict, call.AckDone)
		w.met(w.send(wish(1).with("attributes", object{"language": "en-US"})), call.MetConflict, call.AckDone)
		if after := w.row(wish(1), 0); after.Version != before.Version || after.Fingerprint != before.Fingerprint {
			t.Errorf("the first call moved from version %d to %d", before.Version, after.Version)
		}
		time.Sleep(2 * call.LeaseTime)
		w.met(w.send(wish(1)), call.MetPlaced, call.AckDone)
		w.rang(1)
	})
}

func TestScenarioI82AnotherPhoneUnderAUsedKeyIsRefusedAndACrashRingsOnce(t *testing.T) {
	t.Parallel()
	play(t, setting{}, func(w *world) {
		w.killedAt("after dial", wish(1))
		w.met(w.send(wish(1).with("destinationPhoneNumber", number(2))), call.MetConflict, call.AckDone)
		time.Sleep(2 * call.LeaseTime)
		w.met(w.send(wish(1)), call.MetPlaced, call.AckDone)
		w.met(w.send(wish(1).with("destinationPhoneNumber", number(2))), call.MetConflict, call.AckDone)
		w.rang(1)
		if rings := w.emu.RingsFor(number(2)); len(rings) != 0 {
			t.Error("the other phone rang")
		}
	})
}

func TestScenarioI83V40AnExpressionThatFindsNothingIsAnErrorAndNoKey(t *testing.T) {
	t.Parallel()
	template := func(text string) func(*app.Config) {
		return func(c *app.Config) { c.Token = app.Token{Recipe: "template", Template: text} }
	}
	play(t, setting{config: template("{notificationId}-{recipientId}-{recallId}")}, func(w *world) {
		for range 2 { // at its first event, and at every other one
			out := w.send(wish(1))
			if out.Ack != call.AckRefuse || !strings.Contains(out.Message, "recallId") || out.Code != call.CodeTokenInvalid {
				t.Errorf("%s to the queue: %s %q", out.Ack, out.Code, out.Message)
			}
		}
		w.asked(0)
		w.met(w.send(wish(1).with("recallId", "2026-11-29")), call.MetPlaced, call.AckDone)
	})
	var c app.Config
	template("{notificationId}-{recipientId}-{dat}")(&c) // a name that nothing has: at the start
	if _, _, err := c.Recipe(t.Context(), app.Options{}); call.CodeOf(err) != call.CodeConfiguration {
		t.Errorf("an unknown name: %v", err)
	}
}

func TestScenarioI77TheKeyDoesNotKnowTheTime(t *testing.T) {
	t.Parallel()
	play(t, setting{}, func(w *world) {
		keys := map[string]bool{}
		for range 50 {
			time.Sleep(7*time.Hour + 13*time.Second)
			out := w.send(wish(1))
			row, fingerprint, err := w.app.Engine.Key(call.Delivery{
				Request: call.Request{NotificationID: "n-1", RecipientID: "user-1", Destination: out.Call.Phone()}, Source: call.SourceSQS,
			})
			if err != nil {
				t.Fatal(err)
			}
			keys[row+fingerprint+out.Call.Token] = true
		}
		if len(keys) != 1 {
			t.Errorf("%d keys in 50 presses", len(keys))
		}
		w.rang(1)
	})
}
