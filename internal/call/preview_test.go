package call_test

import (
	"context"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

func (w *world) previewed(p call.Preview, v call.Verdict, reason string, sameAs int) {
	w.t.Helper()
	if p.Verdict != v || p.Reason != reason || p.SameAs != sameAs {
		w.t.Errorf("previewed %s, %q, same as %d; want %s, %q, %d: %s", p.Verdict, p.Reason, p.SameAs, v, reason, sameAs, p.Outcome.Message)
	}
}

func TestAPreviewNamesTheCallThatAnswers(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), context.Background()
	placed := w.deliver(request("placed", start))
	w.profile(func(p *call.Profile) { p.Resend = call.ResendNever })
	w.phones.script = append(w.phones.script, w.phones.lost)
	w.place(request("lost", start))
	p := w.engine.Preview(ctx, request("placed", start))
	w.previewed(p, call.VerdictPlaced, call.ReasonDuplicate, 0)
	if p.Outcome.By != placed.Call.ID || p.Outcome.ContactID != placed.ContactID || p.Outcome.ContactID == "" {
		t.Errorf("answered by %q with contact %q", p.Outcome.By, p.Outcome.ContactID)
	}
	w.previewed(w.engine.Preview(ctx, request("lost", start)), call.VerdictDialing, call.ReasonInProgress, 0)
	w.phones.hidden = true
	w.settle()
	w.previewed(w.engine.Preview(ctx, request("lost", start)), call.VerdictInDoubt, call.ReasonInDoubt, 0)
	w.previewed(w.engine.Preview(ctx, request("new", start)), call.VerdictRing, call.ReasonNewKey, 0)
	other := request("placed", start)
	other.Request.Attributes = map[string]string{"language": "ja-JP"}
	w.previewed(w.engine.Preview(ctx, other), call.VerdictConflict, "", 0)
	w.clean(2)
}

func TestAPreviewTellsADueCallALostAnswerAndAForgottenDialApart(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), context.Background()
	w.phones.script = append(w.phones.script, says(call.ClassThrottled, "throttled"))
	w.place(request("due", start))
	w.previewed(w.engine.Preview(ctx, request("due", start)), call.VerdictHeld, call.ReasonInProgress, 0)
	w.clock.advance(time.Minute)
	w.previewed(w.engine.Preview(ctx, request("due", start)), call.VerdictRing, call.ReasonDue, 0)
	w.faults.fail, w.faults.mode = len(w.faults.names)+3, crashAfter // get, create, dial: the process dies with the answer
	w.place(request("lost", start))
	w.clock.advance(10 * time.Minute)
	p := w.engine.Preview(ctx, request("lost", start))
	w.previewed(p, call.VerdictResend, call.ReasonLostReply, 0)
	if !p.Looks {
		t.Error("the look for evidence is not announced")
	}
	if err := w.store.BeginRecovery(ctx, call.Recovery{Backup: w.clock.Now().Add(-time.Hour), Restored: w.clock.Now()}); err != nil {
		t.Fatal(err)
	}
	w.engine = w.start()
	w.previewed(w.engine.Preview(ctx, request("forgotten", start)), call.VerdictDialing, "", 0) // a forgotten dial may still be on its way
	w.clock.advance(2 * time.Minute)
	w.previewed(w.engine.Preview(ctx, request("forgotten", start)), call.VerdictResend, call.ReasonRestored, 0)
}

func TestAPreviewTellsALateRedeliveryFromARequestAfterTheWindow(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), context.Background()
	w.profile(func(p *call.Profile) { p.Window = call.Window{For: day} })
	w.deliver(request("a", start))
	w.clock.advance(2 * day)
	w.previewed(w.engine.Preview(ctx, request("a", start)), call.VerdictLate, call.ReasonLateRedelivery, 0)
	again := w.engine.Preview(ctx, request("a", w.clock.Now()))
	w.previewed(again, call.VerdictRing, string(call.CauseWindow), 0)
	if again.Outcome.Call.Ring != 1 || again.Outcome.ContactID != "" {
		t.Errorf("ring %d, contact %q", again.Outcome.Call.Ring, again.Outcome.ContactID)
	}
	limited := request("b", w.clock.Now())
	limited.Request.NotAfter = w.clock.Now().Add(-time.Second)
	w.previewed(w.engine.Preview(ctx, limited), call.VerdictExpired, "", 0)
	w.phones.script = append(w.phones.script, says(call.ClassRefusedRequest, "invalid_parameter"))
	w.place(request("c", w.clock.Now()))
	w.previewed(w.engine.Preview(ctx, request("c", w.clock.Now())), call.VerdictFailed, call.ReasonFailed, 0)
	w.clean(1)
}

