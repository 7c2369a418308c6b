package call

import (
	"context"
	"errors"
	"time"
)

// From where something became known of a contact: the values of Event.From of an EventSeen.
const (
	fromEvent    = "event"    // a contact event
	fromDescribe = "describe" // DescribeContact, which repairs what no event told
	fromStop     = "stop"     // we hung it up
)

// tracks reports whether it is kept what becomes of the call's contact. Of a forgotten call nothing more is written.
func (e *Engine) tracks(c Call) bool { return e.Outcome != nil && c.Tracked && !c.IsForgotten() }

// SawContactEvent merges what a contact event tells, lease or not: the contact itself, for a call whose answer was lost, and what became of it.
// Events may come in any order and number, and before our own record of the contact id. The event carries no attributes, so its call is found
// by the contact id, or where no row has it yet, by asking DescribeContact for the mark of the call. One that is not ours, or whose call is
// unknown, changes nothing (ErrNotFound). An event of an unmarked contact whose id the ledger does not know yet is not kept: the row's own
// looks by DescribeContact tell the same (docs/outcomes.md).
func (e *Engine) SawContactEvent(ctx context.Context, t Target, contactID string, told Sight) (Call, error) {
	c, known, err := e.ownerOf(ctx, t, contactID)
	if err != nil {
		return Call{}, err
	}
	if !known {
		return e.confirm(ctx, t, contactID, fromEvent, "", told)
	}
	c, err = e.merge(context.WithoutCancel(ctx), c, "", func(c Call) (Event, bool) {
		return e.shown(c, Contact{ID: contactID, Sight: told}, fromEvent)
	})
	if err != nil {
		return c, err
	}
	if !told.Over() && !c.seen().Over() {
		c = e.afterContact(ctx, c)
	}
	e.letGo(ctx, c, told)
	return c, nil
}

// ownerOf finds the row that owns a contact id. A row of another instance than the event's does not: ids are unique there only.
func (e *Engine) ownerOf(ctx context.Context, t Target, contactID string) (c Call, known bool, err error) {
	if e.Index == nil {
		return Call{}, false, nil
	}
	id, err := e.Index.ByContact(ctx, contactID)
	if err == nil {
		c, err = e.Ledger.Get(ctx, id)
	}
	if errors.Is(err, ErrNotFound) {
		return Call{}, false, nil
	}
	elsewhere := c.Target.InstanceID != "" && c.Target.InstanceID != t.InstanceID
	return c, err == nil && c.ContactID == contactID && !elsewhere, err
}

// shown returns the fact that a contact exists and what is told of it. news is false when the row knows all that.
func (e *Engine) shown(c Call, contact Contact, from string) (event Event, news bool) {
	at := e.Clock.Now()
	switch {
	case c.ContactID == contact.ID:
		return e.saw(c, contact.Sight, from, at)
	case c.knows(contact.ID):
		return Event{}, false
	}
	event = Event{Kind: EventContact, At: at, ContactID: contact.ID, From: from, Initiated: contact.Initiated}
	if e.tracks(c) && c.ContactID == "" && contact.Sight != (Sight{}) {
		e.judge(&event, c, contact.Sight)
	}
	return event, true
}

// saw returns the fact that something became known of the call's contact. news is false when nothing of it matters: it makes no write.
func (e *Engine) saw(c Call, told Sight, from string, at time.Time) (event Event, news bool) {
	if !e.tracks(c) || c.ContactID == "" {
		return Event{}, false
	}
	event = Event{Kind: EventSeen, At: at, ContactID: c.ContactID, From: from}
	e.judge(&event, c, told)
	return event, c.seen().learns(told) || event.Outcome != c.Outcome || !event.Due.Equal(c.Due)
}

// judge completes a fact with what is told, what the row's whole sight then comes to, and when to look again: not any more, if that is final.
// What was given up stays so, until something tells. Of a contact that is not the row's nothing is judged.
func (e *Engine) judge(event *Event, c Call, told Sight) {
	bare := *event
	bare.Sight = nil
	after := c.Apply(bare)
	event.Sight, event.Outcome, event.Due, event.Reason = &told, after.Outcome, after.Due, after.DueReason
	if after.unseen() {
		event.Reason = whyOutcome
	}
	if e.Outcome == nil || after.ContactID != event.ContactID {
		return
	}
	o, final := e.Outcome(after.seen().Merge(told))
	if o != "" || after.Outcome != OutcomeUnknown {
		event.Outcome = o
	}
	if final && event.Reason == whyOutcome {
		event.Due, event.Reason = after.afterOutcome(event.At)
	}
}

// afterOutcome returns the due of a call whose outcome is not looked for any more.
func (c Call) afterOutcome(at time.Time) (due time.Time, reason string) {
	if c.Follows {
		return at, whyFollow
	}
	return time.Time{}, ""
}

// seen returns what is known of the call's contact.
func (c Call) seen() Sight {
	if c.Sight == nil {
		return Sight{}
	}
	return *c.Sight
}

// learns reports whether something that is told is worth a write. That the contact was initiated is known of every placed call, and that
// somebody looked says nothing by itself.
func (s Sight) learns(told Sight) bool {
	told.Initiated, told.Described = s.Initiated, s.Described
	return s.Merge(told) != s
}

// letGo gives back the concurrency slot of a contact that is over, of a call that does not keep it. Of the others the write of it does.
func (e *Engine) letGo(ctx context.Context, c Call, told Sight) {
	if told.Over() && !e.tracks(c) {
		e.free(ctx, c)
	}
}

// hungUp notes that the call's contact was ended because it is not wanted any more, so that its end is not taken for the recipient's doing.
func (e *Engine) hungUp(ctx context.Context, c Call) Call {
	if !e.tracks(c) || !c.seen().Unwanted.IsZero() || c.seen().Over() {
		return c
	}
	at := e.Clock.Now()
	return e.keep(ctx, c, func(now Call) (Event, bool) { return e.saw(now, Sight{Unwanted: at}, fromStop, at) })
}
