package call

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// create begins a row. A lost answer is asked for again under the same op, so the engine recognizes its own write.
func (e *Engine) create(ctx context.Context, id string, event Event) (Written, error) {
	row := Begin(id)
	written, err := e.write(ctx, row, event, "", e.Ledger.Create)
	if err == nil && written.Applied {
		e.hint(ctx, row, event, written)
	}
	return written, err
}

// decide makes a decision durable. won is false when the row moved: the decision is dropped and the current row returned.
func (e *Engine) decide(ctx context.Context, c Call, event Event) (row Call, won bool, err error) {
	written, err := e.write(ctx, c, event, "", e.Ledger.Update)
	if err != nil {
		return c, false, err
	}
	if written.Applied {
		e.hint(ctx, c, event, written)
	}
	return written.Row, written.Applied, nil
}

// writeTries is how often one write is sent: a ledger that answers an error may have applied it.
const writeTries = 3

func (e *Engine) write(ctx context.Context, c Call, event Event, op string, send func(context.Context, Write) (Written, error)) (Written, error) {
	if op == "" {
		var err error
		if op, err = e.id(); err != nil {
			return Written{}, err
		}
	}
	if c.IsForgotten() {
		event = event.withoutWords()
	}
	w, err := c.Write(event, op)
	if err != nil {
		return Written{}, err
	}
	breaches := CheckWrite(c, event, w.Row)
	// The answer of a dial may: the row can be younger than the restore, and seem older by a clock that is behind.
	if c.untainted(e.identity.Recovery) && c.Version > 0 && ruledOut(w.Row.State) && event.Kind != EventResult {
		breaches = append(breaches, Breach{Invariant: "I3", RowID: c.ID, Detail: "ended as if it had not rung, before the recovery has reached it"})
	}
	if len(breaches) > 0 {
		e.Observer.Decided(ctx, Decided{What: "breach", RowID: c.ID, Ring: c.Ring, State: c.State, Reason: breaches[0].String(), Alarm: true})
		return Written{}, refuse(CodeBreach, "", "Report this with the call's history; nothing was written.", "The write would break invariant %s.", breaches[0].Invariant)
	}
	written, err := e.send(ctx, w, send)
	if err == nil && written.Applied {
		e.observe(ctx, event, c, w.Row, written.Row)
		e.ended(ctx, c, w.Row)
	}
	return written, err
}

func (e *Engine) send(ctx context.Context, w Write, send func(context.Context, Write) (Written, error)) (written Written, err error) {
	for try := range writeTries {
		if try > 0 {
			if sleepErr := e.Clock.Sleep(ctx, time.Duration(try)*50*time.Millisecond); sleepErr != nil {
				break
			}
		}
		written, err = send(ctx, w)
		if err == nil || definite(err) {
			break
		}
	}
	return written, err
}

// ruledOut reports whether a state says that no phone rang.
func ruledOut(s State) bool { return s == Failed || s == Expired || s == Canceled }

// definite reports whether a ledger's error proves that nothing was written.
func definite(err error) bool {
	return errors.Is(err, ErrTokenTaken) || errors.Is(err, ErrNotFound) || errors.Is(err, ErrWentBack) || errors.Is(err, ErrNewerRow)
}

// mergeTries bounds how often a fact is tried on a row that keeps moving: far more often than workers can meet on one row. A fact that
// still is not in comes back as an error, and its caller spools it.
const mergeTries = 1000

// merge writes a fact until it is in: a lost compare is re-read and tried again, whoever holds the lease. build returns the event
// for the row as it is, and false when the row knows the fact already.
func (e *Engine) merge(ctx context.Context, c Call, op string, build func(Call) (Event, bool)) (Call, error) {
	written, err := e.mergeHinted(ctx, c, op, build)
	return written.Row, err
}

// mergeHinted is merge for those who give hints. Beside an error the row is as it was last seen.
func (e *Engine) mergeHinted(ctx context.Context, c Call, op string, build func(Call) (Event, bool)) (Written, error) {
	for range mergeTries {
		event, news := build(c)
		if !news {
			return Written{Row: c}, nil
		}
		written, err := e.write(ctx, c, event, op, e.Ledger.Update)
		if err != nil {
			return Written{Row: c}, err
		}
		if written.Applied {
			return written, nil
		}
		c = written.Row
	}
	return Written{Row: c}, fmt.Errorf("merge a fact into call %s: the row moved %d times: %w", c.ID, mergeTries, errMoving)
}

// mergeWaiting merges a fact that may leave the row waiting, and then gives a hint while hints still has time.
func (e *Engine) mergeWaiting(ctx, hints context.Context, c Call, op string, build func(Call) (Event, bool)) (Call, error) {
	var before Call
	var event Event
	news := false
	written, err := e.mergeHinted(ctx, c, op, func(now Call) (Event, bool) {
		before = now
		event, news = build(now)
		return event, news
	})
	if err == nil && news {
		e.hint(hints, before, event, written)
	}
	return written.Row, err
}

var errMoving = errors.New("the ledger never takes the write")

// became returns the final state that a write moved a call into; empty when it moved it into none.
func became(before, after Call) State {
	if after.State == before.State || !after.State.Final() {
		return ""
	}
	return after.State
}

// cameTo returns the outcome that a write ended a placed call's matter with; empty when it did not.
func cameTo(before, after Call) ContactOutcome {
	open := before.State != Placed || before.DueReason == whyOutcome
	if after.State != Placed || !open || after.DueReason == whyOutcome {
		return ""
	}
	return after.Outcome
}

// observe reports a write that is in the ledger: the row before it, as it made it, and as it is, since it may have moved on.
func (e *Engine) observe(ctx context.Context, event Event, before, made, c Call) {
	d := Decided{
		What: string(event.Kind), RowID: c.ID, Ring: c.Ring, State: c.State, Code: c.Code, Reason: event.Reason, Number: c.Phone(),
		Contact: c.ContactID, Class: event.Class, Took: event.Took,
		Became: became(before, made), Outcome: cameTo(before, made),
	}
	if event.Kind == EventSeen {
		d.Code, d.Reason = event.Code, event.From
	}
	if event.Kind == EventResult {
		d.Dialed, d.Requested = event.At.Add(-event.Took), c.RequestedAt
	}
	if event.Delivery != nil {
		d.Source, d.Delivery = event.Delivery.Source, event.Delivery.ID
	}
	anomalous := len(c.Anomalies) > 0 && !silent(event.Kind)
	d.Alarm = event.Kind == EventDoubted || anomalous || event.Class == ClassRefusedSetup
	if anomalous {
		d.What = "anomaly"
	}
	e.Observer.Decided(ctx, d)
}

// silent reports whether an event cannot have brought an anomaly and does not page again for one that was told: the row waits, a person wrote
// beside it, its contact went on, or its recipient is forgotten.
func silent(k EventKind) bool {
	return k == EventHeld || k == EventNoted || k == EventSeen || k == EventForgetting || k == EventForgotten
}
