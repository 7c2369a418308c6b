package call_test

import (
	"context"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/rules"
)

// forgottenRing is a world whose ledger forgot ring 1 of a key: it was placed 8 days ago, after the backup.
func forgottenRing(t *testing.T) *world {
	w, p := taped(t)
	w.profile(window(day))
	w.place(request("n", start))
	kept := len(p.writes)
	w.clock.advance(2 * day)
	w.deliver(request("n", w.clock.Now()))
	w.clock.advance(8 * day)
	w.restore(p, kept)
	w.recovered(start.Add(time.Minute))
	w.clock.advance(time.Hour)
	return w
}

func TestANewRequestDoesNotUseAForgottenRingNumberAgain(t *testing.T) {
	t.Parallel()
	w := forgottenRing(t)
	w.deliver(request("n", w.clock.Now())) // newer than the restore, but ring 1 is not
	w.settle()
	w.state("n", 1, call.Placed, "") // by the contact of the forgotten ring
	w.clean(2)
}

func TestAnOperatorDoesNotUseAForgottenRingNumberAgain(t *testing.T) {
	t.Parallel()
	w := forgottenRing(t)
	w.engine.Recall(context.Background(), w.row("n", 0).ID, call.Recall{Actor: "ann", Reason: "again"})
	w.settle()
	w.state("n", 1, call.Placed, "")
	w.clean(2)
}

func TestTheNextRingOfAKeyThatIsNewerThanTheRestoreIsDialedAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.profile(window(day))
	w.clock.advance(30 * day)
	w.recovered(start)
	w.clock.advance(6 * time.Minute)
	w.deliver(request("n", w.clock.Now()))
	w.clock.advance(2 * day)
	w.sweep()
	w.outcome(w.deliver(request("n", w.clock.Now())), call.MetPlaced, call.AckDone, "")
	w.clean(2)
}

func TestARingThatWasClaimedBeforeTheBackupAndCanceledIsNotDialedAfterTheRestore(t *testing.T) {
	t.Parallel()
	w, p := taped(t)
	w.profile(window(day))
	w.place(request("n", start))
	w.clock.advance(2 * day)
	asked := w.clock.Now()
	w.faults.fail, w.faults.mode, w.faults.names = 3, crashBefore, nil // ring 1 is claimed, and its row is not made
	w.place(request("n", asked))
	w.faults.fail = 0
	if w.row("n", 0).LastRing != 1 {
		t.Fatalf("ring 1 was not claimed: %v", w.faults.names)
	}
	w.faults.fail, w.faults.names, w.faults.mode = 2, nil, crashAfter // the cancel's time is kept, and the process dies
	w.place(cancel("n", asked.Add(time.Second)))
	w.faults.fail = 0
	if w.row("n", 0).CanceledBefore.IsZero() {
		t.Fatalf("the cancel left no trace: %v", w.faults.names)
	}
	w.restore(p, len(p.writes))
	w.recovered(w.clock.Now())
	w.settle()
	w.state("n", 1, call.InDoubt, "canceled")
	w.clean(1)
}

func TestASecondRestoreTaintsARowAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.profile(func(p *call.Profile) { p.Resend = call.ResendEvidence })
	w.phones.script = append(w.phones.script, says(call.ClassThrottled, "throttled"))
	w.place(request("n", start))
	w.recovered(start)
	settled := w.row("n", 0).SettledAt()
	w.clock.advance(time.Hour)
	w.recovered(start)
	if c := w.row("n", 0); c.State != call.Dialing || !c.SettledAt().After(settled) {
		t.Errorf("%s, settled at %s as after the first restore: an attempt of the time between may still be accepted", c.State, c.SettledAt())
	}
}

func TestAnIntentWhoseAnswerWasLostIsNotDialedWhenEvidencePlacedTheCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.phones.ends = true // A1': a further dial would ring
	w.phones.script = append(w.phones.script, w.phones.lost, says(call.ClassAmbiguous, "reset"))
	w.phones.hidden = true
	w.place(request("n", start))
	w.clock.advance(5 * time.Minute) // the contact has ended
	rings := w.phones.total()
	w.faults.Ledger = &lateAnswer{Ledger: w.store, kind: call.EventIntent, meanwhile: func() {
		if _, err := w.start().SawContact(context.Background(), call.Target{}, "contact-1"); err != nil {
			t.Fatal(err)
		}
	}}
	w.sweepQuietly()
	w.state("n", 0, call.Placed, "")
	if now := w.phones.total(); now != rings {
		t.Errorf("%d rings, want %d: the call was known to be placed", now, rings)
	}
}

func TestASpooledAnswerToAForgottenAttemptLeavesNoBreach(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.phones.script = append(w.phones.script, says(call.ClassThrottled, "throttled"))
	w.place(request("n", start))
	row := w.row("n", 0)
	w.recovered(start)
	for i, class := range []call.Class{call.ClassAmbiguous, call.ClassThrottled} {
		event := call.Event{Kind: call.EventResult, At: start, AttemptID: "forgotten", Class: class, Code: "answer", Due: start}
		if err := w.spool.Keep(call.Fact{RowID: row.ID, Op: "op-" + string(rune('a'+i)), Event: event}); err != nil {
			t.Fatal(err)
		}
	}
	w.settle()
	w.state("n", 0, call.Placed, "")
	w.clean(1)
}

