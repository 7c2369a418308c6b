package call

import (
	"context"
	"errors"
)

// CloseDoubt closes a doubt by a person's word: only with a contact id that Amazon Connect confirms as this call's. Who said it and why is
// part of the fact. It is refused with CodeContactUnconfirmed, or with CodeNotFound. A contact that must not exist, because the call has
// another one or is known not to have rung, is kept as an anomaly of the returned row.
func (e *Engine) CloseDoubt(ctx context.Context, id, contactID, actor, reason string) (Call, error) {
	c, err := e.toldOf(ctx, id)
	if err != nil {
		return Call{}, err
	}
	contact, err := e.describe(ctx, e.targetOf(c), contactID)
	if errors.Is(err, ErrNotFound) || (err == nil && contact.CallID != id) {
		return c, refuse(CodeContactUnconfirmed, "contactId", "Check the contact id in Amazon Connect.", "Amazon Connect does not show this contact as one of call %s.", id)
	}
	if err != nil {
		return c, err
	}
	row, err := e.merge(context.WithoutCancel(ctx), c, "", func(c Call) (Event, bool) {
		return Event{
			Kind: EventContact, At: e.Clock.Now(), ContactID: contact.ID, From: "person", Initiated: contact.Initiated, Actor: actor, Message: reason,
		}, !c.knows(contact.ID)
	})
	if err != nil {
		return row, err
	}
	return e.afterContact(ctx, row), nil
}
