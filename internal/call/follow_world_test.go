package call_test

import (
	"context"
	"fmt"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/rules"
)

// patient is the rule of most stories here: two re-calls over all outcomes.
func patient() rules.RecallRule {
	return rules.RecallRule{Budget: 2, Wait: map[call.ContactOutcome]time.Duration{
		call.OutcomeBusy: 5 * time.Minute, call.OutcomeNoAnswer: 15 * time.Minute, call.OutcomeVoicemail: 30 * time.Minute, rules.OutcomeFailed: 30 * time.Second,
	}}
}

// followed lets what comes after the end of a call be decided, by a rule.
func followed(rule rules.RecallRule) func(*call.Config) {
	return func(c *call.Config) {
		c.Tracks = func(call.Profile) (bool, bool) { return true, rule.Budget > 0 }
		c.Again = func(c call.Call, _ call.Profile) call.Follow { return rules.Decide(c, rule) }
		c.Outcome = func(s call.Sight) (call.ContactOutcome, bool) {
			switch {
			case !s.Confirmed.IsZero():
				return call.OutcomeConfirmed, s.Over()
			case s.Over():
				return call.ContactOutcome(s.Reason.Text), true
			}
			return "", false
		}
	}
}

// followedWorld is a world with a rule.
func followedWorld(rule rules.RecallRule) func(*world) {
	return func(w *world) { w.change = append(w.change, followed(rule)) }
}

// raw is the ledger below everything that breaks or counts its writes: what happens to a contact is no write of the story.
func (w *world) raw() call.Ledger {
	if s, counted := w.store.(*sites); counted {
		return s.Ledger
	}
	return w.store
}

// hangUp ends every contact whose end is not known yet, as its events would say: a minute after it began.
func (w *world) hangUp(of func(call.Call) call.ContactOutcome) {
	w.t.Helper()
	for _, c := range w.rows() {
		if c.State != call.Placed || !c.Tracked || (c.Sight != nil && c.Sight.Over()) || c.IsForgotten() {
			continue
		}
		sight := call.Sight{Initiated: c.PlacedAt, Disconnected: c.PlacedAt.Add(time.Minute), Reason: call.Remark{Text: string(of(c)), At: c.PlacedAt}}
		if of(c) == call.OutcomeConfirmed {
			sight.Confirmed = c.PlacedAt.Add(30 * time.Second)
		}
		if early := sight.Disconnected.Sub(w.clock.Now()); early >= 0 {
			w.clock.advance(early + time.Second)
		}
		event := call.Event{Kind: call.EventSeen, At: w.clock.Now(), ContactID: c.ContactID, Sight: &sight, Outcome: of(c)}
		if c.Follows {
			event.Due, event.Reason = event.At, "follow"
		}
		write, err := c.Write(event, fmt.Sprintf("seen-%s-%d", c.ID, c.Version))
		if err == nil {
			_, err = w.raw().Update(context.Background(), write)
		}
		if err != nil {
			w.t.Fatal(err)
		}
	}
}

// live lets time pass until nothing is due, and every contact ends as it is told.
func (w *world) live(of func(call.Call) call.ContactOutcome) {
	w.t.Helper()
	for range 200 {
		w.hangUp(of)
		next := time.Time{}
		for _, c := range w.rows() {
			if due := c.DueAt(); !due.IsZero() && (next.IsZero() || due.Before(next)) {
				next = due
			}
		}
		if next.IsZero() && len(w.spool.facts) == 0 {
			return
		}
		w.clock.advance(max(next.Sub(w.clock.Now()), time.Second))
		w.sweep()
	}
	w.t.Fatalf("it never comes to rest: %+v", w.rows())
}

// always ends every contact alike.
func always(o call.ContactOutcome) func(call.Call) call.ContactOutcome {
	return func(call.Call) call.ContactOutcome { return o }
}

// inTurn ends the rings of a key one after another; the last outcome is that of all further ones.
func inTurn(outcomes ...call.ContactOutcome) func(call.Call) call.ContactOutcome {
	return func(c call.Call) call.ContactOutcome { return outcomes[min(c.Ring, len(outcomes)-1)] }
}

// by ends the contacts of the named recipient in one way, and all others unanswered.
func by(recipient string, o call.ContactOutcome) func(call.Call) call.ContactOutcome {
	return func(c call.Call) call.ContactOutcome {
		if c.Key.RecipientID == recipient {
			return o
		}
		return call.OutcomeNoAnswer
	}
}

// escalating is a request with a list.
func escalating(notification string, requestedAt time.Time, recipients ...string) call.Delivery {
	d := request(notification, requestedAt)
	numbers := []string{"+819000000101", "+819000000102", "+819000000103"}
	for i, id := range recipients {
		d.Request.Escalation = append(d.Request.Escalation, call.Recipient{RecipientID: id, Destination: numbers[i]})
	}
	return d
}

// to makes a delivery one for another recipient.
func to(recipient string, d call.Delivery) call.Delivery {
	d.Request.RecipientID = recipient
	return d
}

func acknowledgment(notification string, at time.Time) call.Delivery {
	d := cancel(notification, at)
	d.Request.Action = call.ActionAck
	return d
}

// rowFor returns a ring of another recipient's key; a zero row when there is none.
func (w *world) rowFor(notification, recipient string, ring int) call.Call {
	w.t.Helper()
	c, err := w.raw().Get(context.Background(), call.Naming{}.Row(call.Key{Kind: call.KindVoice, NotificationID: notification, RecipientID: recipient}, ring))
	if err != nil && !isNotFound(err) {
		w.t.Fatal(err)
	}
	return c
}

// forgetRecipient forgets another recipient than the usual one.
func (w *world) forgetRecipient(id string) error {
	_, err := w.engine.Forget(context.Background(), call.Forgetting{RecipientID: id, Actor: "ann", Reason: "asked for it"})
	return err
}

// forgetUntil forgets them however long their calls need to settle.
func (w *world) forgetUntil(id string) {
	w.t.Helper()
	for range 60 {
		done, err := call.Forgot{}, error(nil)
		w.survive(func() {
			done, err = w.engine.Forget(context.Background(), call.Forgetting{RecipientID: id, Actor: "ann", Reason: "asked for it"})
		})
		if err == nil && len(done.Waiting) == 0 && w.rowFor("n", id, 0).IsForgotten() {
			return
		}
		w.clock.advance(max(time.Minute, done.Until().Sub(w.clock.Now())))
	}
	w.t.Fatal("the recipient is never forgotten")
}
