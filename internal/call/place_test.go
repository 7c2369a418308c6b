package call_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/memory"
)

func TestAFirstDeliveryRingsOnce(t *testing.T) {
	t.Parallel()
	for _, readFirst := range []bool{true, false} {
		w := newWorld(t, func(c *call.Config) { c.ReadFirst = readFirst })
		out := w.place(request("n", start))
		w.outcome(out, call.MetPlaced, call.AckDone, "")
		if out.ContactID != "contact-1" || out.Replayed {
			t.Errorf("%+v", out)
		}
		c := w.state("n", 0, call.Placed, "")
		if c.Version != 2 || c.Tier != call.TierPayload || c.AttemptCount != 1 {
			t.Errorf("a first call takes %d writes: %+v", c.Version, c)
		}
		w.clean(1)
	}
}

func TestADuplicateIsAnsweredFromTheLedger(t *testing.T) {
	t.Parallel()
	for _, readFirst := range []bool{true, false} {
		w := newWorld(t, func(c *call.Config) { c.ReadFirst = readFirst })
		w.place(request("n", start))
		w.clock.advance(day)
		w.sweep()
		out := w.place(request("n", start))
		w.outcome(out, call.MetPlaced, call.AckDone, call.ReasonDuplicate)
		if out.By != w.row("n", 0).ID || out.ContactID != "contact-1" || w.row("n", 0).Version != 2 {
			t.Errorf("%+v", out)
		}
		notes, err := w.store.Notes(context.Background(), out.By)
		if err != nil || notes.Suppressed != 1 || w.heard("suppressed") != 1 {
			t.Errorf("the suppression left no trace: %+v %v", notes, err)
		}
		w.clean(1)
	}
}

func TestADuplicateWhileDialingWaitsForTheAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.phones.onDial = func(call.Send) {
		w.phones.onDial = nil
		before := w.row("n", 0).Version
		w.outcome(w.place(request("n", start)), call.MetDialing, call.AckDone, call.ReasonInProgress)
		if w.row("n", 0).Version != before {
			t.Error("a duplicate of a call that waits wrote to its row")
		}
	}
	w.outcome(w.place(request("n", start)), call.MetPlaced, call.AckDone, "")
	w.clean(1)
}

func TestAConflictIsRefusedAndRecordedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.place(request("n", start))
	for range 2 {
		d := request("n", start)
		d.Request.Attributes = map[string]string{"language": "ja-JP"}
		out := w.place(d)
		if out.Met != call.MetConflict || out.Ack != call.AckDone || out.Code != call.CodeConflict || out.Fix == "" {
			t.Errorf("%+v", out)
		}
	}
	notes, err := w.store.Notes(context.Background(), w.row("n", 0).ID)
	if err != nil || len(notes.Kept) != 1 || w.row("n", 0).Version != 2 {
		t.Errorf("%+v %v", notes, err)
	}
	w.clean(1)
}

func TestARefusalForGoodFailsTheCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.phones.script = append(w.phones.script, says(call.ClassRefusedRequest, "destination_not_allowed"))
	w.outcome(w.place(request("n", start)), call.MetFailed, call.AckDone, "")
	w.outcome(w.place(request("n", start)), call.MetFailed, call.AckDone, call.ReasonFailed)
	w.outcome(w.place(undated("n")), call.MetFailed, call.AckDone, call.ReasonFailed)
	w.clock.advance(time.Hour)
	w.sweep()
	w.outcome(w.place(request("n", start.Add(time.Minute))), call.MetPlaced, call.AckDone, "")
	w.state("n", 0, call.Failed, "destination_not_allowed")
	w.clean(1)
}

func TestWithoutASweeperAnUnfinishedCallGoesBackToItsSource(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.clock.advance(call.HeartbeatTime)
	w.phones.script = append(w.phones.script, says(call.ClassThrottled, "throttled"))
	w.outcome(w.place(request("n", start)), call.MetReceived, call.AckRetry, "")
	w.clock.advance(2 * time.Second)
	w.outcome(w.place(request("n", start)), call.MetPlaced, call.AckDone, call.ReasonInProgress)
	w.clean(1)
}

