package call_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/rules"
)

// lived judges re-calls and escalation lists while they happen: each dial is held against what is known then. It knows what the engine was
// told, and nothing of how it decides.
type lived struct {
	*world

	budget int
	known  map[string]time.Time // notification: when an acknowledgment of its head was answered
	ends   map[string]time.Time // row: when its contact ended
	wrong  []string
}

func newLived(w *world, budget int) *lived {
	l := &lived{world: w, budget: budget, known: map[string]time.Time{}, ends: map[string]time.Time{}}
	w.phones.onDial = l.dialed
	return l
}

func (l *lived) say(format string, args ...any) {
	l.wrong = append(l.wrong, fmt.Sprintf(format, args...))
}

// dialed looks at the rows as they are when a dial goes out.
func (l *lived) dialed(s call.Send) {
	var c call.Call
	rows := l.rows()
	for _, row := range rows {
		if row.ID == s.CallID {
			c = row
		}
	}
	began := time.Time{}
	for _, a := range c.Open {
		if a.ID == s.AttemptID {
			began = a.Opened
		}
	}
	// Who was asked for otherwise is no concern of the head's acknowledgment, until a list has reached them.
	reached := c.Key.RecipientID == "user-1" || slices.ContainsFunc(rows, func(row call.Call) bool {
		return row.Key == c.Key && row.Ring == 0 && row.EscalatedFrom != ""
	})
	if at, known := l.known[c.Key.NotificationID]; known && reached && began.After(at) {
		l.say("%s ring %d was dialed after an acknowledgment was known", c.Key.RecipientID, c.Ring)
	}
	for _, row := range rows {
		same := row.Key.NotificationID == c.Key.NotificationID
		switch {
		case same && row.Key == c.Key && row.Ring == c.Ring-1 && c.Cause == call.CauseRule:
			if ended := l.ends[row.ID]; row.State == call.Placed && began.Before(ended.Add(waitOf(row.Outcome))) {
				l.say("ring %d was dialed %s after the end of the ring before, which was %s", c.Ring, began.Sub(ended), row.Outcome)
			}
			if row.State == call.InDoubt {
				l.say("a doubt was rung again")
			}
		case same && row.ID == c.EscalatedFrom || (same && row.Key.RecipientID == l.headOf(rows, c)):
			if row.State == call.InDoubt || !row.State.Final() {
				l.say("the list went on while %s is %s", row.Key.RecipientID, row.State)
			}
		}
	}
}

// headOf returns the recipient whose list made a call; empty when none did.
func (*lived) headOf(rows []call.Call, c call.Call) string {
	for _, row := range rows {
		if c.EscalatedFrom != "" && row.ID == c.EscalatedFrom {
			return row.Key.RecipientID
		}
	}
	return ""
}

// judge counts the rings of each request at the end, on the telephone's side.
func (l *lived) judge() []string {
	for _, b := range l.breaches() {
		l.say("%s", b)
	}
	type asked struct {
		key call.Key
		at  time.Time
	}
	rang := map[asked]int{}
	for _, c := range l.rows() {
		if !c.State.Final() {
			l.say("%s is %s for ever", c.Key.RecipientID, c.State)
		}
		rang[asked{c.Key, c.RequestedAt}] += len(l.phones.rings[c.ID])
	}
	for a, n := range rang {
		if n > 1+l.budget {
			l.say("%d rings of one request of %s, with a budget of %d", n, a.key.RecipientID, l.budget)
		}
	}
	return l.wrong
}

func waitOf(o call.ContactOutcome) time.Duration { return patient().Wait[o] }

// ring ends what rings as the draw says, and remembers when.
func (l *lived) ring(of func(call.Call) call.ContactOutcome) {
	l.hangUp(of)
	for _, c := range l.rows() {
		if c.Sight != nil && c.Sight.Over() {
			l.ends[c.ID] = c.Sight.Disconnected
		}
	}
}

