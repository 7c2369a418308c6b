package call

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Place answers one delivery: it makes the call, answers from the ledger, or says why neither. It never returns before the row is
// durable, and Outcome.Ack tells the source what to do with the delivery.
func (e *Engine) Place(ctx context.Context, d Delivery) Outcome {
	ctx = WithTrace(ctx, d.Trace)
	return e.told(ctx, d, e.place(ctx, d))
}

// told completes an outcome with what the source is told.
func (e *Engine) told(ctx context.Context, d Delivery, out Outcome) Outcome {
	if out.Met == MetUnavailable {
		e.Observer.Decided(ctx, Decided{What: "unavailable", Code: out.Code, Reason: out.Message, Source: d.Source, Delivery: d.ID, Alarm: true})
	}
	out.Ack = Acknowledge(out.Met, d.Source, ModeLedger, false)
	// The heartbeat is read only where it matters: a final call is answered without it.
	if alive := Acknowledge(out.Met, d.Source, ModeLedger, true); alive != out.Ack && e.sweeperAlive(ctx, e.Clock.Now()) {
		out.Ack = alive
	}
	return out
}

func (e *Engine) place(ctx context.Context, d Delivery) Outcome { return e.take(ctx, d, false) }

// take answers a delivery; later leaves the dialing to the sweep.
func (e *Engine) take(ctx context.Context, d Delivery, later bool) Outcome {
	a, err := e.prepare(d)
	a.later = later
	if err != nil {
		return e.refused(ctx, d, err)
	}
	if d.Request.Withdraws() {
		return e.cancel(ctx, a)
	}
	if c, reason, ok := e.remembered(a); ok {
		return e.suppress(ctx, a, c, reason)
	}
	if e.ReadFirst || e.mustWait(a.profile) {
		if out, known := e.lookUp(ctx, a); known {
			return out
		}
	}
	return e.open(ctx, a)
}

// lookUp answers a delivery whose key the ledger knows. known is false when it is to be opened; a row that was not seen is met there.
func (e *Engine) lookUp(ctx context.Context, a ask) (out Outcome, known bool) {
	if e.Peek != nil {
		c, err := e.Peek(ctx, a.id)
		if errors.Is(err, ErrNotFound) {
			return Outcome{}, false
		}
		if err == nil && c.lasting() {
			if reply := e.replyTo(a, c); reply.Kind == ReplySuppress {
				e.placed.keep(c)
				return e.suppress(ctx, a, c, reply.Reason), true
			}
		}
	}
	first, err := e.Ledger.Get(ctx, a.id)
	switch {
	case err == nil:
		return e.answer(ctx, a, first), true
	case errors.Is(err, ErrNotFound):
		return Outcome{}, false
	}
	return unavailable(err), true
}

func unavailable(err error) Outcome {
	out := outcomeError(MetUnavailable, err)
	if out.Code == "" {
		out.Code = CodeLedgerUnavailable
		out.Message = "The ledger did not answer, so nothing was dialed: " + err.Error()
		out.Fix = "The delivery goes back to its source; check the ledger."
	}
	return out
}

// open creates the first row of a key, merged with the first intent when the call may be dialed now.
func (e *Engine) open(ctx context.Context, a ask) Outcome {
	opening, err := e.opening(a, 0)
	if err != nil {
		return e.unopened(ctx, a, err)
	}
	event := Event{Kind: EventAccepted, At: a.now, Opening: opening, Delivery: a.d.arrival(), Due: a.now}
	taken, err := e.completeOpening(ctx, a, &event)
	if err != nil {
		return e.unopened(ctx, a, err)
	}
	if event.Attempt != nil && !event.Attempt.Phantom {
		event.At = event.Attempt.Opened
	}
	written, err := e.create(ctx, a.id, event)
	intended := event.Attempt != nil && !event.Attempt.Phantom
	dials := intended && err == nil && written.Applied && written.Row.Version == 1
	if intended && !dials { // a duplicate that only the write could tell
		opened := written.Applied && slices.ContainsFunc(written.Row.Open, func(o Attempt) bool { return o.ID == event.Attempt.ID }) // the row has moved since
		e.unused(ctx, taken, opened || mayBeWritten(err))
	}
	switch {
	case err != nil:
		return e.notOpened(ctx, a, err)
	case !written.Applied:
		return e.answer(ctx, a, written.Row)
	}
	row := written.Row
	if dials {
		row = e.dial(ctx, row, *event.Attempt, a.profile, taken)
	}
	row = e.moved(ctx, a, row)
	e.placed.keep(row)
	return outcomeOf(row)
}

