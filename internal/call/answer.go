package call

import (
	"context"
	"time"
)

// answer replies to a delivery of a key that the ledger knows. It returns the zero Outcome, which meets nothing, where the delivery would ring again and may not
// (ask.known); so it does for a tombstone, which no request was seen of.
func (e *Engine) answer(ctx context.Context, a ask, first Call) Outcome {
	for range writeTries {
		top, err := e.top(ctx, first)
		if err != nil {
			return unavailable(err)
		}
		reply := ReplyTo(first, top, Asked{Fingerprint: a.fingerprint, Stamp: a.stamp, ReceivedAt: a.d.ReceivedAt}, a.profile)
		if a.known && (reply.Kind == ReplyOpen || reply.Kind == ReplyAttach) {
			return Outcome{}
		}
		switch reply.Kind {
		case ReplyConflict:
			return e.conflict(ctx, a, top)
		case ReplyAttach:
			if first, err = e.attach(ctx, a, first); err != nil {
				return e.notOpened(ctx, a, err)
			}
			continue
		case ReplyOpen:
			if first.Turn != nil { // the list of the request before goes on first
				if _, err = e.ensureTurn(ctx, first); err == nil {
					first, err = e.Ledger.Get(ctx, a.id)
				}
				if err != nil {
					return unavailable(err)
				}
				continue
			}
			child := Child{Cause: CauseWindow, RequestedAt: a.stamp.At, Tier: a.stamp.Tier, NotAfter: a.limit(), Escalation: a.d.Request.Escalation}
			row, opened, err := e.openNext(ctx, first, top, top.Ring, child, "", a.d.arrival())
			if opened {
				return outcomeOf(e.moved(ctx, a, row))
			}
			if CodeOf(err) != "" { // the key moved between the two reads
				row, err = e.Ledger.Get(ctx, a.id)
			}
			if err != nil {
				return unavailable(err)
			}
			first = row
			continue
		case ReplySuppress:
			if top.ID == first.ID {
				e.placed.keep(top)
			}
		}
		return e.suppress(ctx, a, top, reply.Reason)
	}
	return outcomeError(MetUnavailable, refuse(CodeLedgerUnavailable, "", "The delivery goes back to its source.", "The call kept moving while it was read."))
}

// suppress answers a delivery from the ledger. A call that is due moves on first, so that redelivery alone drives it where no
// sweeper runs.
func (e *Engine) suppress(ctx context.Context, a ask, top Call, reason string) Outcome {
	if !top.State.Final() {
		top = e.moved(ctx, a, top)
	}
	if !top.IsForgotten() && reason != ReasonForgotten {
		e.note(ctx, Note{RowID: top.ID, Kind: NoteSuppressed, At: a.now, Reason: reason, Delivery: a.d.arrival()})
	}
	e.Observer.Decided(ctx, Decided{
		What: "suppressed", RowID: top.ID, Ring: top.Ring, State: top.State, Code: top.Code, Reason: reason, Number: top.Phone(),
		Contact: top.ContactID, Source: a.d.Source, Delivery: a.d.ID,
	})
	out := outcomeOf(top)
	out.Replayed, out.Suppressed, out.By = true, reason, top.ID
	return out
}

func (e *Engine) conflict(ctx context.Context, a ask, top Call) Outcome {
	e.note(ctx, Note{RowID: e.Naming.Row(top.Key, 0), Kind: NoteConflict, At: a.now, Reason: string(CodeConflict), Fingerprint: a.fingerprint, Delivery: a.d.arrival()})
	err := refuse(CodeConflict, "", "Send a new recallId for an intended re-call, or correct the producer.",
		"The key was asked for before with another %s; that call stays as it is.", differing(a, top))
	out := outcomeError(MetConflict, err)
	out.By, out.Call = top.ID, top
	e.Observer.Decided(ctx, Decided{
		What: "refused", RowID: top.ID, Ring: top.Ring, State: top.State, Code: out.Code, Reason: out.Message, Number: a.d.Request.Destination,
		Source: a.d.Source, Delivery: a.d.ID,
	})
	return out
}

func (e *Engine) note(ctx context.Context, n Note) {
	if err := e.Journal.Note(ctx, n); err != nil {
		e.Observer.Decided(ctx, Decided{What: "note-lost", RowID: n.RowID, Reason: err.Error()})
	}
}

// attach gives a tombstone the body of its first request.
func (e *Engine) attach(ctx context.Context, a ask, first Call) (Call, error) {
	opening, err := e.opening(a, 0)
	if err != nil {
		return first, err
	}
	return e.merge(ctx, first, "", func(c Call) (Event, bool) {
		own := *opening
		if c.State == Placed && a.stamp.Tier == TierPayload && a.stamp.At.After(c.PlacedAt.Add(futureTolerance)) { // what rang was asked for before, says the producer (ADR 8)
			own.RequestedAt, own.Tier = time.Time{}, TierNone
		}
		return Event{Kind: EventBodyAttached, At: a.now, Opening: &own, Delivery: a.d.arrival()}, c.Tombstone && !c.IsForgotten()
	})
}
