package call_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// here is the instance of the world's profile.
var here = call.Target{Region: "r", InstanceID: "i"}

// picksUp reports the nth contact of the world, as the first block of its flow does.
func (w *world) picksUp(n int) call.CheckInAnswer {
	return w.checksIn(w.phones.contacts[n], call.CheckIn{})
}

// presses reports a key: 1 confirms and 9 opts out.
func (w *world) presses(n int, key string) call.CheckInAnswer {
	return w.checksIn(w.phones.contacts[n], call.CheckIn{Key: key, Confirms: key == "1", OptsOut: key == "9"})
}

func (w *world) checksIn(c call.Contact, q call.CheckIn) (answer call.CheckInAnswer) {
	w.t.Helper()
	q.Target, q.ContactID, q.CallID = here, c.ID, c.CallID
	var err error
	if !w.survive(func() { answer, err = w.engine.CheckIn(context.Background(), q) }) {
		return call.CheckInAnswer{}
	}
	if err != nil {
		w.t.Errorf("check-in: %v", err)
	}
	return answer
}

// tells fails the test when a flow was told something else.
func (w *world) tells(got call.CheckInAnswer, wanted bool, why string, confirmed bool) {
	w.t.Helper()
	if got.Wanted != wanted || got.Why != why || got.Confirmed != confirmed {
		w.t.Errorf("the flow is told wanted %t (%s), confirmed %t; want %t (%s), %t", got.Wanted, got.Why, got.Confirmed, wanted, why, confirmed)
	}
}

// effects names what an act does to the ledger and the telephone.
func (w *world) effects(act func()) string {
	w.faults.names = nil
	act()
	return strings.Join(w.faults.names, ", ")
}

func TestAFlowAdoptsAContactThatNobodyRecordedAndItsMessageIsPlayed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.phones.script = append(w.phones.script, func(s call.Send) call.Answer {
		w.phones.ring(s)
		panic(crash{}) // killed between the dial and its record
	})
	w.place(request("n", start))
	w.state("n", 0, call.Dialing, "")
	effects := w.effects(func() { w.tells(w.picksUp(0), true, "", false) })
	if effects != "get, update contact" {
		t.Errorf("a check-in that adopts does %s", effects)
	}
	c := w.state("n", 0, call.Placed, "")
	if c.ContactID != "contact-1" || c.ContactFrom != "check-in" || c.Sight == nil || !c.Sight.CheckedIn.Equal(w.clock.Now()) || !c.Sight.Confirmed.IsZero() {
		t.Errorf("%+v, %+v", c, c.Sight)
	}
	w.outcome(w.deliver(request("n", start)), call.MetPlaced, call.AckDone, call.ReasonDuplicate)
	w.settle()
	w.clean(1)
}

func TestAFlowEndsADoubt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ambiguousAnswer(call.ResendNever)(w)
	w.deliver(request("n", start))
	w.settle()
	w.state("n", 0, call.InDoubt, w.row("n", 0).Code)
	w.tells(w.picksUp(0), true, "", false)
	w.state("n", 0, call.Placed, "")
	w.clean(1)
}

func TestTheSameReportAgainWritesNothingAndGetsTheSameAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.deliver(request("n", start))
	acts := []struct {
		first string
		act   func() call.CheckInAnswer
	}{
		{"get, update seen", func() call.CheckInAnswer { return w.picksUp(0) }},
		{"get, update seen", func() call.CheckInAnswer { return w.presses(0, "5") }},
		{"get, update seen, update cancel-requested", func() call.CheckInAnswer { return w.presses(0, "1") }},
	}
	for _, a := range acts {
		var answers []call.CheckInAnswer
		for _, want := range []string{a.first, "get", "get"} {
			w.clock.advance(time.Second)
			if did := w.effects(func() { answers = append(answers, a.act()) }); did != want {
				t.Errorf("it does %s, want %s", did, want)
			}
		}
		if answers[0] != answers[1] || answers[1] != answers[2] || !answers[0].Wanted {
			t.Errorf("%+v", answers)
		}
	}
	if len(w.phones.stopped) != 0 || w.phones.searches != 0 {
		t.Errorf("Amazon Connect was asked: stopped %v, %d searches", w.phones.stopped, w.phones.searches)
	}
	w.clean(1)
}

func TestALateCancelIsHungUpByTheFlow(t *testing.T) {
	t.Parallel()
	for _, recorded := range []bool{true, false} {
		w := newWorld(t)
		if !recorded {
			w.phones.script = append(w.phones.script, w.phones.lost)
			resend(call.ResendNever)(w)
		}
		w.place(request("n", start))
		w.canceled(cancel("n", start.Add(time.Second)))
		for range 2 {
			w.clock.advance(time.Second)
			w.tells(w.picksUp(0), false, call.WhyCanceled, false)
		}
		if c := w.state("n", 0, call.Placed, ""); c.Sight.Unwanted.IsZero() || !c.Sight.Unwanted.Equal(c.Sight.CheckedIn) {
			t.Errorf("%+v", c.Sight)
		}
		w.clean(1)
	}
}