// unopened answers a request of which today's configuration makes no row. A duplicate asks for none: it is answered by its call, whether
// or not the ledger was read first.
func (e *Engine) unopened(ctx context.Context, a ask, err error) Outcome {
	if out, known := e.lookUp(ctx, a); known {
		return out
	}
	return e.refused(ctx, a.d, err)
}

// notOpened answers a request whose row could not be made or completed: refused for a reason of its own, else back to its source.
func (e *Engine) notOpened(ctx context.Context, a ask, err error) Outcome {
	switch {
	case errors.Is(err, ErrTokenTaken):
		return e.refused(ctx, a.d, refuse(CodeTokenTaken, "token.recipe", "Use ids whose tokens differ, or another recipe.", "The client token of this request belongs to another call."))
	case CodeOf(err) == CodeTokenInvalid:
		return e.refused(ctx, a.d, err)
	}
	return unavailable(err)
}

// completeOpening completes the opening event: it ends at once, it waits, or it carries the first intent, for which a slot was taken.
func (e *Engine) completeOpening(ctx context.Context, a ask, event *Event) (taken slot, err error) {
	if phantom := e.forgotten(a.id, a.stamp); phantom != nil { // before notAfter: what may have rung cannot expire
		event.Attempt, event.Signed = phantom, e.identity.Recovery.signedFrom()
		return slot{}, nil
	}
	if passed(event.Opening.NotAfter, a.now) {
		event.Code, event.Message = codeNotAfter, "The time limit notAfter had passed when the request arrived."
		return slot{}, nil
	}
	if err := e.permitted(ctx, event.Opening.Destination, event.Opening.Producer); err != nil {
		return slot{}, err
	}
	// A body that cannot be made is refused now, also when the call would have to wait for its dial.
	row := Begin(a.id).Apply(*event)
	body, target, err := e.body(row, a.profile)
	broken := CodeOf(err) == CodeConfiguration // then the call is accepted and waits for the repair
	if err != nil && !broken {
		return slot{}, err
	}
	if !broken || a.profile.Paused {
		var k keeping
		if a.later {
			k = e.wouldKeep(ctx, row, a.profile)
		} else {
			taken, k = e.holdNew(ctx, row, a.profile)
		}
		if !k.free() {
			event.Due, event.Reason = k.due, k.why
			return slot{}, k.refuse
		}
	}
	if broken {
		event.Due, event.Reason = row.parkUntil(a.now, leastParked), whySetupPause
		e.pause(ctx, a.profile, a.now.Add(waitSetup.first), CodeConfiguration)
		return slot{}, nil
	}
	if a.later { // due at once, without an attempt
		return slot{}, nil
	}
	attemptID, err := e.id()
	if err != nil {
		e.giveBack(ctx, taken)
		return slot{}, fmt.Errorf("open an attempt: %w", err)
	}
	now := e.Clock.Now()
	intent := e.recordSettings(row, a.profile, Intent(row, attemptID, body, target, now, ""))
	event.Reason = taken.reason(LookNone)
	event.Attempt, event.Signed, event.Pin, event.body, event.Target = intent.Attempt, intent.Signed, intent.Pin, intent.body, intent.Target
	event.Dialed = intent.Dialed
	return taken, nil
}

// forgotten returns the phantom attempt of a ring that a restored ledger may have known: unless the producer itself says that the
// request was first made after the restore, it may have been dialed before (protocol.md section 11, step 3). A transport's stamp is no
// proof: a request that is published again gets a new one (docs/adr/0008).
func (e *Engine) forgotten(rowID string, stamp Stamp) *Attempt {
	r := e.identity.Recovery
	if r == nil || (stamp.Tier == TierPayload && !r.covers(stamp.At)) {
		return nil
	}
	return r.phantom(rowID)
}

// forgottenRing returns the phantom attempt of a next ring that a restored ledger may have known. The age of what opens the ring
// proves nothing: another act may have used its number, and with it its token, in the time that was forgotten. Only a key that is
// itself newer than the restore had no rings then.
func (e *Engine) forgottenRing(first Call, rowID string) *Attempt {
	r := e.identity.Recovery
	if r == nil || (!r.covers(first.AcceptedAt) && !first.phantom()) {
		return nil
	}
	return r.phantom(rowID)
}
