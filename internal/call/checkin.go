package call

import (
	"context"
	"errors"
	"strings"
	"time"
)

// fromCheckIn is the origin of a contact id that a flow reported.
const fromCheckIn = "check-in"

// CheckIn is what a contact flow reports about the contact that it runs for: that somebody picked up, or that a key was pressed.
type CheckIn struct {
	Target    Target
	ContactID string
	CallID    string    // the contact attribute ringonceCallId; empty when the contact has none
	At        time.Time // of the report; zero means now
	Key       string    // that was pressed; empty for a report that somebody picked up
	Confirms  bool      // the key says that the message was understood: no further ring is needed
	OptsOut   bool      // the key says that this number must not be rung any more
}

// CheckInAnswer is what the flow is told.
type CheckInAnswer struct {
	CallID    string
	Ring      int
	State     State  // empty when the call is not known
	Wanted    bool   // the message is to be played; false means: hang up
	Why       string // why it is not wanted, or what was not known; empty for the usual call
	Confirmed bool   // a confirmation of this contact is kept, now or before
	OptedOut  bool   // this report's wish not to be rung any more is kept
}

// CheckIn merges what a flow reports as a fact, and answers whether the contact is still wanted. A contact that the ledger does not know yet
// is adopted by its call id: nothing else proves better that it rang. The ledger is asked once, for a later ring twice, and written once if
// there is news; Amazon Connect is not asked. The same report again writes nothing and gets the same answer.
//
// Where it is not known whether the contact is wanted, it is: somebody has picked up, and a message that is heard for nothing is better than
// silence. ctx bounds all of it; what the ledger does not take in time goes to the spool. An error names a report that cannot be read.
func (e *Engine) CheckIn(ctx context.Context, q CheckIn) (CheckInAnswer, error) {
	if q.ContactID == "" {
		return CheckInAnswer{Wanted: true}, refuse(CodeFieldMissing, "ContactId", "Let the flow invoke the function.", "The check-in names no contact.")
	}
	if q.At.IsZero() {
		q.At = e.Clock.Now()
	}
	if q.CallID == "" {
		return e.unsure(ctx, q, WhyUnmarked, nil), nil
	}
	c, err := e.Ledger.Get(ctx, q.CallID)
	switch {
	case errors.Is(err, ErrNotFound):
		return e.unsure(ctx, q, WhyUnknownCall, err), nil
	case err != nil:
		sight := q.sight(Call{}, false)
		kept := e.setAside(ctx, Call{}, Fact{RowID: q.CallID, Op: e.factOp(q.CallID), Event: q.event(EventContact, sight), Target: q.Target}, err)
		answer := e.unsure(ctx, q, WhyUnavailable, err)
		answer.Confirmed = kept && q.Confirms
		return answer, nil
	case e.elsewhere(c, q.Target):
		return e.unsure(ctx, q, WhyElsewhere, nil), nil
	}
	return e.checkIn(ctx, q, c), nil
}

// unsure answers a check-in by the default.
func (e *Engine) unsure(ctx context.Context, q CheckIn, why string, err error) CheckInAnswer {
	told := Decided{What: "check-in", RowID: q.CallID, Contact: q.ContactID, Reason: "wanted: " + why, Alarm: why != WhyUnmarked}
	if err != nil {
		told.Reason += ": " + err.Error()
	}
	e.Observer.Decided(context.WithoutCancel(ctx), told)
	return CheckInAnswer{CallID: q.CallID, Wanted: true, Why: why}
}

// elsewhere reports whether the call was dialed from another instance than the one whose flow reports.
func (e *Engine) elsewhere(c Call, t Target) bool {
	at := e.targetOf(c)
	return at != Target{} && t != Target{} && (at.Region != t.Region || !strings.EqualFold(at.InstanceID, t.InstanceID))
}

