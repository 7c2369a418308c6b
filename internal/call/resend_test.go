package call_test

import (
	"context"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

func resend(r call.Resend) func(*world) {
	return func(w *world) { w.profile(func(p *call.Profile) { p.Resend = r }) }
}

func TestALostAnswerIsResentWithTheSameTokenAndBytes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.phones.script = append(w.phones.script, w.phones.lost)
	w.outcome(w.place(request("n", start)), call.MetPlaced, call.AckDone, "")
	c := w.state("n", 0, call.Placed, "")
	if len(w.phones.dials) != 2 || w.phones.dials[0].Token != w.phones.dials[1].Token || c.Token != w.phones.dials[0].Token || w.phones.searches != 0 {
		t.Errorf("%d dials, %d searches", len(w.phones.dials), w.phones.searches)
	}
	w.clean(1)
}

func TestALostAnswerIsResentLaterOnlyAfterALook(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	slow := func(s call.Send) call.Answer { w.clock.advance(12 * time.Second); return w.phones.lost(s) }
	w.phones.script = append(w.phones.script, slow)
	w.place(request("n", start))
	if len(w.phones.dials) != 1 || w.phones.searches != 1 || w.row("n", 0).ContactFrom != "search" {
		t.Errorf("%d dials, %d searches", len(w.phones.dials), w.phones.searches)
	}
	w.clean(1)
}

func TestUnderA1PrimeTheTokenPolicyMayRingTwiceAndTheOracleSeesIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.phones.ends, w.phones.talk, w.phones.blind = true, 10*time.Second, true
	w.phones.script = append(w.phones.script, func(s call.Send) call.Answer {
		w.phones.lost(s)
		w.clock.advance(12 * time.Second)
		return call.Answer{Class: call.ClassAmbiguous}
	})
	w.place(request("n", start))
	if w.phones.total() != 2 {
		t.Fatalf("%d rings: the telephone cannot ring twice, so its count proves nothing", w.phones.total())
	}
	seen := false
	for _, b := range w.breaches() {
		seen = seen || b.Invariant == "I1"
	}
	if !seen {
		t.Error("two rings for one call and no breach of I1")
	}
}

func TestEvidenceWaitsForTheLongestCallAndThenSearches(t *testing.T) {
	t.Parallel()
	for _, rang := range []bool{true, false} {
		w := newWorld(t)
		resend(call.ResendEvidence)(w)
		w.phones.ends, w.phones.talk = true, time.Hour
		if rang {
			w.phones.script = append(w.phones.script, w.phones.lost)
		} else {
			w.phones.script = append(w.phones.script, says(call.ClassAmbiguous, "reset"))
		}
		w.outcome(w.place(request("n", start)), call.MetDialing, call.AckDone, "")
		if due := w.row("n", 0).Due.Sub(start); due != time.Minute+30*time.Minute+4*time.Hour {
			t.Errorf("due after %s", due)
		}
		w.settle()
		w.state("n", 0, call.Placed, "")
		w.clean(1)
	}
}

func TestEvidenceNeverResendsAfterASearchThatFailed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	resend(call.ResendEvidence)(w)
	w.phones.ends, w.phones.blind = true, true
	w.phones.script = append(w.phones.script, w.phones.lost)
	w.place(request("n", start))
	w.clock.advance(5 * time.Hour)
	for range 5 {
		w.sweep()
		w.clock.advance(time.Minute)
	}
	if len(w.phones.dials) != 1 {
		t.Errorf("%d dials without evidence", len(w.phones.dials))
	}
	w.phones.blind = false
	w.settle()
	w.state("n", 0, call.Placed, "")
	w.clean(1)
}

