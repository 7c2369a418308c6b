package call_test

import (
	"context"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/memory"
)

// tape keeps every write, so that a test can restore the ledger as it was.
type tape struct {
	call.Ledger
	writes []call.Write
}

func (p *tape) Create(ctx context.Context, w call.Write) (call.Written, error) {
	written, err := p.Ledger.Create(ctx, w)
	if written.Applied {
		p.writes = append(p.writes, w)
	}
	return written, err
}

func (p *tape) Update(ctx context.Context, w call.Write) (call.Written, error) {
	written, err := p.Ledger.Update(ctx, w)
	if written.Applied {
		p.writes = append(p.writes, w)
	}
	return written, err
}

func taped(t *testing.T) (*world, *tape) {
	w := newWorld(t)
	p := &tape{Ledger: w.store}
	w.faults.Ledger = p
	return w, p
}

// restore brings the ledger back to its first n writes.
func (w *world) restore(p *tape, n int) {
	w.t.Helper()
	w.store = memory.New(memory.Options{})
	for _, write := range p.writes[:n] {
		send := w.store.Update
		if write.Entry.Seq == 1 {
			send = w.store.Create
		}
		if written, err := send(context.Background(), write); err != nil || !written.Applied {
			w.t.Fatal(err)
		}
	}
	w.faults.Ledger = w.store
	w.engine = w.start()
}

// recovered does what ringonce ledger recover does: it taints every row that is not final.
func (w *world) recovered(backup time.Time) {
	w.t.Helper()
	ctx := context.Background()
	r := call.Recovery{Backup: backup, Restored: w.clock.Now()}
	if err := w.store.BeginRecovery(ctx, r); err != nil {
		w.t.Fatal(err)
	}
	w.engine = w.start()
	for _, c := range w.rows() {
		if _, err := w.engine.TaintRow(ctx, c.ID, r); err != nil {
			w.t.Fatal(err)
		}
	}
	w.sweepQuietly()
}

func TestARestoredLedgerRingsNobodyTwice(t *testing.T) {
	t.Parallel()
	for _, keep := range []int{0, 1, 2} { // the row is forgotten, or its answers are, or its last attempt is
		for _, age := range []time.Duration{time.Hour, 10 * day} {
			w, p := taped(t)
			w.phones.script = append(w.phones.script, says(call.ClassThrottled, "throttled"))
			w.place(request("n", start))
			w.clock.advance(time.Minute)
			w.sweep()
			w.clock.advance(age)
			w.restore(p, keep)
			w.recovered(start)
			w.phones.hidden = age > day
			w.deliver(request("n", start))
			w.settle()
			if c := w.row("n", 0); c.State != call.Placed && c.State != call.InDoubt {
				t.Errorf("kept %d writes, %s later: %s (%s)", keep, age, c.State, c.Code)
			}
			w.clean(1)
		}
	}
}

func TestATaintThatWasInterruptedIsDoneBeforeAnythingIsDialed(t *testing.T) {
	t.Parallel()
	w, p := taped(t)
	w.phones.script = append(w.phones.script, says(call.ClassThrottled, "throttled"))
	w.place(request("n", start))
	w.clock.advance(time.Minute)
	w.sweep()
	w.clock.advance(10 * day)
	w.restore(p, 2) // received again, its ring forgotten
	if err := w.store.BeginRecovery(context.Background(), call.Recovery{Backup: start, Restored: w.clock.Now()}); err != nil {
		t.Fatal(err)
	}
	w.engine = w.start() // the command died before it tainted a row
	w.deliver(request("n", start))
	w.settle()
	w.clean(1)
}

// interruptedTaint is a ledger that went back to its first n writes of a call whose second attempt rang where no search shows it, and whose recovery
// died before it tainted a row.
func interruptedTaint(t *testing.T, n int) *world {
	t.Helper()
	w, p := taped(t)
	w.phones.script = append(w.phones.script, says(call.ClassThrottled, "throttled"))
	w.place(request("n", start))
	w.clock.advance(time.Minute)
	w.sweep()
	w.phones.hidden = true
	w.clock.advance(time.Hour)
	w.restore(p, n)
	if err := w.store.BeginRecovery(context.Background(), call.Recovery{Backup: start, Restored: w.clock.Now()}); err != nil {
		t.Fatal(err)
	}
	w.engine = w.start()
	return w
}

func TestACancelEndsNoCallThatAnInterruptedTaintHasNotReached(t *testing.T) {
	t.Parallel()
	w := interruptedTaint(t, 2) // received again, its ring forgotten
	w.place(cancel("n", w.clock.Now()))
	w.settle()
	w.state("n", 0, call.InDoubt, "canceled")
	w.clean(1)
}

func TestAnErasureEndsNoCallThatAnInterruptedTaintHasNotReached(t *testing.T) {
	t.Parallel()
	w := interruptedTaint(t, 2) // received again, its ring forgotten
	if _, err := w.engine.Forget(context.Background(), call.Forgetting{RecipientID: "user-1", Actor: "ann", Reason: "request 7"}); err != nil {
		t.Fatal(err)
	}
	if c := w.row("n", 0); c.State == call.Canceled {
		t.Error("canceled, though a forgotten attempt of it rang")
	}
	w.settle()
	if c := w.row("n", 0); c.State == call.Canceled {
		t.Error("canceled at last, though a forgotten attempt of it rang")
	}
	w.clean(1)
}