func (l *lived) rest(of func(call.Call) call.ContactOutcome) {
	for range 300 {
		l.ring(of)
		next := time.Time{}
		for _, c := range l.rows() {
			if due := c.DueAt(); !due.IsZero() && (next.IsZero() || due.Before(next)) {
				next = due
			}
		}
		if next.IsZero() && len(l.spool.facts) == 0 {
			return
		}
		l.clock.advance(max(next.Sub(l.clock.Now()), time.Second))
		l.sweepQuietly()
	}
	l.say("it never comes to rest")
}

var drawnOutcomes = []call.ContactOutcome{call.OutcomeNoAnswer, call.OutcomeBusy, call.OutcomeVoicemail, call.OutcomeAnswered, call.OutcomeConfirmed}

func TestNoRandomLifeRingsTooOftenTooEarlyOrAfterItIsKnown(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		rule := patient()
		rule.Budget = rapid.IntRange(0, 3).Draw(rt, "budget")
		w := newFollowed(t, rule)
		w.profile(func(p *call.Profile) {
			p.Resend = rapid.SampledFrom([]call.Resend{call.ResendToken, call.ResendNever}).Draw(rt, "resend")
			p.MaxAttempts = 2
			p.Window = call.Window{For: day}
		})
		w.phones.hidden = rapid.Bool().Draw(rt, "hidden")
		l := newLived(w, rule.Budget)
		second := w.start(func(c *call.Config) { c.Ledger = w.store })
		keys := []string{"a", "b"}
		rt.Repeat(map[string]func(*rapid.T){
			"request": func(rt *rapid.T) {
				w.place(escalating(rapid.SampledFrom(keys).Draw(rt, "key"), start, "user-2", "user-3"))
			},
			"own request": func(rt *rapid.T) { w.place(to("user-2", request(rapid.SampledFrom(keys).Draw(rt, "key"), start))) },
			"acknowledge": func(rt *rapid.T) {
				key := rapid.SampledFrom(keys).Draw(rt, "key")
				if out := w.place(acknowledgment(key, w.clock.Now())); out.Ack == call.AckDone && l.known[key].IsZero() {
					l.known[key] = w.clock.Now()
				}
			},
			"outcome": func(rt *rapid.T) {
				o := rapid.SampledFrom(drawnOutcomes).Draw(rt, "outcome")
				l.ring(always(o))
			},
			"answers": func(rt *rapid.T) {
				w.phones.script = append(w.phones.script, rapid.SampledFrom([]func(call.Send) call.Answer{
					w.phones.lost, says(call.ClassThrottled, "throttled"), says(call.ClassRefusedRequest, "invalid_parameter"), says(call.ClassAmbiguous, "reset"),
				}).Draw(rt, "answer"))
			},
			"fault": func(rt *rapid.T) {
				w.faults.names, w.faults.fail = nil, rapid.IntRange(1, 9).Draw(rt, "effect")
				w.faults.mode = rapid.SampledFrom(modes).Draw(rt, "mode")
			},
			"sweep": func(*rapid.T) { w.sweepQuietly() },
			"other": func(*rapid.T) { w.faults.pause(func() { _, _ = second.Sweep(context.Background(), 10) }) },
			"time": func(rt *rapid.T) {
				w.clock.advance(time.Duration(rapid.SampledFrom([]int{1, 40, 301, 901, 4000}).Draw(rt, "seconds")) * time.Second)
			},
		})
		w.faults.fail, w.phones.script = 0, nil
		l.rest(always(rapid.SampledFrom(drawnOutcomes).Draw(rt, "last")))
		for _, wrong := range l.judge() {
			rt.Error(wrong)
		}
		if n := w.heard("breach"); n > 0 {
			rt.Errorf("the engine stopped itself before a breach: %+v", w.told)
		}
	})
}

// uncompared is a ledger that makes the claim of a ring also when the row has moved: what a worker does that follows an end without a claim.
type uncompared struct{ call.Ledger }