func TestACancelOfAnEarlierEpisodeDoesNotHangUpALaterRing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.canceled(cancel("n", start))
	w.clock.advance(time.Hour)
	w.deliver(request("n", start.Add(time.Minute)))
	w.state("n", 1, call.Placed, "")
	if did := w.effects(func() { w.tells(w.picksUp(0), true, "", false) }); did != "get, get, update seen" {
		t.Errorf("a check-in of a later ring does %s", did)
	}
	w.canceled(cancel("n", start.Add(2*time.Minute))) // only the first row of the key learns it
	w.tells(w.picksUp(0), false, call.WhyCanceled, false)
	w.clean(1)
}

func TestASecondContactOfACallIsHungUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.deliver(request("n", start))
	w.tells(w.picksUp(0), true, "", false)
	second := w.phones.contacts[0]
	second.ID = "contact-of-nobody"
	for range 2 {
		w.tells(w.checksIn(second, call.CheckIn{}), false, call.WhySecondContact, false)
	}
	w.tells(w.picksUp(0), true, "", false)
	if c := w.row("n", 0); !slices.Equal(c.Anomalies, []string{second.ID}) || w.heard("anomaly") == 0 {
		t.Errorf("anomalies %v", c.Anomalies)
	}
}

func TestACallThatWasRecordedAsFailedIsPlayedWhenItRingsAllTheSame(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.phones.script = append(w.phones.script, func(s call.Send) call.Answer {
		w.phones.ring(s)
		return call.Answer{Class: call.ClassRefusedRequest, Code: "invalid_parameter"} // a lie
	})
	w.deliver(request("n", start))
	w.state("n", 0, call.Failed, "invalid_parameter")
	for range 2 {
		w.tells(w.picksUp(0), true, call.WhyFailed, false)
	}
	second := w.phones.contacts[0]
	second.ID = "another"
	w.tells(w.checksIn(second, call.CheckIn{}), false, call.WhySecondContact, false)
	if w.heard("anomaly") == 0 {
		t.Error("nobody was paged")
	}
}

func TestAConfirmationStopsEveryFurtherRing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.profile(window(time.Minute))
	w.deliver(request("n", start))
	w.phones.script = append(w.phones.script, says(call.ClassThrottled, "throttled"))
	w.recall("n", 0)
	w.state("n", 1, call.Received, "throttled")
	w.clock.advance(time.Second)
	confirmed := w.clock.Now()
	w.tells(w.presses(0, "1"), true, "", true)
	w.clock.advance(time.Hour)
	w.tells(w.presses(0, "1"), true, "", true)
	first := w.row("n", 0)
	if !first.Acknowledged.Equal(confirmed) || !first.CanceledBefore.Equal(confirmed) || !first.Sight.Confirmed.Equal(confirmed) || !first.TooLate.IsZero() {
		t.Errorf("%+v, %+v", first, first.Sight)
	}
	w.state("n", 1, call.Canceled, "acknowledged")
	w.deliver(request("n", confirmed))
	w.settle()
	w.clean(1)
	w.outcome(w.deliver(request("n", confirmed.Add(time.Minute))), call.MetPlaced, call.AckDone, "") // a new episode
	w.clean(2)
}

func TestTheNextRingHearsThatTheOneBeforeConfirmed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.deliver(request("n", start))
	w.clock.advance(time.Second)
	w.recall("n", 0)
	w.clock.advance(time.Second)
	w.tells(w.presses(0, "1"), true, "", true)
	w.tells(w.picksUp(1), false, call.WhyAcknowledged, false)
	if got := len(w.phones.stopped); got != 0 {
		t.Errorf("%d contacts were stopped in the path of a key press", got)
	}
}

func TestAnsweredIsNotConfirmedAndAKeyThatDoesNotConfirmAcknowledgesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.deliver(request("n", start))
	w.tells(w.picksUp(0), true, "", false)
	w.tells(w.presses(0, "5"), true, "", false)
	c := w.row("n", 0)
	if !c.Sight.Confirmed.IsZero() || !c.Acknowledged.IsZero() || c.Sight.Key.Text != "5" {
		t.Errorf("%+v, %+v", c, c.Sight)
	}
}

