package call_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

var toForget = call.Forgetting{RecipientID: "user-1", Actor: "ann", Reason: "request 7"}

// tryForget forgets the recipient of every story, as far as it goes now.
func (w *world) tryForget() (done call.Forgot, err error) {
	err = errors.New("the process died")
	w.survive(func() { done, err = w.engine.Forget(context.Background(), toForget) })
	return done, err
}

// forget does so until nothing waits.
func (w *world) forget() {
	w.t.Helper()
	for range 60 {
		done, err := w.tryForget()
		if err == nil && len(done.Waiting) == 0 {
			return
		}
		w.clock.advance(max(time.Minute, done.Until().Sub(w.clock.Now())))
	}
	w.t.Fatal("the recipient is never forgotten")
}

// gone reports rows that still tell anything of the recipient.
func (w *world) gone(rows int) {
	w.t.Helper()
	all := w.rows()
	if len(all) != rows {
		w.t.Errorf("%d rows, want %d", len(all), rows)
	}
	for _, c := range all {
		text, err := c.Encode()
		if err != nil {
			w.t.Fatal(err)
		}
		entries, err := w.store.History(context.Background(), c.ID)
		if err != nil {
			w.t.Fatal(err)
		}
		notes, err := w.store.Notes(context.Background(), c.ID)
		if err != nil {
			w.t.Fatal(err)
		}
		said := string(text) + fmt.Sprintf("%+v", notes)
		for _, e := range entries {
			said += string(e.Body)
		}
		for _, private := range []string{"819000000001", "user-1", `"n"`, "Said so", "message"} {
			if strings.Contains(said, private) {
				w.t.Errorf("%q is left of ring %d: %s", private, c.Ring, said)
			}
		}
		if !c.IsForgotten() {
			w.t.Errorf("ring %d in state %s is not forgotten", c.Ring, c.State)
		}
	}
	if ids, err := w.store.ByRecipient(context.Background(), call.Naming{}.Recipient("", "user-1"), 10); err != nil || len(ids) > 0 {
		w.t.Errorf("by recipient: %v, %v", ids, err)
	}
}

func TestAForgottenCallNeverRingsAgain(t *testing.T) {
	t.Parallel()
	for name, remember := range map[string]int{"from the ledger": 0, "from memory": 10} {
		w := newWorld(t, func(c *call.Config) { c.Remember = remember })
		w.profile(window(day))
		w.place(request("n", start))
		w.place(request("n", start))
		done, err := w.tryForget()
		if err != nil || !slices.Equal(done.Erased, []string{w.row("n", 0).ID}) || len(done.Waiting) > 0 || len(done.Already) > 0 {
			t.Fatalf("%s: %+v, %v", name, done, err)
		}
		w.gone(1)
		w.outcome(w.place(request("n", start)), call.MetPlaced, call.AckDone, call.ReasonForgotten)
		other := request("n", start)
		other.Request.Destination = phone(t, "+819000000002")
		w.outcome(w.place(other), call.MetPlaced, call.AckDone, call.ReasonForgotten) // no fingerprint, no conflict
		w.clock.advance(400 * day)
		w.sweep()
		w.outcome(w.place(request("n", w.clock.Now())), call.MetPlaced, call.AckDone, call.ReasonForgotten)
		w.profile(func(p *call.Profile) { p.WindowReopenAny = true })
		w.outcome(w.place(undated("n")), call.MetPlaced, call.AckDone, call.ReasonForgotten)
		w.outcome(w.place(cancel("n", w.clock.Now())), call.MetCancelKept, call.AckDone, "")
		w.outcome(w.place(cancel("n", time.Time{})), call.MetCancelKept, call.AckDone, "")
		w.outcome(w.place(request("n", w.clock.Now().Add(time.Minute))), call.MetPlaced, call.AckDone, call.ReasonForgotten)
		if out := w.recall("n", 0); out.Met != call.MetRefused || out.Code != call.CodeForgotten {
			t.Errorf("%s: a re-call: %+v", name, out)
		}
		if _, err := w.engine.Annotate(context.Background(), w.row("n", 0).ID, "user-1 asked", "ann"); call.CodeOf(err) != call.CodeForgotten {
			t.Errorf("%s: a note: %v", name, err)
		}
		w.settle()
		w.gone(1)
		w.clean(1)
	}
}

