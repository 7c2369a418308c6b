package call

import (
	"context"
	"slices"
	"time"
)

// searchSlack widens a search on both sides by the largest clock difference that a signature survives.
const searchSlack = 15 * time.Minute

// search looks for contacts that carry the row's id. ok is false when the search did not work, so that its silence says nothing;
// wait is then how long the search budget is spent, zero when the search itself failed.
func (e *Engine) search(ctx context.Context, c Call, look Look) (found []Contact, ok bool, wait time.Duration) {
	now := e.Clock.Now()
	patience := time.Duration(0)
	if look == LookRequired {
		patience = 4 * time.Second
	}
	target := e.targetOf(c)
	wait, slot := e.Searches.Reserve(target.Region, now, patience)
	if !slot || (wait > 0 && e.Clock.Sleep(ctx, wait) != nil) {
		return nil, false, wait
	}
	found, err := e.Dialer.Search(ctx, target, c.ID, c.FirstSigned.Add(-searchSlack), e.Clock.Now().Add(searchSlack))
	if err != nil {
		e.Observer.Decided(ctx, Decided{What: "search-failed", RowID: c.ID, Ring: c.Ring, State: c.State, Reason: err.Error()})
		return nil, false, 0
	}
	return found, true, 0
}

// targetOf returns where contacts of the call are: where it was dialed, or for a call of which only a restore's phantom attempt is
// known, where its profile dials.
func (e *Engine) targetOf(c Call) Target {
	if c.Target != (Target{}) {
		return c.Target
	}
	p := e.profileOf(c)
	return Target{Region: p.Region, InstanceID: p.InstanceID}
}

// look does one scheduled look for evidence and records it. A look that could not see counts as one that found nothing, with its
// reason: absence never resolves a doubt, so nothing is lost by it but time.
func (e *Engine) look(ctx context.Context, c Call, now time.Time) (row Call, more bool, err error) {
	found, ok, wait := e.search(ctx, c, LookRequired)
	if len(found) > 0 {
		row, err = e.mergeContacts(ctx, c, found, "search")
		return row, err == nil, err
	}
	if wait > 0 { // the schedule must not be used up by waiting for its budget
		now = e.Clock.Now()
		row, _, err := e.holdUntil(ctx, c, now.Add(wait), "search_pacing", now)
		return row, false, err
	}
	failed := Code("")
	if !ok {
		failed = "search_failed"
	}
	row, _, err = e.decide(ctx, c, Looked(c, now, failed))
	return row, err == nil, err
}

// mergeContacts merges the contacts that evidence shows, oldest first. A second one is an anomaly, recorded and paged.
func (e *Engine) mergeContacts(ctx context.Context, c Call, found []Contact, from string) (Call, error) {
	for _, contact := range found {
		row, err := e.merge(context.WithoutCancel(ctx), c, "", func(c Call) (Event, bool) {
			return Event{Kind: EventContact, At: e.Clock.Now(), ContactID: contact.ID, From: from, Initiated: contact.Initiated}, !c.knows(contact.ID)
		})
		if err != nil {
			return row, err
		}
		c = e.afterContact(ctx, row)
	}
	return c, nil
}

func (c Call) knows(contactID string) bool {
	return c.ContactID == contactID || slices.Contains(c.Anomalies, contactID)
}

// SawContact merges a contact that an event or the flow's check-in reports, lease or not. The event carries no attributes, so the
// contact is described to find the call; one that is not ours, or whose call is unknown, changes nothing (ErrNotFound).
func (e *Engine) SawContact(ctx context.Context, t Target, contactID string) (Call, error) {
	return e.confirm(ctx, t, contactID, "event", "")
}

func (e *Engine) confirm(ctx context.Context, t Target, contactID, from, wantID string) (Call, error) {
	contact, err := e.Dialer.Describe(ctx, t, contactID)
	if err != nil {
		return Call{}, err
	}
	if contact.CallID == "" || (wantID != "" && contact.CallID != wantID) {
		return Call{}, ErrNotFound
	}
	c, err := e.Ledger.Get(ctx, contact.CallID)
	if err != nil {
		return Call{}, err
	}
	return e.mergeContacts(ctx, c, []Contact{contact}, from)
}

// Annotate adds a person's note to a call. It decides nothing. A forgotten call takes none: a person's words may name the recipient.
func (e *Engine) Annotate(ctx context.Context, id, note, actor string) (Call, error) {
	c, err := e.Ledger.Get(ctx, id)
	if err != nil {
		return Call{}, err
	}
	if c.IsForgotten() {
		return c, refuse(CodeForgotten, "id", "Keep the note elsewhere.", "The recipient of this call was forgotten, so nothing more is written about it.")
	}
	return e.merge(ctx, c, "", func(c Call) (Event, bool) {
		return Event{Kind: EventNoted, At: e.Clock.Now(), Actor: actor, Reason: note}, c.Version >= 0
	})
}