func TestAClaimWhoseAnswerWasLostFindsTheRingThatAnotherMadeOfIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.place(request("n", start))
	w.faults.Ledger = &lateAnswer{Ledger: w.store, kind: call.EventRingOpened, meanwhile: func() {
		if _, err := w.start().Sweep(context.Background(), 10); err != nil {
			t.Fatal(err)
		}
	}}
	out := w.engine.Recall(context.Background(), w.row("n", 0).ID, call.Recall{Actor: "ann", Reason: "again"})
	if out.Met != call.MetPlaced || out.Call.Ring != 1 {
		t.Errorf("%s, ring %d: %s", out.Met, out.Call.Ring, out.Message)
	}
	w.settle()
	w.clean(2)
}

// lateAnswer applies a write of one kind, loses its answer, and lets another process act before the next try.
type lateAnswer struct {
	call.Ledger
	kind      call.EventKind
	meanwhile func()
}

func (l *lateAnswer) Update(ctx context.Context, w call.Write) (call.Written, error) {
	written, err := l.Ledger.Update(ctx, w)
	if act := l.meanwhile; act != nil && w.Entry.Kind == l.kind {
		l.meanwhile = nil
		act()
		return call.Written{}, context.DeadlineExceeded
	}
	return written, err
}

func TestAReCallWaitsItsTimeAlsoIfARestoreMayHaveForgottenItsRing(t *testing.T) {
	t.Parallel()
	const wait = 3 * time.Hour
	rule := rules.RecallRule{Budget: 1, Wait: map[call.ContactOutcome]time.Duration{call.OutcomeBusy: wait}}
	for _, resend := range []call.Resend{call.ResendToken, call.ResendEvidence} {
		w, p := taped(t)
		w.change = append(w.change, followed(rule))
		w.engine = w.start()
		w.profile(func(p *call.Profile) { p.Resend, p.LongestCall = resend, 20*time.Minute })
		w.place(request("n", start))
		w.restore(p, len(p.writes))
		w.recovered(start)
		w.hangUp(func(call.Call) call.ContactOutcome { return call.OutcomeBusy })
		w.sweepQuietly()
		ended := w.row("n", 0).Sight.Disconnected
		for c := w.row("n", 1); w.clock.Now().Before(ended.Add(wait - 2*time.Minute)); c = w.row("n", 1) {
			if w.phones.total() > 1 || c.Due.Before(ended.Add(wait)) {
				t.Fatalf("%s: the ring may be dialed at %s (%s), and its wait is over at %s", resend, c.Due, c.DueReason, ended.Add(wait))
			}
			w.clock.advance(time.Minute)
			w.sweepQuietly()
		}
		w.live(always(call.OutcomeBusy))
		w.state("n", 1, call.Placed, "")
	}
}

func TestASignatureInTheSecondOfTheBackupIsNotBeforeTheFirst(t *testing.T) {
	t.Parallel()
	w, p := taped(t)
	w.phones.script = append(w.phones.script, says(call.ClassThrottled, "throttled"))
	w.place(request("n", start))
	w.restore(p, len(p.writes))
	w.recovered(start.Add(700 * time.Millisecond))
	if first := w.row("n", 0).FirstSigned; first.After(start) || first.Nanosecond() != 0 {
		t.Errorf("signatures count from %s, and one of this second is dated %s", first, start)
	}
}

func TestTheDateOfTheNewestWriteIsNotBelievedWhenItIsStillToCome(t *testing.T) {
	t.Parallel()
	for newest, want := range map[time.Time]time.Time{
		start.Add(-time.Hour):       start.Add(-time.Hour),
		{}:                          start.Add(-call.TokenValidity),
		start.Add(8760 * time.Hour): start.Add(-call.TokenValidity),
	} {
		if r := call.RecoveryOf(newest, start); !r.Backup.Equal(want) || !r.Restored.Equal(start) {
			t.Errorf("newest write %s: %+v", newest, r)
		}
	}
}

// TestARequestThatIsNewerThanTheRingOfItsTombstoneRingsItself: the restore forgot who was rung, a cancel made a row of the key, and the search found the
// ring of before. What asks now was made after it.
func TestARequestThatIsNewerThanTheRingOfItsTombstoneRingsItself(t *testing.T) {
	t.Parallel()
	for later, rings := range map[time.Duration]int{2 * day: 2, time.Hour: 1} { // behind the window of the ring, and in it
		w, p := taped(t)
		w.profile(window(day))
		w.place(request("n", start))
		w.restore(p, 0)
		w.recovered(start.Add(-time.Minute))
		w.place(cancel("n", start.Add(time.Second)))
		w.settle()
		w.state("n", 0, call.Placed, "")
		if at := start.Add(later); w.clock.Now().Before(at) {
			w.clock.advance(at.Sub(w.clock.Now()))
		}
		asked := w.clock.Now()
		for range 3 {
			w.deliver(request("n", asked))
			w.settle()
		}
		if got := w.phones.total(); got != rings {
			t.Errorf("asked for %s after the ring: %d rings, want %d", later, got, rings)
		}
		w.clean(rings)
	}
}

// TestAPublishTimeDoesNotProveThatARequestIsNewerThanTheRingOfItsTombstone: the producer publishes the request that rang once more, after the outage (ADR 8).
func TestAPublishTimeDoesNotProveThatARequestIsNewerThanTheRingOfItsTombstone(t *testing.T) {
	t.Parallel()
	w, p := taped(t)
	w.profile(window(day))
	w.place(request("n", time.Time{}))
	w.restore(p, 0)
	w.recovered(start.Add(-time.Minute))
	w.place(cancel("n", start.Add(time.Second)))
	w.settle()
	w.state("n", 0, call.Placed, "")
	w.clock.advance(2 * day)
	again := request("n", time.Time{})
	again.FirstRequested = call.Stamp{At: w.clock.Now(), Tier: call.TierMessage, From: "sns.Timestamp"}
	for range 3 {
		w.deliver(again)
		w.settle()
	}
	w.clean(1)
}