func phone(t *testing.T, text string) call.Phone {
	t.Helper()
	p, err := call.ParsePhone(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestForgettingIsNoWishNotToBeCalled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.place(request("n", start))
	w.forget()
	w.outcome(w.place(request("new", start)), call.MetPlaced, call.AckDone, "")
	again := request("n", start)
	again.Request.RecallID = "recall-2" // a key of its own, linked to a row that tells nothing
	w.outcome(w.place(again), call.MetPlaced, call.AckDone, "")
	w.clean(3)
	w.forget()
	w.gone(3)
	w.outcome(w.place(again), call.MetPlaced, call.AckDone, call.ReasonForgotten)
	w.clean(3)
}

func TestWhatMayStillRingIsCanceledAndWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.phones.hidden = true
	w.phones.script = append(w.phones.script, w.phones.lost, says(call.ClassThrottled, "throttled"))
	w.profile(func(p *call.Profile) { p.Resend = call.ResendNever })
	w.place(request("n", start))
	w.place(request("waits", start))
	w.state("waits", 0, call.Received, "throttled")
	done, err := w.tryForget()
	if err != nil || !slices.Equal(done.Erased, []string{w.row("waits", 0).ID}) || len(done.Waiting) != 1 || done.Waiting[0].ID != w.row("n", 0).ID {
		t.Fatalf("%+v, %v", done, err)
	}
	w.state("waits", 0, call.Canceled, "canceled")
	if until := w.row("n", 0).SettledAt(); !done.Until().After(until) || done.Until().Sub(until) > time.Second {
		t.Errorf("it waits until %s, the attempt is settled at %s", done.Until(), until)
	}
	if c := w.row("n", 0); c.CancelRequested.IsZero() || c.Destination == "" {
		t.Errorf("%+v", c)
	}
	w.outcome(w.place(request("n", start)), call.MetDialing, call.AckDone, call.ReasonInProgress)
	w.clock.advance(done.Until().Sub(w.clock.Now()))
	if done, err = w.tryForget(); err != nil || len(done.Erased) != 1 || len(done.Waiting) > 0 { // no sweeper is needed
		t.Fatalf("%+v, %v", done, err)
	}
	w.state("n", 0, call.InDoubt, "canceled")
	w.gone(2)
	w.outcome(w.place(request("n", start)), call.MetInDoubt, call.AckDone, call.ReasonForgotten)
	// The looks go on, and what they find is evidence: it says nothing about the recipient.
	w.phones.hidden = false
	w.settle()
	w.state("n", 0, call.Placed, "")
	w.gone(2)
	w.clean(1)
}

func TestLateFactsAreMergedIntoAForgottenRow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.phones.hidden = true
	w.profile(func(p *call.Profile) { p.Resend = call.ResendNever })
	w.phones.script = append(w.phones.script, w.phones.lost)
	w.place(request("n", start))
	w.settle()
	w.place(cancel("gone", start)) // a key that was withdrawn before its request
	w.forget()
	if _, err := w.engine.SawContact(context.Background(), call.Target{}, w.phones.contacts[0].ID); err != nil {
		t.Fatal(err)
	}
	w.state("n", 0, call.Placed, "")
	id := w.row("gone", 0).ID
	w.spool.facts = append(w.spool.facts, call.Fact{RowID: id, Op: "late", Event: call.Event{
		Kind: call.EventContact, At: w.clock.Now(), ContactID: "impossible", From: "answer", Message: "user-1", Delivery: &call.Arrival{ID: "message"},
	}})
	w.sweep()
	if c := w.row("gone", 0); !slices.Equal(c.Anomalies, []string{"impossible"}) {
		t.Errorf("%+v", c)
	}
	w.outcome(w.place(request("gone", start)), call.MetCanceled, call.AckDone, call.ReasonForgotten)
	w.gone(2)
}

func TestAllRingsOfAKeyAreForgotten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.place(request("n", start))
	w.recall("n", 0)
	w.phones.script = append(w.phones.script, w.phones.lost)
	w.profile(func(p *call.Profile) { p.Resend = call.ResendNever })
	w.phones.hidden = true
	w.recall("n", 1)
	done, err := w.tryForget()
	if err != nil || len(done.Erased) > 0 || len(done.Waiting) != 3 { // the last ring needs the first row for its decisions
		t.Fatalf("%+v, %v", done, err)
	}
	w.forget()
	w.gone(3)
	for _, ring := range []int{0, 1, 2} {
		if out := w.recall("n", ring); out.Code != call.CodeForgotten {
			t.Errorf("a re-call of ring %d: %+v", ring, out)
		}
	}
	w.outcome(w.place(request("n", w.clock.Now())), call.MetPlaced, call.AckDone, call.ReasonForgotten)
	w.clean(3)
}