func TestARequestThatCannotRingIsRefusedWithoutARow(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*world, *call.Delivery)
		code   call.Code
	}{
		"no id":           {func(_ *world, d *call.Delivery) { d.Request.RecipientID = "" }, call.CodeFieldMissing},
		"unknown profile": {func(_ *world, d *call.Delivery) { d.Request.Profile = "other" }, call.CodeProfileUnknown},
		"from the future": {func(w *world, d *call.Delivery) { d.Request.RequestedAt = w.clock.Now().Add(6 * time.Minute) }, call.CodeRequestedInFuture},
		"the future, and an honest hop": {func(w *world, d *call.Delivery) {
			d.Request.RequestedAt = w.clock.Now().Add(6 * time.Minute)
			d.FirstRequested = call.Stamp{At: start, Tier: call.TierHop}
		}, call.CodeRequestedInFuture},
		"undated, required dated": {func(w *world, d *call.Delivery) {
			w.profile(func(p *call.Profile) { p.RequireDated = true })
			*d = undated("n")
		}, call.CodeUndated},
		"a body that cannot be made": {func(w *world, _ *call.Delivery) {
			w.phones.prepare = func(call.Order) error { return &call.Error{Code: call.CodeDestinationRefused, Message: "No."} }
		}, call.CodeDestinationRefused},
		"the same while pacing holds calls": {func(w *world, _ *call.Delivery) {
			w.engine = w.start(func(c *call.Config) { c.Pacer = busy{time.Hour} })
			w.phones.prepare = func(call.Order) error { return &call.Error{Code: call.CodeDestinationRefused, Message: "No."} }
		}, call.CodeDestinationRefused},
		"no token": {func(w *world, _ *call.Delivery) {
			w.engine = w.start(func(c *call.Config) {
				c.Token = func(call.TokenInput) (string, error) { return "", errors.New("too long") }
			})
		}, call.CodeTokenInvalid},
	} {
		w := newWorld(t)
		d := request("n", start)
		tc.change(w, &d)
		out := w.place(d)
		if out.Met != call.MetRefused || out.Ack != call.AckRefuse || out.Code != tc.code || len(w.rows()) != 0 || w.heard("refused") != 1 {
			t.Errorf("%s: %s %s %s, %d rows", name, out.Met, out.Ack, out.Code, len(w.rows()))
		}
		w.clean(0)
	}
}

// busy is a pacer without a slot.
type busy struct{ wait time.Duration }

func (b busy) Reserve(string, time.Time, time.Duration) (time.Duration, bool) { return b.wait, false }
func (busy) Return(string, call.PaceSlot, time.Time)                          {}

func TestATokenThatBelongsToAnotherCallIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *call.Config) { c.Token = func(call.TokenInput) (string, error) { return "same", nil } })
	w.place(request("n", start))
	if out := w.place(request("m", start)); out.Met != call.MetRefused || out.Code != call.CodeTokenTaken {
		t.Errorf("%+v", out)
	}
	w.place(cancel("c", start))
	if out := w.place(request("c", start)); out.Met != call.MetRefused || out.Code != call.CodeTokenTaken {
		t.Errorf("the first request of a tombstone: %+v", out)
	}
	w.clean(1)
}

func TestPacingHoldsWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *call.Config) { c.Pacer, c.Patience = call.NewPace(2, 5), 0 })
	ids := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	for _, id := range ids {
		w.place(request(id, start))
	}
	if got := w.phones.total(); got != 5 {
		t.Errorf("%d rings in the burst", got)
	}
	if c := w.row("g", 0); c.State != call.Received || c.DueReason != "pacing" || !c.Due.After(w.clock.Now()) {
		t.Errorf("%+v", c)
	}
	w.settle()
	w.clean(len(ids))
	times := w.phones.contacts
	for i := range times {
		if i >= 5 && times[i].Initiated.Sub(times[i-5].Initiated) < 500*time.Millisecond {
			t.Errorf("contacts %d to %d came within %s", i-5, i, times[i].Initiated.Sub(times[i-5].Initiated))
		}
	}
}

func TestACallWhoseTimePassesWhileItWaitsForASlotExpires(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.phones.script = append(w.phones.script, says(call.ClassThrottled, "throttled"))
	d := request("n", start)
	d.Request.NotAfter = start.Add(3 * time.Second)
	w.place(d)
	w.clock.advance(2 * time.Second)
	w.engine = w.start(func(c *call.Config) { c.Pacer = slow{} })
	w.sweep()
	if c := w.state("n", 0, call.Expired, "not_after"); c.AttemptCount != 1 {
		t.Errorf("%+v", c)
	}
	w.clean(0)
}

// slow is a pacer whose next slot is always 4 seconds away.
type slow struct{}

func (slow) Reserve(string, time.Time, time.Duration) (time.Duration, bool) {
	return 4 * time.Second, true
}
func (slow) Return(string, call.PaceSlot, time.Time) {}

// tally counts the slots that were taken and not returned.
type tally struct{ kept int }

func (t *tally) Reserve(_ string, _ time.Time, patience time.Duration) (time.Duration, bool) {
	if patience < 0 {
		return 0, false
	}
	t.kept++
	return 0, true
}
func (t *tally) Return(string, call.PaceSlot, time.Time) { t.kept-- }

