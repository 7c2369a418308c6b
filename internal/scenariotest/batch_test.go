package scenariotest

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

func TestScenarioI29AfterATimeoutInTheMiddleOfABatchOnlyTheMissingOnesRing(t *testing.T) {
	t.Parallel()
	oneByOne := func(c *app.Config) { c.Lambda.Concurrency = 5 }
	play(t, setting{config: oneByOne, faults: "slow(10s)"}, func(w *world) {
		var all []message
		for n := range 50 {
			all = append(all, letter(n))
		}
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Second)
		defer cancel()
		back := returned(w.deliverWithin(ctx, batch(all...)))
		if ctx.Err() != nil {
			t.Error("the handler did not answer before its deadline")
		}
		w.rang(20)
		if len(back) != 30 {
			t.Errorf("%d of 50 come back", len(back))
		}
		missing := slices.DeleteFunc(all, func(m message) bool { return !slices.Contains(back, m.id) })
		if back := returned(w.deliver(batch(missing...))); len(back) > 0 {
			t.Errorf("%q come back again", back)
		}
		w.rang(50)
		w.asked(50)
	})
}

func TestScenarioI32APoisonMessageComesBackAloneWithItsReason(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	play(t, setting{log: &log}, func(w *world) {
		poison := message{id: "m-poison", body: `{"notificationId":"n-9"}`}
		for count := 1; count <= 3; count++ { // until maxReceiveCount, when the queue moves it on
			poison.count = count
			results := w.deliver(batch(letter(1), poison, letter(2)))
			if back := returned(results); !slices.Equal(back, []string{"m-poison"}) {
				t.Errorf("%q come back", back)
			}
		}
		w.rang(2)
		w.asked(2)
	})
	reasons := 0
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, `"delivery":"m-poison"`) && strings.Contains(line, "recipientId") {
			reasons++
		}
	}
	if reasons != 3 {
		t.Errorf("the reason was recorded %d times for 3 receives:\n%s", reasons, log.String())
	}
}

func TestScenarioI35AFIFOGroupStopsAtItsFirstFailureAndOthersGoOn(t *testing.T) {
	t.Parallel()
	play(t, setting{faults: "throttle number=" + number(2) + " nth=1"}, func(w *world) {
		in := func(group string, n int) message {
			m := letter(n)
			m.group = group
			return m
		}
		list := []message{in("g", 1), in("g", 2), in("g", 3), in("h", 4)}
		if back := returned(w.deliver(batch(list...))); !slices.Equal(back, []string{"m-2", "m-3"}) {
			t.Errorf("%q come back", back)
		}
		if c := w.row(wish(3), 0); c.ID != "" {
			t.Errorf("the record after the failure was started: %v", c)
		}
		w.rang(2)
		time.Sleep(time.Minute)
		if back := returned(w.deliver(batch(list[1], list[2]))); len(back) > 0 {
			t.Errorf("%q come back again", back)
		}
		w.rang(4)
	})
}

func TestScenarioI37V14TransportIdsAreNoIdentity(t *testing.T) {
	t.Parallel()
	play(t, setting{}, func(w *world) {
		for i := range 3 { // a producer's retry is a message of its own: other ids everywhere
			w.sendAs(fmt.Sprintf("m-%d", i), wish(1))
			w.deliver(notification(fmt.Sprintf("s-%d", i), wish(1).text()))
			w.deliver([]byte(event(fmt.Sprintf("e-%d", i), wish(1)).text()))
		}
		w.rang(1)
		w.asked(1)
	})
	for _, volatile := range []string{"messageId", "receiptHandle", "id", "requestId", "timestamp", "date", "now"} {
		config := app.Config{Token: app.Token{Recipe: "template", Template: "{notificationId}-{recipientId}-{" + volatile + "}"}}
		if _, _, err := config.Recipe(t.Context(), app.Options{}); call.CodeOf(err) != call.CodeConfiguration {
			t.Errorf("a key of {%s}: %v", volatile, err)
		}
	}
}

func TestScenarioV38OneAlertForThreePeopleRingsThree(t *testing.T) {
	t.Parallel()
	play(t, setting{}, func(w *world) {
		var all []message
		for n := range 3 {
			all = append(all, message{id: fmt.Sprintf("m-%d", n), body: wish(n).with("notificationId", "alert-1").text()})
		}
		for range 2 {
			if back := returned(w.deliver(batch(all...))); len(back) > 0 {
				t.Errorf("%q come back", back)
			}
		}
		for n := range 3 {
			if rings := w.emu.RingsFor(number(n)); len(rings) != 1 {
				t.Errorf("person %d was rung %d times", n, len(rings))
			}
		}
	})
}

func TestScenarioV41TheOrderOfAListIsNoPartOfAnyKey(t *testing.T) {
	t.Parallel()
	play(t, setting{}, func(w *world) {
		var all []message
		for n := range 10 {
			all = append(all, letter(n))
		}
		w.deliver(batch(all...))
		slices.Reverse(all)
		for _, r := range w.deliver(batch(all...)) {
			if r.Outcome.Suppressed != call.ReasonDuplicate {
				t.Errorf("%s met %s", r.Record.Identity.Delivery, r.Outcome.Met)
			}
		}
		w.rang(10)
		w.asked(10)
	})
}

func TestScenarioV22ACampaignThatIsStartedAgainCallsOnlyTheNewNames(t *testing.T) {
	t.Parallel()
	play(t, setting{}, func(w *world) {
		list := func(n int) (all []message) {
			for i := range n {
				all = append(all, message{id: fmt.Sprintf("m-%d-%d", n, i), body: wish(i).with("notificationId", "campaign-7").text()})
			}
			return all
		}
		for _, run := range []struct{ names, already, rings int }{{20, 0, 20}, {20, 20, 20}, {23, 20, 23}} {
			already := 0
			for _, r := range w.deliver(batch(list(run.names)...)) {
				if r.Outcome.Suppressed == call.ReasonDuplicate {
					already++
				}
			}
			if already != run.already {
				t.Errorf("of %d names %d were already called, want %d", run.names, already, run.already)
			}
			w.rang(run.rings)
		}
	})
}

func TestScenarioV52OneBadNumberAmongFiveHundredFailsAtOnceAndAlone(t *testing.T) {
	t.Parallel()
	answering := map[string]connectemu.Fate{} // also those whose last digits say otherwise
	for n := range 500 {
		answering[number(n)] = connectemu.FateAnswers
	}
	s := setting{driver: "memory", faults: "refuse(InvalidParameterException) number=" + number(123), network: connectemu.Config{Phones: answering}}
	play(t, s, func(w *world) {
		var all []message
		for n := range 500 {
			all = append(all, letter(n))
		}
		began := time.Now()
		if back := returned(w.deliver(batch(all...))); len(back) > 0 {
			t.Errorf("%d come back", len(back))
		}
		w.stands(wish(123), call.Failed)
		w.sweepFor(day)
		w.rang(499)
		w.asked(500)
		if took := w.starts()[499].Time.Sub(began); took > time.Minute {
			t.Errorf("the others waited %s", took)
		}
	})
}