func TestAnErasureThatDiedHalfWayRingsNothingAndIsFinished(t *testing.T) {
	t.Parallel()
	var w *world
	erasures := 0
	for effect := 1; effect < 30 && erasures == 0; effect++ {
		w = newWorld(t)
		w.profile(window(day))
		w.place(request("n", start))
		w.recall("n", 0)
		w.faults.names, w.faults.fail, w.faults.mode = nil, effect, crashAfter
		_, _ = w.tryForget()
		for _, c := range w.rows() {
			if c.IsForgotten() {
				erasures++
			}
		}
	}
	w.faults.fail = 0
	if erasures != 1 || !w.row("n", 1).IsForgotten() || w.row("n", 0).IsForgotten() {
		t.Fatalf("%d rows are forgotten, want the highest ring alone", erasures)
	}
	w.clean(2)
	w.clock.advance(3 * day)
	w.sweep()
	w.outcome(w.place(request("n", w.clock.Now())), call.MetPlaced, call.AckDone, call.ReasonForgotten)
	if out := w.recall("n", 1); out.Code != call.CodeForgotten {
		t.Errorf("a re-call: %+v", out)
	}
	w.forget()
	w.gone(2)
	w.clean(2)
}

func TestForgettingSurvivesEveryFault(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(*world){
		"placed": func(w *world) { w.place(request("n", start)) },
		"two rings": func(w *world) {
			w.place(request("n", start))
			w.recall("n", 0)
		},
		"waiting": func(w *world) {
			w.phones.script = append(w.phones.script, func(call.Send) call.Answer {
				return call.Answer{Class: call.ClassThrottled, RetryAfter: 50 * time.Minute}
			})
			w.place(request("n", start))
		},
		"lost answer": func(w *world) {
			resend(call.ResendNever)(w)
			w.phones.hidden = true
			w.phones.script = append(w.phones.script, w.phones.lost)
			w.place(request("n", start))
		},
	} {
		want, rows := map[string]int{"placed": 1, "two rings": 2, "waiting": 0, "lost answer": 1}[name], 1
		if name == "two rings" {
			rows = 2
		}
		everyFault(t, "forgetting a call that is "+name, prepare, func(w *world) {
			w.forget()
			w.deliver(request("n", start))
			w.deliver(request("n", w.clock.Now()))
			w.settle()
		}, func(w *world) {
			w.gone(rows)
			w.clean(want)
		})
	}
}

func TestManyCallsOfARecipientAreAllForgotten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const many = 600 // more than one question to the index brings
	for n := range many {
		w.place(request(fmt.Sprint("notification-", n), start))
	}
	other := request("notification-0", start)
	other.Request.RecipientID = "user-2"
	w.place(other)
	done, err := w.tryForget()
	if err != nil || len(done.Erased) != many {
		t.Fatalf("%d erased, %v", len(done.Erased), err)
	}
	left := 0
	for _, c := range w.rows() {
		if !c.IsForgotten() {
			left++
		}
	}
	if left != 1 {
		t.Errorf("%d rows are left, want the one of another recipient", left)
	}
	w.clean(many + 1)
}

func TestAReasonForForgettingMustNotNameTheRecipient(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.place(request("n", start))
	for reason, code := range map[string]call.Code{
		"": call.CodeReasonMissing, "user-1 asked for it": call.CodeFieldValue, "call from 90-0000 00001": call.CodeFieldValue,
		"mail of 2026": "", "ticket 123456": "",
	} {
		wish := toForget
		wish.Reason = reason
		if _, err := w.engine.Forget(context.Background(), wish); call.CodeOf(err) != code {
			t.Errorf("reason %q: %v, want %q", reason, err, code)
		}
	}
	if _, err := w.engine.Forget(context.Background(), call.Forgetting{Reason: "request 7"}); call.CodeOf(err) != call.CodeFieldMissing {
		t.Errorf("no recipient: %v", err)
	}
	blind := w.start(func(c *call.Config) { c.Eraser = nil })
	if _, err := blind.Forget(context.Background(), toForget); call.CodeOf(err) != call.CodeNeedsLedger {
		t.Errorf("no eraser: %v", err)
	}
}

