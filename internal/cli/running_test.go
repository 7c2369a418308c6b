package cli

import (
	"fmt"
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// running is a process on the ledger of a desk, which lives while commands are run beside it.
type running struct {
	*app.App

	d *desk
}

func (d *desk) start() *running {
	d.t.Helper()
	a, err := d.environment(d.clock).open(d.t.Context(), opening{service: true})
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() {
		if err := a.Close(); err != nil {
			d.t.Error(err)
		}
	})
	return &running{a, d}
}

// deliver hands a request to the process, and returns what became of it.
func (r *running) deliver(notification, number string) call.Outcome {
	r.d.t.Helper()
	report, err := r.Handler.Process(r.d.t.Context(), fmt.Appendf(nil, `{"notificationId":%q,"recipientId":"user-1","destinationPhoneNumber":%q,"requestedAt":%q}`,
		notification, number, r.d.clock.Now().Format(time.RFC3339Nano)))
	if err != nil || len(report.Results) != 1 {
		r.d.t.Fatalf("%v: %+v", err, report)
	}
	return report.Results[0].Outcome
}

func (r *running) sweep() {
	r.d.t.Helper()
	if _, err := r.Sweep(r.d.t.Context()); err != nil {
		r.d.t.Error(err)
	}
}

func (r *running) rang(want int) {
	r.d.t.Helper()
	if got := r.d.telephone.RingCount(); got != want {
		r.d.t.Errorf("%d rings, want %d", got, want)
	}
}

func TestAPauseHoldsTheCallsOfARunningProcessWithinASecondUntilItIsResumed(t *testing.T) {
	t.Parallel()
	for reason, target := range map[string][]string{
		call.HeldPausedAll: {"--all"}, call.HeldPausedProfile: {"--profile", "alert"}, call.HeldPausedPrefix: {"--prefix", "+8190"},
	} {
		d := newDesk(t, "")
		p := d.start()
		p.sweep()
		p.deliver("n-0", "+819000000009")
		p.rang(1)
		d.run(ExitOK, append([]string{"pause", "--reason", "a flood", "--actor", "kim"}, target...)...)
		d.clock.advance(time.Second)
		if c := p.deliver("n-1", "+819000000001").Call; c.State != call.Received || c.DueReason != reason {
			t.Errorf("%v: %s, held for %q", target, c.State, c.DueReason)
		}
		d.clock.advance(time.Hour)
		p.sweep()
		p.rang(1)
		if h := d.held(); len(h) != 1 || !h[0].Parked || h[0].Reason != reason {
			t.Errorf("%v: %+v", target, h)
		}
		d.run(ExitOK, append([]string{"resume", "--reason", "it is over", "--actor", "kim"}, target...)...)
		d.clock.advance(time.Second)
		p.sweep()
		p.rang(2)
	}
}

func TestANumberThatAPersonListsIsRefusedByARunningProcessAlsoWhereItsCallIsHeld(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	p := d.start()
	p.sweep()
	d.faults("throttle times=1")
	held := p.deliver("n-1", "+819000000001").Call
	if held.State != call.Received {
		t.Fatalf("%+v", held)
	}
	d.run(ExitOK, "dnc", "add", "+819000000001", "--reason", "they asked", "--actor", "kim")
	d.clock.advance(time.Second)
	if out := p.deliver("n-2", "+819000000001"); out.Ack != call.AckRefuse || out.Code != call.CodeDoNotCall {
		t.Errorf("%s, %s: %s", out.Ack, out.Code, out.Message)
	}
	d.clock.advance(time.Hour)
	p.sweep()
	p.rang(0)
	stdout, _ := d.run(ExitOK, "calls", "show", held.ID)
	says(t, stdout, "do_not_call", "they asked (operator)")
	d.run(ExitOK, "dnc", "rm", "+819000000001", "--reason", "they want it")
	d.clock.advance(time.Second)
	p.deliver("n-3", "+819000000001")
	p.rang(1)
}

func TestACallThatRingsWhenItIsAcknowledgedIsHungUpAndShownAsTooLate(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	if err := d.telephone.Update(func(c *connectemu.Config) { c.RingTime = time.Minute }); err != nil {
		t.Fatal(err)
	}
	p := d.start()
	p.sweep()
	row := p.deliver("n-1", "+819000000001").Call
	d.clock.advance(12 * time.Second)
	ack := fmt.Appendf(nil, `{"action":"acknowledge","notificationId":"n-1","recipientId":"user-1","requestedAt":%q}`, d.clock.Now().Format(time.RFC3339Nano))
	if report, err := p.Handler.Process(t.Context(), ack); err != nil || report.Results[0].Outcome.Met != call.MetCancelKept {
		t.Fatalf("%v: %+v", err, report)
	}
	contact, _ := d.telephone.Contact(row.ContactID)
	if contact.State != connectemu.StateDisconnected {
		t.Errorf("the contact is %s", contact.State)
	}
	stdout, _ := d.run(ExitOK, "calls", "show", row.ID)
	says(t, stdout, "acknowledged too late, rang 12.")
	p.rang(1)
}