func (u uncompared) Update(ctx context.Context, w call.Write) (call.Written, error) {
	written, err := u.Ledger.Update(ctx, w)
	event, _ := w.Entry.Event()
	if err != nil || written.Applied || event.Kind != call.EventRingOpened {
		return written, err
	}
	next := *event.Next
	next.Ring = written.Row.LastRing + 1
	event.Next = &next
	again, err := written.Row.Write(event, w.Entry.Op)
	if err != nil {
		return call.Written{}, err
	}
	return u.Ledger.Update(ctx, again)
}

func TestNaiveRecallsAreCaught(t *testing.T) {
	t.Parallel()
	outcomes := inTurn(call.OutcomeBusy, call.OutcomeNoAnswer, call.OutcomeVoicemail, call.OutcomeBusy)
	one := rules.RecallRule{Budget: 1, Wait: patient().Wait}
	plant := map[string]func(w *world, c *call.Config){
		"a budget for each outcome": func(w *world, c *call.Config) {
			c.Again = func(ended call.Call, _ call.Profile) call.Follow {
				same := slices.IndexFunc(w.rows(), func(o call.Call) bool { return o.Key == ended.Key && o.Ring < ended.Ring && o.Outcome == ended.Outcome })
				return call.Follow{Again: same < 0, Wait: waitOf(ended.Outcome)}
			}
		},
		"the wait counts from the start": func(_ *world, c *call.Config) {
			c.Again = func(ended call.Call, _ call.Profile) call.Follow {
				f := rules.Decide(ended, one)
				f.Wait -= time.Minute // how long it lasted
				return f
			}
		},
		"nothing is claimed": func(w *world, c *call.Config) { c.Ledger = uncompared{w.faults} },
		"":                   func(*world, *call.Config) {},
	}
	for name, change := range plant {
		w := newFollowed(t, one)
		w.change = append(w.change, func(c *call.Config) { change(w, c) })
		w.engine = w.start()
		l := newLived(w, one.Budget)
		second := w.start()
		w.deliver(request("n", start))
		l.ring(outcomes)
		w.faults.names, w.faults.at = nil, map[int]func(){}
		for n := 1; n < 20; n++ {
			w.faults.at[n] = func() { // another worker decides between the read and the claim
				if last := w.faults.names[len(w.faults.names)-1]; last == "update ring-opened" {
					_, _ = second.Sweep(context.Background(), 10)
				}
			}
		}
		w.sweepQuietly()
		w.faults.at = nil
		l.rest(outcomes)
		if wrong := l.judge(); (len(wrong) > 0) != (name != "") {
			t.Errorf("%q: %v", name, wrong)
		} else {
			t.Logf("%q: %v", name, wrong)
		}
	}
}

func TestAnEscalationOnADoubtIsRefusedAndCaught(t *testing.T) {
	t.Parallel()
	w := newFollowed(t, rules.RecallRule{})
	resend(call.ResendNever)(w)
	w.phones.hidden = true
	w.phones.script = append(w.phones.script, w.phones.lost)
	l := newLived(w, 0)
	w.deliver(escalating("n", start, "user-2"))
	w.settle()
	c := w.state("n", 0, call.InDoubt, w.row("n", 0).Code)
	event := call.Event{Kind: call.EventEscalated, At: w.clock.Now(), Turn: &call.Turn{Recipient: c.Escalation[0], RequestedAt: c.RequestedAt, Tier: c.Tier, Due: w.clock.Now()}}
	write, err := c.Write(event, "naive")
	if err != nil {
		t.Fatal(err)
	}
	if found := call.CheckWrite(c, event, write.Row); !slices.ContainsFunc(found, func(b call.Breach) bool { return b.Invariant == "I8" }) {
		t.Errorf("the engine would write it: %v", found)
	}
	if _, err := w.raw().Update(context.Background(), write); err != nil && !errors.Is(err, call.ErrNotFound) {
		t.Fatal(err)
	}
	w.sweep()
	if wrong := l.judge(); len(wrong) == 0 {
		t.Error("nobody noticed that a doubt went on to the next recipient")
	}
}