// TestARequestThatComesWhileItsRecipientIsForgottenRingsOrIsForgotten lets a delivery come between any two effects of the erasure.
func TestARequestThatComesWhileItsRecipientIsForgottenRingsOrIsForgotten(t *testing.T) {
	t.Parallel()
	for effect := 1; ; effect++ {
		w := newWorld(t)
		w.profile(window(day))
		w.place(request("n", start))
		w.clock.advance(3 * day)
		w.sweep()
		at := w.clock.Now()
		came := false
		w.faults.names, w.faults.at = nil, map[int]func(){effect: func() {
			came = true
			w.place(request("n", at))
		}}
		w.forget()
		if !came {
			if effect < 5 {
				t.Fatalf("only %d effects", effect)
			}
			return
		}
		w.forget()
		w.outcome(w.place(request("n", at)), call.MetPlaced, call.AckDone, call.ReasonForgotten)
		w.settle()
		w.gone(len(w.rows()))
		w.clean(len(w.rows()))
	}
}

func TestForgettingACallWithAnAnomalyPagesNobodyAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.place(request("n", start))
	w.phones.ring(call.Send{CallID: w.row("n", 0).ID, Token: "another"}) // a second ring, which must not exist
	for _, contact := range w.phones.contacts {
		if _, err := w.engine.SawContact(context.Background(), call.Target{}, contact.ID); err != nil {
			t.Fatal(err)
		}
	}
	if len(w.row("n", 0).Anomalies) != 1 || w.heard("anomaly") != 1 {
		t.Fatalf("%v, told %d times", w.row("n", 0).Anomalies, w.heard("anomaly"))
	}
	if _, err := w.engine.Annotate(context.Background(), w.row("n", 0).ID, "looking into it", "ann"); err != nil {
		t.Fatal(err)
	}
	w.told = nil
	w.forget()
	alarms := 0
	for _, d := range w.told {
		if d.Alarm {
			alarms++
		}
	}
	if w.heard("anomaly") != 0 || alarms != 0 || w.heard("forgotten") != 1 {
		t.Errorf("%d anomalies, %d alarms, %d lines of the erasure", w.heard("anomaly"), alarms, w.heard("forgotten"))
	}
}

// TestAnErasureThatARequestCutsAcrossAndThatDiesRingsNothingAfterwards lets a request come before any effect of the erasure of two rings, and
// the process die at any later one: of a key of which one ring is erased nothing rings any more, and the next run finishes it.
func TestAnErasureThatARequestCutsAcrossAndThatDiesRingsNothingAfterwards(t *testing.T) {
	t.Parallel()
	began := 0
	for comes := 1; ; comes++ {
		for dies := comes; ; dies++ {
			w := newWorld(t)
			w.profile(window(day))
			w.place(request("n", start))
			w.recall("n", 0)
			w.clock.advance(3 * day)
			w.sweep()
			at, came := w.clock.Now(), false
			w.faults.names, w.faults.fail, w.faults.mode = nil, dies, crashAfter
			w.faults.at = map[int]func(){comes: func() {
				came = true
				w.place(request("n", at))
			}}
			_, _ = w.tryForget()
			w.faults.at, w.faults.fail = nil, 0
			if w.faults.fired == 0 && came {
				break // the erasure has fewer effects
			}
			if !came {
				if comes < 6 || began < 10 {
					t.Fatalf("only %d effects, %d erasures that had begun", comes, began)
				}
				return
			}
			erased := false
			for _, c := range w.rows() {
				erased = erased || c.IsForgotten()
			}
			rings := w.phones.total()
			for range 4 {
				w.clock.advance(3 * day)
				w.sweep()
				w.place(request("n", w.clock.Now()))
				w.recall("n", len(w.rows())-1)
			}
			if erased {
				began++
				if w.phones.total() != rings {
					t.Errorf("request at effect %d, death at %d (%v): %d rings after an erasure began, %d before", comes, dies, w.faults.names, w.phones.total(), rings)
				}
				w.outcome(w.place(request("n", w.clock.Now())), call.MetPlaced, call.AckDone, call.ReasonForgotten)
			}
			w.clean(w.phones.total())
			w.forget()
			w.gone(len(w.rows()))
		}
	}
}

