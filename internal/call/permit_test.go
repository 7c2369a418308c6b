package call_test

import (
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// gatekeeper denies every number while it is shut.
type gatekeeper struct {
	shut  bool
	asked []string // the producers that it was asked for
}

func (g *gatekeeper) permit(p call.Phone, producer string) error {
	g.asked = append(g.asked, producer)
	if !g.shut {
		return nil
	}
	return &call.Error{Code: call.CodeDestinationDenied, Field: "destinationPhoneNumber", Message: "The number " + p.String() + " may not be rung: it is premium."}
}

func guarded(t *testing.T) (*world, *gatekeeper) {
	t.Helper()
	g := &gatekeeper{}
	return newWorld(t, func(c *call.Config) { c.Permit = g.permit }), g
}

func TestADeniedNumberIsRefusedAndLeavesNoRow(t *testing.T) {
	t.Parallel()
	for _, readFirst := range []bool{true, false} {
		g := &gatekeeper{shut: true}
		w := newWorld(t, func(c *call.Config) { c.Permit, c.ReadFirst = g.permit, readFirst })
		out := w.place(request("n", start))
		if out.Met != call.MetRefused || out.Code != call.CodeDestinationDenied || out.Ack == call.AckDone {
			t.Errorf("%+v", out)
		}
		if rows, _, err := w.store.List(t.Context(), call.Filter{}); err != nil || len(rows) != 0 {
			t.Errorf("%d rows, %v", len(rows), err)
		}
		g.shut = false
		w.outcome(w.place(request("n", start)), call.MetPlaced, call.AckDone, "")
		w.clean(1)
	}
}

func TestADuplicateIsAnsweredByItsCallThoughItsNumberIsDeniedToday(t *testing.T) {
	t.Parallel()
	w, g := guarded(t)
	w.place(request("n", start))
	g.shut = true
	w.outcome(w.place(request("n", start)), call.MetPlaced, call.AckDone, call.ReasonDuplicate)
	w.clean(1)
}

func TestACallThatWaitedIsNotDialedOnceItsNumberIsDenied(t *testing.T) {
	t.Parallel()
	w, g := guarded(t)
	w.phones.always = throttledFor(time.Minute)
	w.place(request("n", start))
	w.phones.always, g.shut = nil, true
	w.clock.advance(2 * time.Minute)
	w.sweep()
	w.state("n", 0, call.Failed, call.CodeDestinationDenied)
	w.clean(0)
}

// A lost answer whose number is denied is neither sent again nor called failed: it may have rung.
func TestALostAnswerIsNotSentAgainOnceItsNumberIsDenied(t *testing.T) {
	t.Parallel()
	for _, rang := range []bool{true, false} {
		w, g := guarded(t)
		lost := w.phones.lost
		if !rang {
			lost = says(call.ClassAmbiguous, "timeout")
		}
		w.phones.hidden = true
		w.phones.script = append(w.phones.script, lost, lost)
		w.place(request("n", start))
		dials := 0
		w.phones.onDial = func(call.Send) { dials++ }
		g.shut = true
		w.clock.advance(5 * time.Minute)
		w.sweep()
		if c := w.row("n", 0); c.State != call.Dialing || c.DueReason != string(call.CodeDestinationDenied) || dials != 0 {
			t.Errorf("rang %t: %s, waits for %s, %d dials", rang, c.State, c.DueReason, dials)
		}
		g.shut = false
		w.clock.advance(2 * time.Hour)
		w.sweep()
		w.state("n", 0, call.Placed, "")
		w.clean(1)
	}
}

func TestARecallOfADeniedNumberFailsWithoutADial(t *testing.T) {
	t.Parallel()
	w, g := guarded(t)
	w.place(request("n", start))
	g.shut = true
	w.recall("n", 0)
	w.settle()
	w.state("n", 1, call.Failed, call.CodeDestinationDenied)
	w.clean(1)
}

func TestADeniedNumberIsPreviewedAsRefused(t *testing.T) {
	t.Parallel()
	w, g := guarded(t)
	g.shut = true
	if p := w.engine.Preview(t.Context(), request("n", start)); p.Verdict != call.VerdictRefused || p.Outcome.Code != call.CodeDestinationDenied {
		t.Errorf("%+v", p)
	}
	w.clean(0)
}

func TestWithoutALedgerADeniedNumberIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	g := &gatekeeper{shut: true}
	d := w.direct(func(c *call.Config) { c.Permit = g.permit })
	if out := d.Place(t.Context(), request("n", start)); out.Met != call.MetRefused || out.Code != call.CodeDestinationDenied {
		t.Errorf("%+v", out)
	}
	if w.phones.total() != 0 {
		t.Error("it rang")
	}
}

// Each question names the producer of the request, also the one for a call that waited, for its re-call, and
// without a ledger.
func TestEveryQuestionForANumberNamesItsProducer(t *testing.T) {
	t.Parallel()
	w, g := guarded(t)
	of := func(notification string) call.Delivery {
		d := request(notification, start)
		d.Producer = "queue"
		return d
	}
	w.phones.always = throttledFor(time.Minute)
	w.place(of("n"))
	w.phones.always = nil
	w.clock.advance(2 * time.Minute)
	w.sweep()
	w.recall("n", 0)
	w.settle()
	w.direct(func(c *call.Config) { c.Permit = g.permit }).Place(t.Context(), of("direct"))
	if len(g.asked) < 4 {
		t.Errorf("it was asked %d times, want at least 4", len(g.asked))
	}
	for n, producer := range g.asked {
		if producer != "queue" {
			t.Errorf("question %d is for the producer %q", n, producer)
		}
	}
}