func TestWithoutALedgerToAskTheMessageIsPlayedAndTheReportIsSpooled(t *testing.T) {
	t.Parallel()
	for _, confirms := range []bool{false, true} {
		w := newWorld(t)
		w.phones.script = append(w.phones.script, w.phones.lost)
		resend(call.ResendNever)(w)
		w.place(request("n", start))
		w.faults.names, w.faults.fail, w.faults.mode = nil, 1, lostBefore
		key := ""
		if confirms {
			key = "1"
		}
		answer := w.presses(0, key)
		w.tells(answer, true, call.WhyUnavailable, confirms)
		if len(w.spool.facts) != 1 || w.heard("check-in") != 1 || answer.OptedOut {
			t.Errorf("%d facts are spooled, %+v", len(w.spool.facts), answer)
		}
		w.sweep()
		c := w.state("n", 0, call.Placed, "")
		if c.ContactFrom != "check-in" || c.Sight.CheckedIn.IsZero() || c.Acknowledged.IsZero() == confirms {
			t.Errorf("%+v, %+v", c, c.Sight)
		}
		w.settle()
		w.clean(1)
	}
}

// TestASpooledReportOfAnotherInstanceIsNotBelievedEither: whoever may invoke the function from another instance could once confirm any call while the
// ledger was down.
func TestASpooledReportOfAnotherInstanceIsNotBelievedEither(t *testing.T) {
	t.Parallel()
	for from, believed := range map[call.Target]bool{here: true, {Region: "r", InstanceID: "another"}: false, {Region: "q", InstanceID: "i"}: false, {}: true} {
		w := newWorld(t)
		w.phones.script = append(w.phones.script, w.phones.lost)
		resend(call.ResendNever)(w)
		w.place(request("n", start))
		before := w.row("n", 0)
		w.faults.names, w.faults.fail, w.faults.mode = nil, 1, lostBefore
		q := call.CheckIn{Target: from, ContactID: w.phones.contacts[0].ID, CallID: before.ID, Key: "1", Confirms: true}
		if answer, err := w.engine.CheckIn(context.Background(), q); err != nil || answer.Why != call.WhyUnavailable || len(w.spool.facts) != 1 {
			t.Fatalf("%+v: %+v, %v, %d facts", from, answer, err, len(w.spool.facts))
		}
		w.restart()
		if err := w.engine.MergeSpool(context.Background()); err != nil {
			t.Fatal(err)
		}
		c := w.row("n", 0)
		if (c.State == call.Placed) != believed || c.Acknowledged.IsZero() == believed || (c.Version == before.Version) == believed || len(w.spool.facts) != 0 {
			t.Errorf("%+v: %s, acknowledged %s, version %d after %d, %d facts", from, c.State, c.Acknowledged, c.Version, before.Version, len(w.spool.facts))
		}
		if told := w.heard("fact-elsewhere"); (told == 0) != believed {
			t.Errorf("%+v: told %d times", from, told)
		}
		w.settle()
		w.clean(1)
	}
}

func TestWithoutALedgerAndASpoolAConfirmationIsNotClaimed(t *testing.T) {
	t.Parallel()
	for effect := 1; effect <= 3; effect++ {
		w := newWorld(t, func(c *call.Config) { c.Spool = nil })
		w.deliver(request("n", start))
		w.faults.names, w.faults.fail, w.faults.mode = nil, effect, outBefore
		w.tells(w.presses(0, "1"), true, map[bool]string{true: call.WhyUnavailable}[effect == 1], false)
		w.tells(w.presses(0, "1"), true, "", true) // the flow asks again
		if c := w.row("n", 0); c.Acknowledged.IsZero() || c.Sight.Confirmed.IsZero() {
			t.Errorf("effect %d: %+v", effect, c)
		}
		w.clean(1)
	}
}

func TestACheckInSurvivesEveryFault(t *testing.T) {
	t.Parallel()
	everyFault(t, "a flow that confirms", func(w *world) {
		resend(call.ResendNever)(w)
		w.phones.hidden = true
		w.phones.script = append(w.phones.script, w.phones.lost)
	}, func(w *world) {
		w.deliver(request("n", start))
		if len(w.phones.contacts) == 0 {
			w.settle()
			return
		}
		for range 3 { // a flow's invocation is repeated
			w.picksUp(0)
			w.presses(0, "1")
		}
		w.settle()
	}, func(w *world) {
		w.clean(min(1, w.phones.total()))
		if c := w.row("n", 0); len(w.phones.contacts) == 1 && (c.State != call.Placed || c.Acknowledged.IsZero() || c.Sight == nil || c.Sight.Confirmed.IsZero()) {
			w.t.Errorf("%s, acknowledged %s, %+v", c.State, c.Acknowledged, c.Sight)
		}
	})
}