func TestNeverBecomesInDoubtAndLateEvidenceClosesIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	resend(call.ResendNever)(w)
	w.phones.hidden = true
	w.phones.script = append(w.phones.script, w.phones.lost)
	w.outcome(w.place(request("n", start)), call.MetDialing, call.AckDone, "")
	w.settle()
	c := w.state("n", 0, call.InDoubt, "resend_never")
	if w.phones.searches != 3 || c.Looks != 3 || len(w.phones.dials) != 1 {
		t.Errorf("%d searches, %d looks, %d dials", w.phones.searches, c.Looks, len(w.phones.dials))
	}
	w.outcome(w.place(request("n", start)), call.MetInDoubt, call.AckDone, call.ReasonInDoubt)
	w.clean(1)
	if _, err := w.engine.SawContact(context.Background(), call.Target{}, "contact-1"); err != nil {
		t.Fatal(err)
	}
	if c := w.state("n", 0, call.Placed, ""); c.ContactFrom != "event" || !c.PlacedAt.Equal(start) {
		t.Errorf("%+v", c)
	}
	w.clean(1)
}

func TestADoubtThatNothingDecidesStaysADoubt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	resend(call.ResendNever)(w)
	w.phones.blind = true
	w.phones.script = append(w.phones.script, says(call.ClassAmbiguous, "reset"))
	w.place(request("n", start))
	w.settle()
	w.clock.advance(400 * day)
	w.sweep()
	w.outcome(w.deliver(request("n", start.Add(399*day))), call.MetInDoubt, call.AckDone, call.ReasonInDoubt)
	w.state("n", 0, call.InDoubt, "resend_never")
	w.clean(0)
}

func TestAPersonClosesADoubtOnlyWithAContactThatIsConfirmed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	resend(call.ResendNever)(w)
	w.phones.hidden = true
	w.phones.script = append(w.phones.script, w.phones.lost)
	w.place(request("n", start))
	w.settle()
	w.place(request("m", w.clock.Now()))
	id := w.row("n", 0).ID
	for _, wrong := range []string{"contact-9", "contact-2"} {
		if _, err := w.engine.CloseDoubt(context.Background(), id, wrong, "ann", "she says so"); call.CodeOf(err) != call.CodeContactUnconfirmed {
			t.Errorf("%s: %v", wrong, err)
		}
	}
	if _, err := w.engine.Annotate(context.Background(), id, "she says it rang", "ann"); err != nil {
		t.Fatal(err)
	}
	w.state("n", 0, call.InDoubt, "resend_never")
	if _, err := w.engine.CloseDoubt(context.Background(), id, "contact-1", "ann", "she shows the contact"); err != nil {
		t.Fatal(err)
	}
	if c := w.state("n", 0, call.Placed, ""); c.ContactFrom != "person" {
		t.Errorf("%+v", c)
	}
	w.clean(2)
}

func TestARefusalAfterALostAnswerIsNotFailed(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		first func(*phones) func(call.Send) call.Answer
		state call.State
		code  call.Code
		rings int
	}{
		"it had rung":     {func(p *phones) func(call.Send) call.Answer { return p.lost }, call.Placed, "", 1},
		"it had not rung": {func(*phones) func(call.Send) call.Answer { return says(call.ClassAmbiguous, "reset") }, call.InDoubt, "refused_after_lost_answer", 0},
	} {
		w := newWorld(t)
		w.phones.script = append(w.phones.script, tc.first(w.phones))
		w.phones.script = append(w.phones.script, says(call.ClassRefusedRequest, "invalid_parameter"))
		w.outcome(w.place(request("n", start)), call.MetDialing, call.AckDone, "")
		if len(w.phones.dials) != 2 {
			t.Errorf("%s: %d dials", name, len(w.phones.dials))
		}
		w.settle()
		w.state("n", 0, tc.state, tc.code)
		if len(w.phones.dials) != 2 {
			t.Errorf("%s: dialed again after a refusal for good: %d dials", name, len(w.phones.dials))
		}
		w.clean(tc.rings)
	}
}

func TestTheLastRefusalOfADoubtFailsIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	resend(call.ResendNever)(w)
	w.phones.hidden = true
	var late func()
	w.phones.onDial = func(s call.Send) {
		w.phones.onDial = nil
		w.clock.advance(2 * time.Minute) // the worker sleeps; others move the call to in doubt
		w.settle()
		late = func() {}
	}
	w.place(request("n", start)) // the guard then stops the late attempt: not sent
	if late == nil {
		t.Fatal("nothing was dialed")
	}
	w.state("n", 0, call.Failed, "send_guard")
	w.clean(0)
}

