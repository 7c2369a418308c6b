//go:build integration

package stores_test

import (
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/postgres"
)

// together counts the calls that were written by the transaction that also made their job.
const together = "SELECT count(*) FROM river_job j JOIN calls c ON c.id = j.args->>'row' AND c.xmin = j.xmin WHERE j.kind = 'ringonce_wake'"

const hints = "SELECT count(*) FROM river_job WHERE kind = 'ringonce_wake'"

func TestAHeldCallAndItsJobAreOfOneTransaction(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	if same, all := o.number(t, together), o.number(t, hints); same != heldCalls || all != heldCalls {
		t.Errorf("%d jobs for %d held calls, %d of them of the transaction of their call", all, heldCalls, same)
	}
	parted := newOffice(t, func(o *office) { // the planted defect: a job is made after the call, in a transaction of its own
		for _, a := range o.apps {
			l, ok := a.Store.Ledger.(*postgres.Ledger)
			if !ok {
				t.Fatalf("the ledger is a %T", a.Store.Ledger)
			}
			l.Join(nil)
		}
	})
	if same, all := parted.number(t, together), parted.number(t, hints); same != 0 || all != heldCalls {
		t.Errorf("planted: %d jobs, %d of them of the transaction of their call, want %d and none", all, same, heldCalls)
	}
}

// TestACallThatIsAcceptedIsHintedInItsTransaction accepts a call that nobody goes on to dial, as a process that dies then leaves it: the job of its
// own transaction rings, and no sweep.
func TestACallThatIsAcceptedIsHintedInItsTransaction(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	number, err := call.ParsePhone("+12025550190")
	if err != nil {
		t.Fatal(err)
	}
	out := o.apps[0].Engine.Accept(t.Context(), call.Delivery{
		Source: call.SourceHTTP, ID: "later", Request: call.Request{NotificationID: "later", RecipientID: "r-2", Destination: number, Profile: "alert"},
	})
	if out.Call.State != call.Received || len(out.Call.Open) != 0 {
		t.Fatalf("the call is %s with %d attempts", out.Call.State, len(out.Call.Open))
	}
	if n := o.number(t, together+" AND c.id = '"+out.Call.ID+"'"); n != 1 {
		t.Fatalf("%d jobs of the transaction that accepted the call, want 1", n)
	}
	if err := o.apps[1].StartHints(t.Context()); err != nil {
		t.Fatal(err)
	}
	until(t, "the job of the accepted call is worked", func() bool {
		row, err := o.apps[0].Store.Ledger.Get(t.Context(), out.Call.ID)
		return err == nil && row.State.Final()
	})
	if n := len(o.phones.RingsFor("+12025550190")); n != 1 {
		t.Errorf("%d rings, want 1", n)
	}
}

// TestACallIsTakenAlsoWhereItsJobCannotBeMade takes the table of jobs away: the calls are there, what failed is told, and a sweep rings.
func TestACallIsTakenAlsoWhereItsJobCannotBeMade(t *testing.T) {
	t.Parallel()
	o := newOffice(t, func(o *office) {
		if _, err := o.jobs.Exec(t.Context(), "ALTER TABLE river_job RENAME TO gone"); err != nil {
			t.Fatal(err)
		}
	})
	for i, a := range o.apps {
		apart, failed := 0, 0
		for m, n := range a.Observer.Counts() {
			switch m.What {
			case "wake-apart":
				apart += int(n)
			case "wake-failed":
				failed += int(n)
			}
		}
		if apart != 1 || failed == 0 { // then both rest
			t.Errorf("process %d told %d times that hints are apart and %d times that one failed", i, apart, failed)
		}
	}
	if _, err := o.jobs.Exec(t.Context(), "ALTER TABLE gone RENAME TO river_job"); err != nil {
		t.Fatal(err)
	}
	until(t, "the calls are due", func() bool { return time.Now().After(o.due) })
	for _, a := range o.apps {
		if _, err := a.Engine.Sweep(t.Context(), heldCalls); err != nil {
			t.Fatal(err)
		}
	}
	o.once(t)
}
