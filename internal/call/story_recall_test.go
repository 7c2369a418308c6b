package call_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// recall is an operator's click on a ring of a key.
func (w *world) recall(notification string, ring int) call.Outcome {
	w.t.Helper()
	id := w.row(notification, ring).ID
	out := call.Outcome{Ack: call.AckRetry, Met: call.MetUnavailable}
	w.survive(func() {
		out = w.engine.Recall(context.Background(), id, call.Recall{Actor: "ann", Reason: "she asked"})
	})
	return out
}

func TestADoubleClickMakesOneRing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.place(request("n", start))
	var second call.Outcome
	w.phones.onDial = func(call.Send) { w.phones.onDial = nil; second = w.recall("n", 0) }
	if out := w.recall("n", 0); out.Met != call.MetPlaced {
		t.Errorf("%+v", out)
	}
	if second.Met != call.MetRefused || second.Code != call.CodeRingMoved {
		t.Errorf("the second click: %+v", second)
	}
	if out := w.recall("n", 0); out.Code != call.CodeRingMoved {
		t.Errorf("a click on the old ring: %+v", out)
	}
	if out := w.recall("n", 1); out.Met != call.MetPlaced {
		t.Errorf("a click on the newest ring: %+v", out)
	}
	c := w.row("n", 2)
	if c.Cause != call.CauseOperator || w.row("n", 0).LastRing != 2 {
		t.Errorf("%+v", c)
	}
	w.clean(3)
}

func TestWhatCannotBeCalledAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.phones.script = append(w.phones.script, says(call.ClassThrottled, "throttled"))
	w.place(request("n", start))
	if out := w.recall("n", 0); out.Code != call.CodeNotFinal {
		t.Errorf("received: %+v", out)
	}
	w.place(cancel("gone", start))
	if out := w.recall("gone", 0); out.Code != call.CodeCanceledBeforeCall {
		t.Errorf("tombstone: %+v", out)
	}
	id := w.row("n", 0).ID
	if out := w.engine.Recall(context.Background(), id, call.Recall{Actor: "ann"}); out.Code != call.CodeReasonMissing {
		t.Errorf("without a reason: %+v", out)
	}
	if out := w.engine.Recall(context.Background(), "nobody", call.Recall{Actor: "ann", Reason: "r"}); out.Code != call.CodeNotFound {
		t.Errorf("unknown: %+v", out)
	}
	_ = w.store.Close()
	if out := w.engine.Recall(context.Background(), id, call.Recall{Actor: "ann", Reason: "r"}); out.Met != call.MetUnavailable {
		t.Errorf("no ledger: %+v", out)
	}
}

func TestADoubtIsCalledAgainOnlyAfterItSettled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := request("n", start)
	d.Request.NotAfter = start.Add(time.Second)
	w.phones.hidden = true
	w.phones.script = append(w.phones.script, func(s call.Send) call.Answer { w.clock.advance(2 * time.Second); return w.phones.lost(s) })
	w.place(d)
	fast := w.start(func(c *call.Config) { c.Clock = skewed{w.clock, time.Hour} }) // its clock says settled, ours does not
	if _, err := fast.Sweep(context.Background(), 10); err != nil {
		t.Fatal(err)
	}
	w.state("n", 0, call.InDoubt, "not_after")
	if out := w.recall("n", 0); out.Met != call.MetRefused || out.Code != call.CodeNotSettled {
		t.Errorf("%+v", out)
	}
	w.clock.advance(time.Hour)
	if out := w.recall("n", 0); out.Met != call.MetPlaced {
		t.Errorf("%+v", out)
	}
	w.settle()
	w.clean(2)
	if _, err := w.engine.SawContact(context.Background(), call.Target{}, "contact-1"); err != nil {
		t.Fatal(err)
	}
	w.state("n", 0, call.Placed, "")
	w.clean(2)
}

func TestARingIsMadeAlthoughItsOpenerDied(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.place(request("n", start))
	w.faults.names, w.faults.fail, w.faults.mode = nil, 3, crashBefore // get, ring-opened, create
	w.recall("n", 0)
	if w.faults.fired != 1 || w.faults.names[2] != "create accepted" {
		t.Fatalf("%v", w.faults.names)
	}
	if first := w.row("n", 0); first.Next == nil || first.LastRing != 1 {
		t.Fatalf("%+v", first)
	}
	w.sweep()
	w.state("n", 1, call.Placed, "")
	w.clean(2)
}

func TestAContactThatIsNotOursChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.place(request("n", start))
	w.phones.contacts = append(w.phones.contacts, call.Contact{ID: "foreign"}, call.Contact{ID: "lost", CallID: "no row"})
	for _, id := range []string{"foreign", "lost", "nobody"} {
		if _, err := w.engine.SawContact(context.Background(), call.Target{}, id); !errors.Is(err, call.ErrNotFound) {
			t.Errorf("%s: %v", id, err)
		}
	}
	if _, err := w.engine.SawContact(context.Background(), call.Target{}, "contact-1"); err != nil || w.row("n", 0).Version != 2 {
		t.Errorf("a known contact was written again: %v", err)
	}
	w.clean(1)
}

func TestASecondContactIsAnAnomalyThatIsPaged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.place(request("n", start))
	w.phones.contacts = append(w.phones.contacts, call.Contact{ID: "second", CallID: w.row("n", 0).ID})
	c, err := w.engine.SawContact(context.Background(), call.Target{}, "second")
	if err != nil || c.ContactID != "contact-1" || len(c.Anomalies) != 1 || w.heard("anomaly") != 1 {
		t.Errorf("%+v %v", c, err)
	}
}

func TestARecallOnASlowClockAnswersTheRequestThatItFollows(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	late := func(requestedAt time.Time) call.Delivery {
		d := request("n", requestedAt)
		d.Request.NotAfter = start.Add(-time.Second)
		return d
	}
	w.place(late(start))
	w.place(late(start.Add(4 * time.Minute))) // of a producer whose clock is ahead: ring 1, expired
	w.state("n", 1, call.Expired, "not_after")
	w.phones.script = append(w.phones.script, says(call.ClassRefusedRequest, "invalid_request"))
	w.recall("n", 1)
	w.state("n", 2, call.Failed, "invalid_request")
	w.outcome(w.place(late(start.Add(4*time.Minute))), call.MetFailed, call.AckDone, call.ReasonFailed)
	if last := w.row("n", 0).LastRing; last != 2 {
		t.Errorf("a redelivery of what ring 1 answered opened ring %d", last)
	}
	w.clean(0)
}