func TestALostAnswerIsNotResentAfterNotAfter(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := request("n", start)
	d.Request.NotAfter = start.Add(10 * time.Second)
	w.phones.hidden = true
	w.phones.script = append(w.phones.script, func(s call.Send) call.Answer { w.clock.advance(15 * time.Second); return w.phones.lost(s) })
	w.place(d)
	w.settle()
	w.state("n", 0, call.InDoubt, "not_after")
	if len(w.phones.dials) != 1 {
		t.Errorf("%d dials", len(w.phones.dials))
	}
	w.clean(1)
}

func TestNotAfterBeforeAnyDialExpiresTheCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := request("late", start)
	d.Request.NotAfter = start.Add(-time.Second)
	w.outcome(w.place(d), call.MetExpired, call.AckDone, "")
	d = request("held", start)
	d.Request.NotAfter = start.Add(time.Minute)
	w.phones.script = append(w.phones.script, func(call.Send) call.Answer {
		return call.Answer{Class: call.ClassThrottled, RetryAfter: 2 * time.Minute}
	})
	w.place(d)
	w.settle()
	w.state("late", 0, call.Expired, "not_after")
	w.state("held", 0, call.Expired, "not_after")
	w.profile(func(p *call.Profile) { p.Deadline = time.Minute })
	w.phones.script = append(w.phones.script, func(call.Send) call.Answer {
		return call.Answer{Class: call.ClassThrottled, RetryAfter: 2 * time.Minute}
	})
	w.place(request("deadline", start))
	w.settle()
	w.state("deadline", 0, call.Expired, "not_after")
	w.clean(0)
}

func TestTheTokensAgeEndsEveryResend(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.phones.always = says(call.ClassAmbiguous, "internal_service")
	w.place(request("n", start))
	for w.clock.Now().Before(start.Add(8 * day)) {
		w.clock.advance(time.Hour)
		w.sweep()
	}
	w.settle()
	w.state("n", 0, call.InDoubt, "send_rule_end")
	for _, s := range w.phones.dials {
		if s.NotAfter.After(start.Add(call.TokenUse)) {
			t.Fatalf("a send may be signed until %s", s.NotAfter.Sub(start))
		}
	}
	w.clean(0)
}

func TestAThrottleThatOutlivesTheTokenGoesOnUnderTheNextRing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.phones.always = says(call.ClassThrottled, "throttled")
	w.place(request("n", start))
	w.clock.advance(call.TokenUse + time.Hour)
	w.phones.always = nil
	w.sweep()
	w.state("n", 0, call.Failed, "token-age")
	c := w.state("n", 1, call.Placed, "")
	if c.Cause != call.CauseTokenAge || c.Token == w.row("n", 0).Token || !c.RequestedAt.Equal(start) {
		t.Errorf("%+v", c)
	}
	w.outcome(w.deliver(request("n", start)), call.MetPlaced, call.AckDone, call.ReasonDuplicate)
	w.settle()
	w.clean(1)
}

func TestALaterRingWhoseTokenAgesGoesOnToo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.place(request("n", start))
	w.phones.always = says(call.ClassThrottled, "throttled")
	w.engine.Recall(context.Background(), w.row("n", 0).ID, call.Recall{Actor: "ann", Reason: "again"})
	w.clock.advance(call.TokenUse + time.Hour)
	w.phones.always = nil
	w.settle()
	w.state("n", 1, call.Failed, "token-age")
	w.state("n", 2, call.Placed, "")
	w.clean(2)
}

func TestAttemptsThatAreExhaustedFailTheCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.profile(func(p *call.Profile) { p.MaxAttempts = 3 })
	w.phones.always = says(call.ClassThrottled, "throttled")
	w.place(request("n", start))
	w.settle()
	w.state("n", 0, call.Failed, "attempts_exhausted")
	if len(w.phones.dials) != 3 {
		t.Errorf("%d dials", len(w.phones.dials))
	}
	w.clean(0)
}

func TestOneBadCredentialPausesTheProfileAndFailsNothing(t *testing.T) {
	t.Parallel()
	for _, answer := range []call.Answer{
		{Class: call.ClassRefusedSetup, Code: "access_denied"},   // Amazon Connect refuses it
		{Class: call.ClassNotSent, Code: call.CodeNoCredentials}, // there is none to send with
	} {
		badCredential(t, answer)
	}
}

