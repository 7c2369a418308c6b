package call_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// caught fails the test when no oracle reports the invariant: then a clean report of the other tests would prove nothing.
func caught(t *testing.T, w *world, invariant string) {
	t.Helper()
	found := w.breaches()
	for _, b := range found {
		if b.Invariant == invariant {
			return
		}
	}
	t.Errorf("the defect was not caught as %s: %d rings, %v", invariant, w.phones.total(), found)
}

// unguarded is a dialer that ignores the bounds of the signature.
type unguarded struct{ *phones }

func (u unguarded) Dial(_ context.Context, s call.Send) call.Answer {
	if u.onDial != nil {
		u.onDial(s)
	}
	return u.accept(s)
}

func TestADialWithoutTheSignatureCheckIsCaught(t *testing.T) {
	t.Parallel()
	for _, guarded := range []bool{true, false} { // N9
		w := newWorld(t)
		if !guarded {
			w.engine = w.start(func(c *call.Config) { c.Dialer = unguarded{w.phones} })
		}
		second := w.start()
		w.phones.hidden = true
		w.phones.onDial = func(call.Send) { // the worker freezes between its intent and the wire
			w.phones.onDial = nil
			w.clock.advance(2 * time.Minute)
			if _, err := second.Sweep(context.Background(), 10); err != nil {
				t.Error(err)
			}
			w.clock.advance(8 * day)
		}
		w.place(request("n", start))
		if guarded {
			w.clean(1)
		} else {
			caught(t, w, "I1")
		}
	}
}

// retrying is a client library that retries inside one attempt and reports the last answer only.
type retrying struct{ *phones }

func (r retrying) Dial(ctx context.Context, s call.Send) call.Answer {
	answer := r.phones.Dial(ctx, s)
	if answer.Class == call.ClassAmbiguous {
		answer = r.phones.Dial(ctx, s)
	}
	return answer
}

func TestAClientThatRetriesInsideAnAttemptIsCaught(t *testing.T) {
	t.Parallel()
	w := newWorld(t) // N25
	w.engine = w.start(func(c *call.Config) { c.Dialer = retrying{w.phones} })
	w.phones.script = append(w.phones.script, w.phones.lost, says(call.ClassRefusedRequest, "invalid_parameter"))
	w.place(request("n", start))
	caught(t, w, "I3")
}

// forgetful has no compare: whatever is written last wins.
type forgetful struct{ call.Ledger }

func (f forgetful) Update(ctx context.Context, w call.Write) (call.Written, error) {
	for {
		written, err := f.Ledger.Update(ctx, w)
		if err != nil || written.Applied {
			return written, err
		}
		w.Row.Version, w.Entry.Seq = written.Row.Version+1, written.Row.Version+1
	}
}

func TestALedgerWithoutCompareIsCaught(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]func(*world){
		"two clicks (R6)": func(w *world) {
			first, second := w.row("n", 0), w.start(func(c *call.Config) { c.Ledger = forgetful{w.store} })
			w.faults.names, w.faults.at = nil, map[int]func(){2: func() {
				second.Recall(context.Background(), first.ID, call.Recall{Actor: "bob", Reason: "again"})
			}}
			w.recall("n", 0)
		},
		"a fact beside a decision (R28)": func(w *world) {
			w.phones.script = append(w.phones.script, func(s call.Send) call.Answer {
				_, err := w.engine.Annotate(context.Background(), s.CallID, "note", "ann")
				if err != nil {
					w.t.Error(err)
				}
				return w.phones.ring(s)
			})
			w.place(request("m", start))
		},
	} {
		w := newWorld(t)
		w.place(request("n", start))
		w.faults.Ledger = forgetful{w.store}
		act(w)
		caught(t, w, "I9")
		if t.Failed() {
			t.Log(name)
		}
	}
}

func TestATokenWithoutTheRingNumberIsCaught(t *testing.T) {
	t.Parallel()
	w := newWorld(t) // R14: the ledger keeps tokens unique, so the ring that was asked for fails, and says why
	token := func(in call.TokenInput) (string, error) { return in.NotificationID, nil }
	w.engine = w.start(func(c *call.Config) { c.Token = token })
	w.place(request("n", start))
	w.recall("n", 0)
	w.settle()
	w.state("n", 1, call.Failed, call.CodeTokenTaken)
	w.clean(1)
}

func TestARandomTokenIsCaught(t *testing.T) {
	t.Parallel()
	for _, random := range []bool{false, true} { // N1: without a ledger the token alone protects
		w := newWorld(t)
		n := 0
		d := w.direct(func(c *call.Config) {
			if deterministic := c.Token; random {
				c.Token = func(in call.TokenInput) (string, error) {
					n++
					token, err := deterministic(in)
					return fmt.Sprint(token, n), err
				}
			}
		})
		w.phones.script = append(w.phones.script, w.phones.lost)
		d.Place(context.Background(), request("n", start))
		d.Place(context.Background(), request("n", start))
		if got := w.phones.total() > 1; got != random {
			t.Errorf("random %v: %d rings", random, w.phones.total())
		}
		if random {
			caught(t, w, "I1")
		}
	}
}