func TestASpooledAnswerEndsNoCallThatAnInterruptedTaintHasNotReached(t *testing.T) {
	t.Parallel()
	w := interruptedTaint(t, 1) // the first attempt is open, the one that rang is forgotten
	row := w.row("n", 0)
	event := call.Event{Kind: call.EventResult, At: start, AttemptID: row.Open[0].ID, Class: call.ClassRefusedRequest, Code: "rejected", Due: start}
	if err := w.spool.Keep(call.Fact{RowID: row.ID, Op: "op", Event: event}); err != nil {
		t.Fatal(err)
	}
	w.settle()
	if c := w.row("n", 0); c.State == call.Failed {
		t.Errorf("failed (%s), though a forgotten attempt of it rang", c.Code)
	}
	w.clean(1)
}

func TestWithoutTheTaintARestoredLedgerRingsTwiceAndTheOracleSeesIt(t *testing.T) {
	t.Parallel()
	w, p := taped(t) // N15
	w.place(request("n", start))
	w.clock.advance(10 * day)
	w.restore(p, 0)
	w.deliver(request("n", start))
	caught(t, w, "I1")
}

func TestAKeyThatIsProvenYoungerThanTheRestoreIsDialedAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.clock.advance(30 * day)
	w.recovered(start)
	w.clock.advance(6 * time.Minute)
	w.outcome(w.place(request("n", w.clock.Now())), call.MetPlaced, call.AckDone, "")
	if c := w.row("n", 0); c.AttemptCount != 1 || !c.FirstSigned.Equal(w.clock.Now()) {
		t.Errorf("%+v", c)
	}
	w.place(undated("m"))
	w.settle()
	w.state("m", 0, call.InDoubt, "send_rule_end")
	if err := w.store.CloseRecovery(context.Background()); err != nil {
		t.Fatal(err)
	}
	w.engine = w.start()
	w.outcome(w.deliver(undated("o")), call.MetPlaced, call.AckDone, "")
	w.clean(2)
}

func TestAClockThatRanAheadDoesNotProveThatAKeyIsNewerThanTheRestore(t *testing.T) {
	t.Parallel()
	w, p := taped(t)
	w.clock.advance(4 * time.Minute) // the worker's clock is that far ahead
	w.place(request("n", start.Add(4*time.Minute)))
	w.clock.advance(-3 * time.Minute)
	w.restore(p, 0)
	w.recovered(start) // by a right clock, a minute after the start
	w.phones.hidden = true
	w.clock.advance(10 * day)
	w.deliver(request("n", start.Add(4*time.Minute)))
	w.settle()
	w.state("n", 0, call.InDoubt, "send_rule_end")
	w.clean(1)
}

func TestAPublishTimeDoesNotProveThatAKeyIsNew(t *testing.T) {
	t.Parallel()
	w, p := taped(t)
	w.place(request("n", start))
	w.clock.advance(10 * day) // longer than its token is valid
	w.restore(p, 0)
	w.recovered(start)
	w.phones.hidden = true
	again := request("n", time.Time{}) // the producer publishes it once more after the outage
	w.clock.advance(6 * time.Minute)   // a payload's time would prove it now
	again.FirstRequested = call.Stamp{At: w.clock.Now(), Tier: call.TierMessage, From: "sns.Timestamp"}
	w.deliver(again)
	w.settle()
	w.state("n", 0, call.InDoubt, "send_rule_end")
	w.clean(1)
}

func TestWhatARestoreMayHaveForgottenNeitherExpiresNorIsCanceled(t *testing.T) {
	t.Parallel()
	w, p := taped(t)
	w.place(request("expired", start))
	w.place(request("canceled", start))
	w.phones.hidden = true
	w.clock.advance(time.Hour)
	w.restore(p, 0)
	w.recovered(start)
	d := request("expired", start)
	d.Request.NotAfter = start.Add(time.Minute)
	w.deliver(d)
	w.place(cancel("canceled", w.clock.Now()))
	w.settle()
	w.state("expired", 0, call.InDoubt, "not_after")
	w.state("canceled", 0, call.InDoubt, "canceled")
	w.outcome(w.deliver(request("canceled", start)), call.MetInDoubt, call.AckDone, call.ReasonInDoubt)
	w.clean(2)
}

func TestARingThatARestoreMayHaveForgottenIsNotDialedAnew(t *testing.T) {
	t.Parallel()
	w, p := taped(t)
	w.profile(window(day))
	w.place(request("n", start))
	kept := len(p.writes)
	w.clock.advance(2 * day)
	again := w.clock.Now()
	w.deliver(request("n", again))
	w.clock.advance(10 * day)
	w.restore(p, kept)
	w.recovered(start.Add(day))
	w.deliver(request("n", again))
	w.settle()
	w.state("n", 1, call.Placed, "") // found by the search
	w.clean(2)
}