func badCredential(t *testing.T, answer call.Answer) {
	t.Helper()
	w := newWorld(t)
	w.profile(func(p *call.Profile) { p.MaxAttempts = 2 })
	w.phones.always = says(answer.Class, answer.Code)
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		w.outcome(w.place(request(id, start)), call.MetReceived, call.AckDone, "")
	}
	if len(w.phones.dials) != 1 || w.heard("paused") != 1 {
		t.Errorf("%d dials and %d alarms for one bad credential", len(w.phones.dials), w.heard("paused"))
	}
	for w.clock.Now().Before(start.Add(6 * time.Hour)) {
		w.clock.advance(time.Minute)
		w.sweep()
	}
	for _, c := range w.rows() {
		if c.State != call.Received {
			t.Errorf("%s became %s (%s)", c.Key.NotificationID, c.State, c.Code)
		}
	}
	w.phones.always = nil
	w.settle()
	w.clean(5)
}

func TestAProfileThatIsRemovedPausesItsCalls(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.profiles["alert"] = w.profiles[""]
	d := request("n", start)
	d.Request.Profile = "alert"
	w.phones.script = append(w.phones.script, says(call.ClassThrottled, "throttled"))
	w.place(d)
	alert := w.profiles["alert"]
	delete(w.profiles, "alert")
	for range 20 {
		w.clock.advance(time.Minute)
		w.sweep()
	}
	if c := w.row("n", 0); c.State != call.Received || c.DueReason != "paused" || len(w.phones.dials) != 1 {
		t.Errorf("%s, %s", c.State, c.DueReason)
	}
	w.profiles["alert"] = alert
	w.settle()
	w.clean(1)
}

func TestABadRequestThatWaitsPausesNobodyElse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.phones.script = append(w.phones.script, says(call.ClassNotSent, "dns"))
	w.place(request("bad", start))
	bad := w.row("bad", 0).ID
	w.phones.prepare = func(o call.Order) error {
		if o.CallID == bad {
			return &call.Error{Code: call.CodeDestinationRefused, Message: "Not from here."}
		}
		return nil
	}
	w.clock.advance(time.Minute)
	w.sweep()
	w.state("bad", 0, call.Failed, call.CodeDestinationRefused)
	w.outcome(w.place(request("good", start)), call.MetPlaced, call.AckDone, "")
	w.clean(1)
}

func TestAResendNeedsNoConfigurationThatWorks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.phones.script = append(w.phones.script, w.phones.lost, says(call.ClassAmbiguous, "reset"))
	w.phones.hidden = true
	w.place(request("n", start))
	w.phones.prepare = func(call.Order) error { return &call.Error{Code: call.CodeConfiguration, Message: "No flow."} }
	w.settle()
	w.state("n", 0, call.Placed, "")
	w.clean(1)
}

func TestABrokenConfigurationHoldsCallsUntilItIsRepaired(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.phones.prepare = func(call.Order) error {
		return &call.Error{Code: call.CodeConfiguration, Field: "flow", Message: "No flow."}
	}
	w.outcome(w.place(request("n", start)), call.MetReceived, call.AckDone, "")
	w.outcome(w.place(request("m", start)), call.MetReceived, call.AckDone, "")
	for range 30 {
		w.clock.advance(time.Minute)
		w.sweep()
	}
	if w.heard("paused") == 0 {
		t.Error("nobody was told")
	}
	w.phones.prepare = nil
	w.settle()
	w.clean(2)
}

func TestAFalseAnswerOfTheDialerIsALostAnswer(t *testing.T) {
	t.Parallel()
	for _, answer := range []call.Answer{{Class: call.ClassOK}, {}, {Class: "fine"}} {
		w := newWorld(t)
		w.phones.script = append(w.phones.script, func(s call.Send) call.Answer { w.phones.ring(s); return answer })
		w.outcome(w.place(request("n", start)), call.MetPlaced, call.AckDone, "")
		w.clean(1)
	}
}
