package call_test

import (
	"context"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

func TestASecondWorkerTakesOverWhenTheLeaseEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.phones.hidden = true
	second := w.start()
	w.phones.script = append(w.phones.script, func(s call.Send) call.Answer {
		answer := w.phones.ring(s)
		if _, err := second.Sweep(context.Background(), 10); err != nil || w.row("n", 0).AttemptCount != 1 {
			t.Error("the lease was not respected", err)
		}
		w.clock.advance(call.LeaseTime + time.Second) // the first worker sleeps with its answer
		if _, err := second.Sweep(context.Background(), 10); err != nil {
			t.Error(err)
		}
		if c := w.row("n", 0); c.State != call.Placed || len(c.Open) != 1 {
			t.Errorf("the second worker left %s with %d open", c.State, len(c.Open))
		}
		return answer
	})
	w.outcome(w.place(request("n", start)), call.MetPlaced, call.AckDone, "")
	if c := w.row("n", 0); len(c.Open) != 0 || len(c.Anomalies) != 0 || c.AttemptCount != 2 {
		t.Errorf("%+v", c)
	}
	w.clean(1)
}

func TestTheAnswerOfASlowWorkerIsMergedWhateverBecameOfTheCall(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		class call.Class
		state call.State
	}{
		"accepted (N23, R28)": {call.ClassOK, call.Placed},
		"refused":             {call.ClassRefusedRequest, call.Failed},
		"throttled":           {call.ClassThrottled, call.Failed},
		"lost":                {call.ClassAmbiguous, call.InDoubt},
	} {
		w := newWorld(t)
		resend(call.ResendNever)(w)
		w.phones.hidden = true
		w.phones.script = append(w.phones.script, func(s call.Send) call.Answer {
			answer := call.Answer{Class: tc.class, Code: "code"}
			if tc.class == call.ClassOK {
				answer = w.phones.ring(s)
			}
			w.settle()
			if c := w.row("n", 0); c.State != call.InDoubt {
				t.Errorf("%s: %s", name, c.State)
			}
			return answer
		})
		w.place(request("n", start))
		if c := w.row("n", 0); c.State != tc.state {
			t.Errorf("%s: %s (%s)", name, c.State, c.Code)
		}
		w.clean(w.phones.total())
	}
}

func TestALateAnswerLosesNoCompare(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.phones.script = append(w.phones.script, func(s call.Send) call.Answer {
		answer := w.phones.ring(s)
		for range 5 { // the row moves between the read and the write of the answer
			if _, err := w.engine.Annotate(context.Background(), s.CallID, "looking", "ann"); err != nil {
				t.Error(err)
			}
		}
		return answer
	})
	w.outcome(w.place(request("n", start)), call.MetPlaced, call.AckDone, "")
	w.clean(1)
}

func TestASleepingWorkerSendsNothingAfterItsLease(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.phones.onDial = func(call.Send) { w.phones.onDial = nil; w.clock.advance(30 * day) }
	w.place(request("n", start))
	if len(w.phones.dials) != 0 {
		t.Error("the attempt was sent after its lease")
	}
	w.settle()
	w.clean(1)
}

func TestWorkersWithClocksThatDisagreeRingOnce(t *testing.T) {
	t.Parallel()
	for _, by := range []time.Duration{-6 * day, -time.Hour, -90 * time.Second, 90 * time.Second, time.Hour, 3 * day} {
		w := newWorld(t)
		w.phones.hidden = true
		second := w.start(func(c *call.Config) { c.Clock = skewed{w.clock, by} })
		other := func() {
			if _, err := second.Sweep(context.Background(), 10); err != nil {
				t.Error(err)
			}
		}
		w.phones.script = append(w.phones.script, func(s call.Send) call.Answer {
			answer := w.phones.ring(s)
			other()
			return call.Answer{Class: call.ClassAmbiguous, Message: answer.ContactID}
		})
		w.place(request("n", start))
		for range 60 {
			w.clock.advance(20 * time.Second)
			other()
			w.sweepQuietly()
		}
		if got := w.phones.total(); got != 1 {
			t.Errorf("a clock off by %s: %d rings", by, got)
		}
		for _, b := range w.breaches() {
			if b.Invariant != "I12" { // one of the two clocks calls a row overdue
				t.Errorf("a clock off by %s: %v", by, b)
			}
		}
	}
}

func TestAFactThatCannotBeWrittenWaitsInTheSpool(t *testing.T) {
	t.Parallel()
	for _, how := range []mode{outBefore, outAfter} {
		w := newWorld(t)
		resend(call.ResendNever)(w)
		w.phones.hidden = true
		w.faults.names, w.faults.fail, w.faults.mode = nil, 4, how // get, create, dial, result
		w.place(request("n", start))
		if w.faults.fired != 1 || len(w.spool.facts) != 1 || w.heard("fact-spooled") != 1 {
			t.Fatalf("%v: %d facts", w.faults.names, len(w.spool.facts))
		}
		w.clock.advance(time.Minute)
		w.engine = w.start() // the next process
		w.sweep()
		w.state("n", 0, call.Placed, "")
		if len(w.spool.facts) != 0 {
			t.Errorf("%d facts are left", len(w.spool.facts))
		}
		w.clean(1)
	}
}