// lost lists acknowledged keys that have no row (I7).
func (w *world) lost(acknowledged ...string) []string {
	known := map[string]bool{}
	for _, c := range w.rows() {
		known[c.ID] = true // a forgotten row has nothing but its id
	}
	var missing []string
	for _, id := range acknowledged {
		if key := (call.Key{Kind: call.KindVoice, NotificationID: id, RecipientID: "user-1"}); !known[call.Naming{}.Row(key, 0)] {
			missing = append(missing, id)
		}
	}
	return missing
}

func TestAnEarlyAcknowledgementIsCaught(t *testing.T) {
	t.Parallel()
	for _, early := range []bool{false, true} { // N7: the source forgets the delivery before write 1
		w := newWorld(t)
		w.faults.names, w.faults.fail, w.faults.mode = nil, 2, crashBefore
		out := w.place(request("n", start))
		if early {
			out.Ack = call.AckDone
		}
		if out.Ack == call.AckRetry {
			w.deliver(request("n", start))
		}
		w.settle()
		if got := len(w.lost("n")) > 0; got != early {
			t.Errorf("early %v: lost %v", early, w.lost("n"))
		}
	}
}

func TestAnAcknowledgementWithoutASweeperIsCaught(t *testing.T) {
	t.Parallel()
	w := newWorld(t) // R30
	w.phones.script = append(w.phones.script, says(call.ClassThrottled, "throttled"))
	w.clock.advance(time.Hour)
	if out := w.place(request("n", start)); out.Ack != call.AckRetry {
		t.Errorf("%+v", out)
	}
	w.clock.advance(time.Hour) // the source forgets it, and nobody sweeps
	caught(t, w, "I12")
}

// finals is a ledger whose due index holds calls only while they are not final.
type finals struct{ call.Ledger }

func (f finals) Due(ctx context.Context, now time.Time, limit int) ([]string, error) {
	ids, err := f.Ledger.Due(ctx, now, limit)
	var open []string
	for _, id := range ids {
		if c, err := f.Get(ctx, id); err == nil && !c.State.Final() {
			open = append(open, id)
		}
	}
	return open, err
}

func TestADueIndexWithoutUnconfirmedRingsIsCaught(t *testing.T) {
	t.Parallel()
	w := newWorld(t) // R20, R10
	w.place(request("n", start))
	w.faults.names, w.faults.fail, w.faults.mode = nil, 3, crashBefore
	w.recall("n", 0)
	w.faults.Ledger = finals{w.store}
	for range 10 {
		w.clock.advance(time.Minute)
		w.sweepQuietly()
	}
	caught(t, w, "I12")
}

// amnesiac does not recognize its own write when the answer of the first try was lost.
type amnesiac struct {
	call.Ledger
	fail bool
}

func (a *amnesiac) Create(ctx context.Context, w call.Write) (call.Written, error) {
	written, err := a.Ledger.Create(ctx, w)
	if a.fail {
		a.fail = false
		return call.Written{}, fmt.Errorf("connection reset")
	}
	return call.Written{Row: written.Row}, err
}

func TestAnOwnWriteTakenForALostRaceIsCaughtWithoutASweeperOnly(t *testing.T) {
	t.Parallel()
	for _, sweeper := range []bool{false, true} { // N18, N19
		w := newWorld(t)
		w.faults.Ledger = &amnesiac{w.store, true}
		w.place(request("n", start))
		w.faults.Ledger = w.store
		if sweeper {
			w.settle()
			w.clean(1)
			continue
		}
		w.clock.advance(time.Hour)
		caught(t, w, "I12")
	}
}

func TestAFactThatIsKeptInMemoryOnlyIsCaught(t *testing.T) {
	t.Parallel()
	for _, spooled := range []bool{true, false} { // R29
		w := newWorld(t)
		resend(call.ResendNever)(w)
		w.phones.hidden, w.spool.broken = true, !spooled
		w.faults.names, w.faults.fail, w.faults.mode = nil, 4, outBefore
		w.place(request("n", start))
		w.settle()
		doubt := w.row("n", 0).State == call.InDoubt // although a contact id was received
		if doubt == spooled {
			t.Errorf("spooled %v: %s", spooled, w.row("n", 0).State)
		}
	}
}

func TestAChangedBodyUnderOneTokenIsCaught(t *testing.T) {
	t.Parallel()
	w := newWorld(t) // N4a: the dialer serializes anew instead of sending the stored bytes
	w.engine = w.start(func(c *call.Config) { c.Dialer = reserializing{w.phones} })
	w.phones.script = append(w.phones.script, w.phones.lost)
	w.place(request("n", start))
	caught(t, w, "I5")
}

type reserializing struct{ *phones }

func (r reserializing) Dial(ctx context.Context, s call.Send) call.Answer {
	s.Body = append(s.Body, byte('0'+len(r.dials)))
	return r.phones.Dial(ctx, s)
}
