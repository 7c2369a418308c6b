package call_test

import (
	"context"
	"testing"
	"time"

	"github.com/ringonce/ringonce/clienttoken"
	"github.com/ringonce/ringonce/internal/call"
)

// direct is a caller without a ledger on the same telephone network.
func (w *world) direct(change ...func(*call.Config)) *call.Direct {
	w.t.Helper()
	maker, err := clienttoken.New(clienttoken.Options{})
	if err != nil {
		w.t.Fatal(err)
	}
	c := call.Config{
		Dialer: w.phones, Clock: w.clock, Pacer: call.NewPace(0, 0), Observer: w, Random: w.random, Patience: time.Second,
		Profile: func(name string) (call.Profile, bool) { p, ok := w.profiles[name]; return p, ok },
		Token: func(in call.TokenInput) (string, error) {
			return maker.Token(clienttoken.Input{NotificationID: in.NotificationID, RecipientID: in.RecipientID, RecallID: in.RecallID, Ring: in.Ring})
		},
	}
	for _, f := range change {
		f(&c)
	}
	d, err := call.NewDirect(c, []call.Profile{w.profiles[""]})
	if err != nil {
		w.t.Fatal(err)
	}
	return d
}

func TestWithoutALedgerTheTokenAloneProtects(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.direct()
	ctx := context.Background()
	w.phones.script = append(w.phones.script, w.phones.lost)
	w.outcome(d.Place(ctx, request("n", start)), call.MetUnknown, call.AckRetry, "")
	w.outcome(d.Place(ctx, request("n", start)), call.MetPlaced, call.AckDone, "")
	w.clock.advance(5 * day)
	w.outcome(d.Place(ctx, request("n", start)), call.MetPlaced, call.AckDone, "")
	if w.phones.total() != 1 {
		t.Errorf("%d rings", w.phones.total())
	}
	token := w.phones.dials[0].Token
	for _, s := range w.phones.dials {
		if s.Token != token || s.NotAfter.After(start.Add(call.TokenUse)) {
			t.Errorf("%+v", s)
		}
	}
}

func TestWithoutALedgerEachAnswerGoesBackToTheSource(t *testing.T) {
	t.Parallel()
	for class, want := range map[call.Class]struct {
		met call.Situation
		ack call.Ack
	}{
		call.ClassAmbiguous: {call.MetUnknown, call.AckRetry}, call.ClassThrottled: {call.MetRetryLater, call.AckRetry},
		call.ClassNotSent: {call.MetRetryLater, call.AckRetry}, call.ClassRefusedSetup: {call.MetRetryLater, call.AckRetry},
		call.ClassRefusedRequest: {call.MetFailed, call.AckRefuse}, call.ClassOK: {call.MetUnknown, call.AckRetry}, "": {call.MetUnknown, call.AckRetry},
	} {
		w := newWorld(t)
		w.phones.always = says(class, "code") // accepted without a contact id is a lost answer
		w.outcome(w.direct().Place(context.Background(), request("n", start)), want.met, want.ack, "")
	}
}

func TestWithoutALedgerARequestMustBeYoungerThanTheToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.direct()
	ctx := context.Background()
	w.clock.advance(call.TokenUse)
	w.outcome(d.Place(ctx, request("edge", start)), call.MetPlaced, call.AckDone, "")
	w.clock.advance(1)
	out := d.Place(ctx, request("stale", start))
	w.outcome(out, call.MetStale, call.AckRefuse, "")
	if out.Code != call.CodeStale || out.Fix == "" {
		t.Errorf("%+v", out)
	}
	w.outcome(d.Place(ctx, undated("old hop")), call.MetStale, call.AckRefuse, "")
	bare := undated("bare")
	bare.FirstRequested = call.Stamp{}
	out = d.Place(ctx, bare)
	w.outcome(out, call.MetPlaced, call.AckDone, "")
	if !out.Undated || w.heard("undated") != 1 {
		t.Errorf("an undated dial is not counted: %+v", out)
	}
	w.profile(func(p *call.Profile) { p.RequireDated = true })
	if out := d.Place(ctx, bare); out.Code != call.CodeUndated || out.Ack != call.AckRefuse {
		t.Errorf("%+v", out)
	}
	if w.phones.total() != 2 {
		t.Errorf("%d rings", w.phones.total())
	}
}

func TestWithoutALedgerWhatNeedsOneIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := context.Background()
	if out := w.direct().Place(ctx, cancel("n", start)); out.Code != call.CodeNeedsLedger || out.Ack != call.AckRefuse {
		t.Errorf("%+v", out)
	}
	late := request("n", start)
	late.Request.NotAfter = start.Add(-1)
	w.outcome(w.direct().Place(ctx, late), call.MetExpired, call.AckRefuse, "")
	for name, p := range map[string]call.Profile{
		"evidence": {Resend: call.ResendEvidence}, "never": {Resend: call.ResendNever}, "window": {Window: call.Window{For: day}},
		"reopen": {WindowReopenAny: true}, "paused": {Paused: true},
	} {
		c := call.Config{
			Dialer: w.phones, Clock: w.clock, Pacer: busy{}, Observer: w, Random: w.random,
			Profile: func(string) (call.Profile, bool) { return p, true }, Token: func(call.TokenInput) (string, error) { return "t", nil },
		}
		if _, err := call.NewDirect(c, []call.Profile{p}); call.CodeOf(err) != call.CodeNeedsLedger {
			t.Errorf("%s: %v", name, err)
		}
		c.Token = nil
		if _, err := call.NewDirect(c, nil); call.CodeOf(err) != call.CodeConfiguration {
			t.Errorf("%s without a token recipe: %v", name, err)
		}
	}
	if len(w.phones.dials) != 0 {
		t.Error("something was dialed")
	}
}

func TestWithoutALedgerNothingIsDialedThatCannotBeAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.direct(func(c *call.Config) { c.Pacer = busy{time.Hour} })
	w.outcome(d.Place(context.Background(), request("n", start)), call.MetRetryLater, call.AckRetry, "")
	w.outcome(w.direct().Place(near{context.Background(), start.Add(time.Second)}, request("n", start)), call.MetRetryLater, call.AckRetry, "")
	w.phones.always = says(call.ClassRefusedSetup, "access_denied")
	d = w.direct()
	for range 5 {
		w.outcome(d.Place(context.Background(), request("n", start)), call.MetRetryLater, call.AckRetry, "")
	}
	if len(w.phones.dials) != 1 || w.heard("paused") != 1 {
		t.Errorf("%d dials with one bad credential", len(w.phones.dials))
	}
}