// checkIn merges the report into its row. The answer is what the merged event was made by, so that it and the history agree.
func (e *Engine) checkIn(ctx context.Context, q CheckIn, c Call) CheckInAnswer {
	first := e.firstOf(ctx, c)
	why := ""
	build := func(now Call) (Event, bool) {
		if now.Ring == 0 {
			first = now
		}
		why = Unwanted(now, first, q.ContactID)
		if why == WhyAcknowledged && q.Confirms && !now.toldUnwanted() {
			why = "" // the acknowledgment may be this very press, whose answer was lost
		}
		sight := q.sight(now, why != "")
		if !now.knows(q.ContactID) {
			return e.sighted(now, q.event(EventContact, sight)), true
		}
		return e.sighted(now, q.event(EventSeen, sight)), now.learns(q.ContactID, sight)
	}
	op, kept := e.factOp(c.ID), true
	row, err := e.merge(ctx, c, op, build)
	if err != nil {
		event, _ := build(row)
		kept = e.setAside(ctx, row, Fact{RowID: c.ID, Op: op, Event: event}, err)
	}
	if why == "" && row.State == Failed {
		why = WhyFailed
	}
	answer := CheckInAnswer{CallID: c.ID, Ring: c.Ring, State: row.State, Wanted: why == "" || why == WhyFailed, Why: why}
	answer.Confirmed = row.confirmedBy(q.ContactID)
	if q.Confirms {
		answer.Confirmed = e.confirmed(ctx, q, row) && kept
	}
	answer.OptedOut = q.OptsOut && e.optOut(ctx, row, q)
	e.Observer.Decided(context.WithoutCancel(ctx), Decided{
		What: "check-in", RowID: c.ID, Ring: c.Ring, State: row.State, Contact: q.ContactID, Reason: answer.reason(), Number: row.Phone(),
	})
	return answer
}

func (a CheckInAnswer) reason() string {
	switch {
	case !a.Wanted:
		return "not wanted: " + a.Why
	case a.Why != "":
		return "wanted: " + a.Why
	}
	return "wanted"
}

// firstOf returns the first row of the key, for its cancel and its acknowledgment. Without it the ring is judged by its own row.
func (e *Engine) firstOf(ctx context.Context, c Call) Call {
	if c.Ring == 0 {
		return c
	}
	first, err := e.Ledger.Get(ctx, e.firstRow(c))
	if err != nil {
		e.Observer.Decided(context.WithoutCancel(ctx), Decided{
			What: "check-in-unsure", RowID: c.ID, Ring: c.Ring, State: c.State, Reason: "whether the key was withdrawn is not known: " + err.Error(), Alarm: true,
		})
		return Call{}
	}
	return first
}

func (q CheckIn) event(kind EventKind, s Sight) Event {
	return Event{Kind: kind, At: q.At, ContactID: q.ContactID, From: fromCheckIn, Sight: &s}
}

// sight returns what the report tells beyond what the row knows of the contact. A key that is reported again is the same press: a flow's
// invocation is repeated when its answer was lost.
func (q CheckIn) sight(c Call, unwanted bool) Sight {
	var known, s Sight
	if c.Sight != nil && c.ContactID == q.ContactID {
		known = *c.Sight
	}
	if known.CheckedIn.IsZero() {
		s.CheckedIn = q.At
	}
	if unwanted && known.Unwanted.IsZero() {
		s.Unwanted = q.At
	}
	if q.Key != "" && q.Key != known.Key.Text {
		s.Key = Remark{Text: q.Key, At: q.At}
	}
	if q.Confirms && known.Confirmed.IsZero() {
		s.Confirmed = q.At
	}
	return s
}

// learns reports whether a sight of the contact tells the row anything. Of a contact that must not exist no sight is kept.
func (c Call) learns(contactID string, s Sight) bool {
	if c.ContactID != contactID {
		return false
	}
	known := Sight{}
	if c.Sight != nil {
		known = *c.Sight
	}
	if c.IsForgotten() {
		s.Key = Remark{}
	}
	return known.Merge(s) != known
}

// sighted completes a fact that has a sight with what the row's whole sight comes to and when the row is looked at again.
func (e *Engine) sighted(c Call, event Event) Event {
	if event.Sight == nil {
		return event
	}
	sight := *event.Sight
	if c.IsForgotten() { // a key tells something of a person
		sight.Key = Remark{}
	}
	e.judge(&event, c, sight)
	return event
}
