package call

import (
	"context"
	"errors"
	"time"
)

// withdrawal is a cancel or an acknowledgment on its way to the rows that it is meant for.
type withdrawal struct {
	at    time.Time // requests not later than this are meant
	now   time.Time
	acks  bool
	d     *Arrival
	actor string
	// reason is a person's, empty for a producer's cancel.
	reason string
	by     string // row of the call in which somebody confirmed: it goes on
	// pressed says that a key press acknowledged.
	pressed bool
}

// event returns the fact for one row; ok is false when the row knows it already.
func (w withdrawal) event(c Call) (event Event, ok bool) {
	event, ok = CancelEvent(c, w.at, w.now, w.d)
	event.Actor = w.actor
	if w.reason != "" {
		event.From, event.Reason, event.Message = "person", w.reason, "A person dropped it: "+w.reason
	}
	if w.acks {
		event.Code, event.Message, event.Acknowledges = codeAcknowledged, "Somebody acknowledged it.", true
		ok = ok || (c.Ring == 0 && w.at.After(c.Acknowledged))
		if w.pressed {
			event.From, event.Message = fromCheckIn, "The recipient confirmed by a key press."
		}
	}
	if (w.acks || c.Tracked) && c.State == Placed && c.LastRing == 0 && c.ID != w.by && c.TooLate.IsZero() && c.hits(w.at) {
		event.Hits, ok = true, true // too late: the phone rang
	}
	return event, ok
}

// tombstone returns the beginning of a key that is withdrawn before any request arrived.
func (w withdrawal) tombstone(k Key) Event {
	event := Event{
		Kind: EventTombstone, At: w.now, Before: w.at, Delivery: w.d, Code: codeCanceled, Acknowledges: w.acks,
		Message: "The producer withdrew the key before any request arrived.", Opening: &Opening{Key: k, Cause: CauseRequest},
	}
	if w.acks {
		event.Code, event.Message = codeAcknowledged, "It was acknowledged before any request arrived."
	}
	return event
}

// kept answers a cancel: it is durable, whatever becomes of the call.
func (w withdrawal) kept(c Call) Outcome {
	out := outcomeOf(c)
	out.Met, out.By = MetCancelKept, c.ID
	if !w.acks {
		return out
	}
	out.Code, out.Message = codeAcknowledged, "Acknowledged: nothing rings for it any more."
	if !c.TooLate.IsZero() {
		out.Message = "Acknowledged after the phone had rung; nothing rings for it any more."
	}
	return out
}

// withdraw brings a withdrawal to all rings of a key and to everybody whom its escalation list has reached. It returns the newest ring.
func (e *Engine) withdraw(ctx context.Context, w withdrawal, first Call) (Call, error) {
	first, row, err := e.withdrawKey(ctx, w, first)
	if err != nil {
		return row, err
	}
	return row, e.withdrawList(ctx, w, first)
}

// withdrawKey brings it to the first row of a key before its newest ring is touched, and hangs that one up.
func (e *Engine) withdrawKey(ctx context.Context, w withdrawal, c Call) (first, top Call, err error) {
	if first, err = e.tainted(ctx, c); err != nil {
		return first, first, err
	}
	if first, err = e.merge(ctx, first, "", w.event); err != nil || first.LastRing == 0 {
		return first, e.stopRinging(ctx, w, first, err), err
	}
	if top, err = e.top(ctx, first); err == nil {
		top, err = e.tainted(ctx, top)
	}
	if err == nil {
		top, err = e.merge(ctx, top, "", w.event)
	}
	return first, e.stopRinging(ctx, w, top, err), err
}

// withdrawList follows an escalation list from a key that knows already, so that no further claim can be made there. A claimed recipient
// without a call gets a canceled one. Who withdraws a call of their own that joined a list does not withdraw that. A call that its own producer
// asked for is not withdrawn by a cancel of another key, only by an acknowledgment.
func (e *Engine) withdrawList(ctx context.Context, w withdrawal, first Call) (err error) {
	if first.Joined && !w.acks {
		return nil
	}
	for range MaxEscalation + 1 {
		var next Call
		switch {
		case first.Turn != nil:
			next, err = e.ensureTurn(ctx, first)
		case first.EscalatedTo != "":
			next, err = e.Ledger.Get(ctx, first.EscalatedTo)
		default:
			return nil
		}
		switch {
		case errors.Is(err, ErrNotFound):
			return nil
		case err != nil:
			return err
		case next.ID == first.ID || next.IsForgotten():
			return nil
		case w.acks || next.Cause == CauseEscalation:
			if next, _, err = e.withdrawKey(ctx, w, next); err != nil {
				return err
			}
		}
		first = next
	}
	return nil
}

// stopRinging hangs up a call that the withdrawal is meant for and that was placed so lately that it may still ring. The ring has happened; it
// is only cut short. A redelivered cancel never touches a ring that was asked for after it (R23). Nothing is done beside an error.
func (e *Engine) stopRinging(ctx context.Context, w withdrawal, c Call, failed error) Call {
	late := c.Sight != nil && c.Sight.Over() || e.Clock.Now().Sub(c.PlacedAt) > e.profileOf(c).LongestCall
	if failed != nil || c.State != Placed || c.ID == w.by || !c.hits(w.at) || late {
		return c
	}
	what := "stopped"
	reason := "cancel came after the ring"
	if w.acks {
		reason = "acknowledged after the ring"
	}
	if err := e.Dialer.Stop(ctx, e.targetOf(c), c.ContactID); err != nil {
		what, reason = "stop-failed", err.Error()
	} else {
		c = e.hungUp(ctx, c)
	}
	e.Observer.Decided(ctx, Decided{What: what, RowID: c.ID, Ring: c.Ring, State: c.State, Contact: c.ContactID, Reason: reason})
	return c
}

// Acknowledgment is somebody's word that they know what a call is about.
type Acknowledgment struct {
	At    time.Time // when; zero means now
	Actor string
	// ConfirmedIn is the row of the call whose key press it was; that call goes on. Empty for every other way.
	ConfirmedIn string
}

// Acknowledge keeps an acknowledgment for the key that the row belongs to: no ring that was asked for until now is dialed any more, of this
// recipient and of those after them on the escalation list, and what still rings is hung up. It can be repeated. It returns the newest ring.
func (e *Engine) Acknowledge(ctx context.Context, id string, a Acknowledgment) (Call, error) {
	row, err := e.Ledger.Get(ctx, id)
	if errors.Is(err, ErrNotFound) {
		return Call{}, refuse(CodeNotFound, "id", "List the calls and use a full id.", "No call has this id.")
	}
	if err == nil && row.Ring > 0 {
		row, err = e.Ledger.Get(ctx, e.firstRow(row))
	}
	if err != nil {
		return Call{}, err
	}
	return e.acknowledge(ctx, row, a)
}

// acknowledge means everything that is there: also a ring that is dated ahead, and one that an operator opened at this instant.
func (e *Engine) acknowledge(ctx context.Context, first Call, a Acknowledgment) (Call, error) {
	w := withdrawal{at: a.At, now: e.Clock.Now(), acks: true, actor: a.Actor, by: a.ConfirmedIn}
	if w.at.IsZero() {
		w.at = w.now
	}
	var err error
	if w.at, err = e.reachOf(ctx, first, first, w.at); err != nil {
		return first, err
	}
	return e.withdraw(ctx, w, first)
}