// A slot is kept exactly for each request on the wire, whatever else becomes of a delivery.
func TestOnlyADialUsesASlot(t *testing.T) {
	t.Parallel()
	slots := &tally{}
	dials := 0
	w := newWorld(t, func(c *call.Config) {
		c.ReadFirst, c.Pacer = false, slots
		c.Token = func(in call.TokenInput) (string, error) { return "t" + in.NotificationID[:1], nil }
	})
	w.phones.onDial = func(call.Send) { dials++ }
	another := request("a", start)
	another.Request.Attributes = map[string]string{"a": "other"}
	w.place(request("a", start))
	w.place(request("a", start))  // a duplicate
	w.place(another)              // a conflict
	w.place(request("ab", start)) // a clash of tokens
	if slots.kept != 1 {
		t.Errorf("%d slots are used by one dial", slots.kept)
	}
	w.faults.fail, w.faults.mode = len(w.faults.names)+1, outBefore
	w.outcome(w.place(request("b", start)), call.MetUnavailable, call.AckRetry, "")
	if slots.kept != 1 {
		t.Errorf("%d slots are used by one dial and a ledger that did not answer", slots.kept)
	}
	w.faults.fail = 0
	w.phones.script = append(w.phones.script, says(call.ClassAmbiguous, "lost"))
	w.place(request("c", start))
	w.settle()
	if slots.kept != dials || dials != 3 {
		t.Errorf("%d slots are used by %d dials", slots.kept, dials)
	}
}

func TestASweepIsKnownToItsOwnProcessAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.phones.always = says(call.ClassThrottled, "throttled")
	w.clock.advance(time.Hour)
	w.outcome(w.place(request("n", start)), call.MetReceived, call.AckRetry, "")
	w.sweep()
	w.outcome(w.place(request("n", start)), call.MetReceived, call.AckDone, call.ReasonInProgress)
}

// near is a context whose deadline is an instant of the virtual clock.
type near struct {
	context.Context
	at time.Time
}

func (n near) Deadline() (time.Time, bool) { return n.at, true }

func TestNothingIsSentThatTheDeadlineWouldCutOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := near{context.Background(), w.clock.Now().Add(14 * time.Second)}
	out := w.engine.Place(ctx, request("n", start))
	w.outcome(out, call.MetReceived, call.AckDone, "")
	if c := w.row("n", 0); len(w.phones.dials) != 0 || c.DueReason != "deadline" || c.Version != 1 {
		t.Errorf("%d dials, version %d: %s", len(w.phones.dials), c.Version, c.DueReason)
	}
	w.clock.advance(time.Second)
	if _, err := w.engine.Sweep(ctx, 10); err != nil || w.row("n", 0).Version != 1 {
		t.Errorf("a sweep without time wrote to the row: %v", err)
	}
	w.sweep()
	w.clean(1)
}

func TestAnUnavailableLedgerMeansNoDialAndNoAcknowledgement(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_ = w.store.Close()
	out := w.engine.Place(context.Background(), request("n", start))
	if out.Met != call.MetUnavailable || out.Ack != call.AckRetry || out.Code != call.CodeLedgerUnavailable || len(w.phones.dials) != 0 {
		t.Errorf("%+v", out)
	}
}

func TestALedgerOfAnotherIdentityIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, change := range map[string]func(*call.Config){
		"hmac on a plain ledger": func(c *call.Config) { c.Naming = call.Naming{Mode: call.IdentityHMAC, Secret: []byte("secret")} },
		"a plain ledger's check is not the secret's": func(c *call.Config) {
			c.Ledger = memory.New(memory.Options{Mode: call.IdentityHMAC, Check: call.Naming{Mode: call.IdentityHMAC, Secret: []byte("a")}.Check()})
			c.Naming = call.Naming{Mode: call.IdentityHMAC, Secret: []byte("b")}
		},
		"a port is missing": func(c *call.Config) { c.Dialer = nil },
	} {
		c := call.Config{
			Ledger: w.store, Journal: w.store, Dialer: w.phones, Clock: w.clock, Pacer: busy{}, Searches: busy{}, Observer: w, Random: w.random,
			Profile: func(string) (call.Profile, bool) { return call.Profile{}, true }, Token: func(call.TokenInput) (string, error) { return "t", nil },
		}
		if _, err := call.New(context.Background(), c); err != nil {
			t.Fatal(err)
		}
		change(&c)
		if _, err := call.New(context.Background(), c); call.CodeOf(err) != call.CodeConfiguration {
			t.Errorf("%s: %v", name, err)
		}
	}
}