func TestTwoCheckInsAtTheSameTimeAgree(t *testing.T) {
	t.Parallel()
	for effect := 1; effect <= 3; effect++ {
		w := newWorld(t)
		ambiguousAnswer(call.ResendNever)(w)
		w.place(request("n", start))
		w.faults.names = nil
		w.faults.at = map[int]func(){effect: func() { w.tells(w.presses(0, "1"), true, "", true) }}
		w.tells(w.presses(0, "1"), true, "", true)
		c := w.state("n", 0, call.Placed, "")
		if len(c.Anomalies) != 0 || c.Acknowledged.IsZero() {
			t.Errorf("before effect %d: %+v", effect, c)
		}
		w.clean(1)
	}
}

func TestACancelThatLandsDuringACheckInCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.deliver(request("n", start))
	w.faults.names = nil
	w.faults.at = map[int]func(){2: func() { w.canceled(cancel("n", start.Add(time.Second))) }}
	w.tells(w.picksUp(0), false, call.WhyCanceled, false)
	if c := w.row("n", 0); c.Sight.Unwanted.IsZero() {
		t.Errorf("%+v", c.Sight)
	}
}

func TestEveryOrderOfReportsGivesOneRow(t *testing.T) {
	t.Parallel()
	acts := []func(*world){
		func(w *world) { w.picksUp(0) },
		func(w *world) { w.presses(0, "1") },
		func(w *world) { w.presses(0, "1") },
		func(w *world) { _, _ = w.engine.SawContact(context.Background(), here, w.phones.contacts[0].ID) },
	}
	want := ""
	orders(len(acts), func(order []int) {
		w := newWorld(t)
		ambiguousAnswer(call.ResendNever)(w)
		w.place(request("n", start))
		for _, i := range order {
			acts[i](w)
		}
		c := w.state("n", 0, call.Placed, "")
		got := fmt.Sprint(c.ContactID, c.Acknowledged, *c.Sight, c.DueAt())
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("order %v gives %s, want %s", order, got, want)
		}
		w.clean(1)
	})
}

// orders calls f with every permutation of 0 to n-1.
func orders(n int, f func([]int)) {
	var extend func(order []int)
	extend = func(order []int) {
		if len(order) == n {
			f(order)
			return
		}
		for i := range n {
			if !slices.Contains(order, i) {
				extend(append(slices.Clone(order), i))
			}
		}
	}
	extend(nil)
}

func TestWhatIsNotOursIsPlayedAndNothingIsWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.deliver(request("n", start))
	id := w.row("n", 0).ID
	cases := map[string]call.CheckIn{
		call.WhyUnmarked:    {Target: here, ContactID: "c"},
		call.WhyUnknownCall: {Target: here, ContactID: "c", CallID: "nobody"},
		call.WhyElsewhere:   {Target: call.Target{Region: "r", InstanceID: "another"}, ContactID: "c", CallID: id},
	}
	for why, q := range cases {
		answer, err := w.engine.CheckIn(context.Background(), q)
		if w.tells(answer, true, why, false); err != nil {
			t.Error(err)
		}
	}
	if _, err := w.engine.CheckIn(context.Background(), call.CheckIn{CallID: id}); call.CodeOf(err) != call.CodeFieldMissing {
		t.Errorf("a check-in without a contact: %v", err)
	}
	if c := w.row("n", 0); c.Sight != nil || len(c.Anomalies) != 0 || len(w.spool.facts) != 0 {
		t.Errorf("%+v", c)
	}
	w.clean(1)
}

func TestAnOptOutIsHandedOnAndOnlyClaimedWhenItIsKept(t *testing.T) {
	t.Parallel()
	var kept []string
	var broken error
	hook := func(_ context.Context, c call.Call, at time.Time) error {
		kept = append(kept, c.Destination+" after "+at.Sub(start).String())
		return broken
	}
	w := newWorld(t)
	w.deliver(request("n", start))
	if answer := w.presses(0, "9"); answer.OptedOut || w.heard("opt-out-failed") != 1 {
		t.Errorf("without a list: %+v", answer)
	}
	w.engine = w.start(func(c *call.Config) { c.OptOut = hook })
	if answer := w.presses(0, "9"); !answer.OptedOut || answer.Confirmed || !slices.Equal(kept, []string{"+819000000001 after 0s"}) {
		t.Errorf("%+v, kept %v", answer, kept)
	}
	broken = errors.New("the list cannot be written")
	if answer := w.presses(0, "9"); answer.OptedOut || w.heard("opt-out-failed") != 2 {
		t.Errorf("with a broken list: %+v", answer)
	}
	if c := w.row("n", 0); !c.Acknowledged.IsZero() || c.Sight.Key.Text != "9" {
		t.Errorf("an opt-out acknowledged: %+v", c)
	}
}

func TestOfAForgottenRecipientNoKeyIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.deliver(request("n", start))
	contact := w.phones.contacts[0]
	w.forget()
	for range 2 {
		w.tells(w.checksIn(contact, call.CheckIn{Key: "1", Confirms: true}), false, call.WhyForgotten, true)
	}
	w.gone(1)
	w.clean(1)
}