func TestAPreviewOfACancelSaysWhetherItHangsUp(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), context.Background()
	w.deliver(request("a", start))
	if p := w.engine.Preview(ctx, cancel("a", start)); p.Verdict != call.VerdictCancel || !p.Stops {
		t.Errorf("previewed %s, hangs up %t", p.Verdict, p.Stops)
	}
	if p := w.engine.Preview(ctx, cancel("b", start)); p.Verdict != call.VerdictCancel || p.Stops {
		t.Errorf("previewed %s, hangs up %t", p.Verdict, p.Stops)
	}
	r := w.engine.Rehearse()
	w.previewed(r.Preview(ctx, cancel("b", start)), call.VerdictCancel, "", 0)
	w.previewed(r.Preview(ctx, request("b", start)), call.VerdictCanceled, call.ReasonCanceled, 1)
	w.clean(1)
}

func TestARehearsalRefusesAClashOfTokensWithinTheRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *call.Config) { c.Token = func(call.TokenInput) (string, error) { return "same", nil } })
	r := w.engine.Rehearse()
	w.previewed(r.Preview(context.Background(), request("a", start)), call.VerdictRing, call.ReasonNewKey, 0)
	p := r.Preview(context.Background(), request("b", start))
	if p.Verdict != call.VerdictRefused || p.Outcome.Code != call.CodeTokenTaken {
		t.Errorf("previewed %s (%s)", p.Verdict, p.Outcome.Code)
	}
}

func TestARehearsalWithoutALedgerSharesOneTokenAndRefusesAnotherBody(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), context.Background()
	r := w.direct().Rehearse()
	w.previewed(r.Preview(ctx, request("a", start)), call.VerdictRing, call.ReasonNoLedger, 0)
	w.previewed(r.Preview(ctx, request("a", start)), call.VerdictRepeat, call.ReasonDuplicate, 1)
	other := request("a", start)
	other.Request.Attributes = map[string]string{"language": "ja-JP"}
	w.previewed(r.Preview(ctx, other), call.VerdictConflict, "", 1)
	w.previewed(r.Preview(ctx, request("old", start.Add(-8*day))), call.VerdictStale, "", 0)
	w.previewed(r.Preview(ctx, cancel("a", start)), call.VerdictRefused, "", 1)
	w.previewed(w.direct().Preview(ctx, request("a", start)), call.VerdictRing, call.ReasonNoLedger, 0)
	w.clean(0)
}

func TestAnUnreadableLedgerIsPreviewedAsUnavailable(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.faults.fail, w.faults.mode = len(w.faults.names)+1, lostBefore
	w.previewed(w.engine.Preview(context.Background(), request("a", start)), call.VerdictUnavailable, "", 0)
}

// A configuration that cannot make the body of a call any more must not refuse the duplicates of calls that were placed.
func TestADuplicateIsAnsweredAlsoWhenItsBodyCannotBeMadeAnyMore(t *testing.T) {
	t.Parallel()
	for _, readFirst := range []bool{true, false} {
		w := newWorld(t, func(c *call.Config) { c.ReadFirst = readFirst })
		w.deliver(request("a", start))
		w.phones.prepare = func(call.Order) error { return &call.Error{Code: call.CodeFieldValue, Message: "No."} }
		w.outcome(w.place(request("a", start)), call.MetPlaced, call.AckDone, call.ReasonDuplicate)
		w.outcome(w.place(request("b", start)), call.MetRefused, call.AckRefuse, "")
		w.clean(1)
	}
}