func TestASpooledFactThatCannotBeMergedStopsNoSweep(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.spool.facts = []call.Fact{
		{RowID: "gone", Op: "op-1", Event: call.Event{Kind: call.EventResult, At: start, Class: call.ClassOK, ContactID: "contact-9"}},
		{RowID: "gone", Op: "op-2", Event: call.Event{Kind: call.EventResult, At: start, Class: call.ClassThrottled}},
	}
	w.phones.script = append(w.phones.script, says(call.ClassThrottled, "throttled"))
	w.place(request("n", start))
	w.clock.advance(time.Minute)
	w.sweep()
	w.state("n", 0, call.Placed, "")
	if len(w.spool.facts) != 1 || w.spool.facts[0].Op != "op-1" || w.heard("fact-orphaned") == 0 || w.heard("spool-failed") == 0 {
		t.Errorf("%+v", w.spool.facts)
	}
	w.clean(1)
}

func TestAContactFromTheSpoolIsStoppedWhenItWasCanceledMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.phones.onDial = func(call.Send) { w.phones.onDial = nil; w.faults.pause(func() { w.canceled(cancel("n", start)) }) }
	w.faults.names, w.faults.fail, w.faults.mode = nil, 4, outBefore
	w.place(request("n", start))
	if len(w.spool.facts) != 1 || len(w.phones.stopped) != 0 {
		t.Fatalf("%v, stopped %v", w.faults.names, w.phones.stopped)
	}
	w.sweep()
	w.state("n", 0, call.Placed, "")
	if len(w.phones.stopped) != 1 {
		t.Errorf("stopped %v", w.phones.stopped)
	}
	w.clean(1)
}

func TestARowThatWouldBreakAnInvariantIsHeldAndPaged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.phones.script = append(w.phones.script, says(call.ClassThrottled, "throttled"))
	w.place(request("n", start))
	c := w.row("n", 0)
	write, err := c.Write(call.Event{Kind: call.EventNoted, At: start}, "planted")
	if err != nil {
		t.Fatal(err)
	}
	write.Row.CancelRequested = start // received and canceled: no history makes this row
	if _, err := w.store.Update(context.Background(), write); err != nil {
		t.Fatal(err)
	}
	w.clock.advance(time.Minute)
	if swept := w.sweep(); swept.Failed != 1 || w.heard("breach") != 1 || len(w.phones.dials) != 1 {
		t.Errorf("%+v, %d breaches, %d dials", swept, w.heard("breach"), len(w.phones.dials))
	}
	if due := w.row("n", 0).Due; !due.After(w.clock.Now()) {
		t.Error("the row stays at the head of every sweep")
	}
}

func TestWithoutASpoolAnUnwritableFactIsAtLeastLogged(t *testing.T) {
	t.Parallel()
	for _, broken := range []bool{true, false} {
		w := newWorld(t, func(c *call.Config) {
			if !broken {
				c.Spool = nil
			}
		})
		w.spool.broken = broken
		w.faults.names, w.faults.fail, w.faults.mode = nil, 4, outBefore
		w.place(request("n", start))
		if w.heard("fact-logged") != 1 || w.told[len(w.told)-1].Contact == "" && w.heard("fact-logged") == 0 {
			t.Errorf("%+v", w.told)
		}
		w.settle()
		w.state("n", 0, call.Placed, "")
		w.clean(1)
	}
}

func TestLooksWaitForTheSearchBudget(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *call.Config) { c.Searches = call.NewPace(0.01, 1) })
	resend(call.ResendNever)(w)
	w.phones.script = append(w.phones.script, w.phones.lost, w.phones.lost, w.phones.lost)
	for _, id := range []string{"a", "b", "c"} {
		w.place(request(id, start))
	}
	w.settle()
	for _, id := range []string{"a", "b", "c"} {
		if c := w.state(id, 0, call.Placed, ""); c.Looks != 0 {
			t.Errorf("%s used up %d looks", id, c.Looks)
		}
	}
	w.clean(3)
}

func TestARowThatCannotMoveDoesNotBlockTheSweep(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.phones.script = append(w.phones.script, says(call.ClassThrottled, "throttled"))
	w.place(request("n", start))
	w.clock.advance(time.Minute)
	w.faults.names, w.faults.fail, w.faults.mode = nil, 1, lostBefore
	if swept := w.sweep(); swept.Failed != 1 || swept.Due != 1 {
		t.Errorf("%+v", swept)
	}
	if swept := w.sweep(); swept.Moved != 1 || swept.Failed != 0 {
		t.Errorf("%+v", swept)
	}
	w.clean(1)
}

// deaf never takes an update and recognizes none: a broken ledger that always says that the row moved.
type deaf struct{ call.Ledger }

func (d deaf) Update(ctx context.Context, w call.Write) (call.Written, error) {
	row, err := d.Ledger.Get(ctx, w.Row.ID)
	return call.Written{Row: row}, err
}

func TestAFactThatTheLedgerNeverTakesGoesToTheSpoolInsteadOfHanging(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.faults.Ledger = deaf{w.store}
	w.outcome(w.place(request("n", start)), call.MetDialing, call.AckDone, "")
	if facts, err := w.spool.Pending(); err != nil || len(facts) != 1 || facts[0].Event.ContactID == "" {
		t.Fatalf("spooled: %v, %v, want the contact id", facts, err)
	}
	w.faults.Ledger = w.store
	w.settle()
	w.state("n", 0, call.Placed, "")
	w.clean(1)
}