func TestNoRingIsOpenedForAKeyThatIsBeingForgotten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.profile(window(day))
	w.place(request("n", start))
	w.recall("n", 0)
	w.faults.mode = crashAfter
	for effect := 1; w.row("n", 0).Forgetting.IsZero(); effect++ {
		w.faults.names, w.faults.fail = nil, effect
		_, _ = w.tryForget()
	}
	w.faults.fail = 0
	if w.row("n", 1).IsForgotten() {
		t.Fatal("a ring was erased before the key was marked")
	}
	w.clock.advance(3 * day)
	w.outcome(w.place(request("n", w.clock.Now())), call.MetPlaced, call.AckDone, call.ReasonForgotten)
	other := request("n", w.clock.Now())
	other.Request.Destination = phone(t, "+819000000002")
	w.outcome(w.place(other), call.MetPlaced, call.AckDone, call.ReasonForgotten)
	w.outcome(w.place(cancel("n", w.clock.Now())), call.MetCancelKept, call.AckDone, "")
	for ring := range 2 {
		if out := w.recall("n", ring); out.Code != call.CodeForgotten {
			t.Errorf("a re-call of ring %d: %+v", ring, out)
		}
	}
	if notes, err := w.store.Notes(context.Background(), w.row("n", 1).ID); err != nil || notes.Suppressed > 0 {
		t.Errorf("%+v, %v", notes, err)
	}
	w.clean(2)
	w.forget()
	w.gone(2)
	if !w.row("n", 0).Forgetting.IsZero() {
		t.Error("the mark outlives the erasure")
	}
}

// illegible is a ledger in which some rows cannot be read.
type illegible struct {
	*faults
	ids map[string]error
}

// Get implements call.Ledger.
func (l illegible) Get(ctx context.Context, id string) (call.Call, error) {
	if err := l.ids[id]; err != nil {
		return call.Call{}, err
	}
	return l.faults.Get(ctx, id)
}

func TestARowThatCannotBeReadKeepsNoOtherCallOfItsRecipient(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, n := range []string{"a", "b", "c", "d", "e"} {
		w.place(request(n, start))
		w.clock.advance(time.Second)
	}
	w.recall("d", 0)
	torn, newer := errors.New("the row is torn"), fmt.Errorf("the row is of tomorrow: %w", call.ErrNewerRow)
	ledger := illegible{w.faults, map[string]error{w.row("b", 0).ID: torn, w.row("d", 1).ID: newer}}
	engine := w.start(func(c *call.Config) { c.Ledger = ledger })
	for run := range 2 {
		done, err := engine.Forget(context.Background(), toForget)
		if !errors.Is(err, torn) || !errors.Is(err, call.ErrNewerRow) || len(done.Waiting) > 0 {
			t.Fatalf("%+v, %v", done, err)
		}
		var failed []string
		for _, f := range done.Failed {
			failed = append(failed, f.ID)
			if !strings.Contains(err.Error(), f.ID) || !errors.Is(err, f.Err) {
				t.Errorf("the error does not name %s: %v", f.ID, err)
			}
		}
		slices.Sort(failed)
		want := []string{w.row("b", 0).ID, w.row("d", 0).ID, w.row("d", 1).ID} // both rings of a key, of which one cannot be read
		slices.Sort(want)
		if !slices.Equal(failed, want) || (run == 0) != (len(done.Erased) == 3) {
			t.Errorf("run %d: failed %v, want %v; %d erased", run, failed, want, len(done.Erased))
		}
	}
	for _, n := range []string{"a", "c", "e"} {
		if !w.row(n, 0).IsForgotten() {
			t.Errorf("%s is not forgotten", n)
		}
	}
	w.clean(6)
	w.forget() // repaired
	w.gone(6)
}

func TestALedgerThatWentBackEndsAnErasureAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ids := map[string]error{}
	for _, n := range []string{"a", "b", "c"} {
		w.place(request(n, start))
		ids[w.row(n, 0).ID] = call.ErrWentBack
	}
	engine := w.start(func(c *call.Config) { c.Ledger = illegible{w.faults, ids} })
	if done, err := engine.Forget(context.Background(), toForget); !errors.Is(err, call.ErrWentBack) || len(done.Failed) != 1 {
		t.Errorf("%+v, %v", done, err)
	}
}
