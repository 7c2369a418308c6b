package httpapi

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/httpapi/oas"
)

// touched returns the call of an id, as far as the asker may act on it: a producer on calls of its own key space only.
func (a *api) touched(ctx context.Context, id string) (call.Call, error) {
	row, err := a.seen(ctx, id)
	if who := askedOf(ctx).who; err == nil && who.Kind == access.Producer && row.Key.KeySpace != who.KeySpace {
		return call.Call{}, refuse(http.StatusForbidden, "key_space_forbidden", "The call is of a key space that you may only look at.", "Ask its own producer, or an operator.")
	}
	return row, err
}

// acted answers an act, and writes it down.
func (a *api) acted(ctx context.Context, id, reason string, row call.Call, err error) (*oas.Acted, error) {
	a.audit(ctx, id, reason, err)
	if err != nil {
		return nil, err
	}
	shown, err := a.view(ctx, row)
	if err != nil {
		return nil, err
	}
	answer := &oas.Acted{Call: shown, Sentence: row.Sentence(), CameTooLate: flag(!row.TooLate.IsZero())}
	if row.State == call.Received {
		answer.HeldFor, answer.HeldUntil = text(holdReason(row)), instant(row.Due)
	}
	return answer, nil
}

// rowOf returns the call of an outcome, or why there is none.
func rowOf(out call.Outcome) (call.Call, error) {
	if out.Call.ID == "" { // refused, or the ledger failed: nothing was written
		return call.Call{}, &call.Error{Code: out.Code, Message: out.Message, Fix: out.Fix}
	}
	return out.Call, nil
}

// CancelCall implements oas.Handler. It withdraws the key as its producer would, at this instant.
func (a *api) CancelCall(ctx context.Context, p oas.CancelCallParams) (*oas.Acted, error) {
	row, err := a.touched(ctx, p.ID)
	if err == nil {
		row, err = a.cancel(ctx, row)
	}
	return a.acted(ctx, p.ID, "", row, err)
}

func (a *api) cancel(ctx context.Context, row call.Call) (call.Call, error) {
	if row.IsForgotten() {
		return row, &call.Error{Code: call.CodeForgotten, Message: "The recipient of this call was forgotten, so it never rings again.", Fix: "There is nothing to do."}
	}
	q := askedOf(ctx)
	now := a.Clock.Now()
	at := now
	if !at.After(row.RequestedAt) { // a producer's clock that runs ahead: the asker has seen what it asked for
		at = row.RequestedAt.Add(1)
	}
	k := row.Key
	out := a.Engine.Place(ctx, call.Delivery{
		Request: call.Request{
			NotificationID: k.NotificationID, RecipientID: k.RecipientID, RecallID: k.RecallID, ClientToken: k.Instead, Profile: row.Profile,
			Action: call.ActionCancel, RequestedAt: at,
		},
		Source: call.SourceHTTP, Producer: q.who.Sender(), KeySpace: &k.KeySpace, ID: q.id, EventID: k.Instead, ReceivedAt: now,
	})
	if out.Ack != call.AckDone {
		return row, notTaken(out)
	}
	return a.Ledger.Get(ctx, row.ID)
}

// AcknowledgeCall implements oas.Handler.
func (a *api) AcknowledgeCall(ctx context.Context, p oas.AcknowledgeCallParams) (*oas.Acted, error) {
	row, err := a.touched(ctx, p.ID)
	if err == nil {
		row, err = a.Engine.Acknowledge(ctx, row.ID, call.Acknowledgment{Actor: askedOf(ctx).who.Sender()})
	}
	return a.acted(ctx, p.ID, "", row, err)
}

// RecallCall implements oas.Handler.
func (a *api) RecallCall(ctx context.Context, req *oas.RecallWish, p oas.RecallCallParams) (*oas.Acted, error) {
	row, err := a.touched(ctx, p.ID)
	if err == nil {
		row, err = rowOf(a.Engine.Recall(ctx, row.ID, call.Recall{
			Actor: askedOf(ctx).who.Name, Reason: req.Reason, NotAfter: req.NotAfter.Value, SparesDoubt: !req.AlthoughItMayHaveRung.Value,
		}))
	}
	return a.acted(ctx, p.ID, req.Reason, row, err)
}

// ofConnect gives an answer of Amazon Connect, whose codes nobody can list, a code of ours; its words stay.
func ofConnect(err error) error {
	told, ours := errors.AsType[*call.Error](err)
	if !ours || told.Code == call.CodeContactUnconfirmed || statuses[told.Code] != 0 {
		return err
	}
	return refuse(http.StatusServiceUnavailable, "connect_unavailable", told.Message, cmp.Or(told.Fix, "Send it again."))
}

// CloseDoubt implements oas.Handler.
func (a *api) CloseDoubt(ctx context.Context, req *oas.CloseWish, p oas.CloseDoubtParams) (*oas.Acted, error) {
	contact, note := req.ContactId.Value, req.Note.Value
	reason := req.Reason.Value + note
	row, err := a.touched(ctx, p.ID)
	actor := askedOf(ctx).who.Name
	switch {
	case err != nil:
	case (contact == "") == (note == ""):
		err = &call.Error{Code: call.CodeFieldValue, Field: "contactId", Message: "One of contactId and note is needed.", Fix: "Give contactId if it rang, note to write something down."}
	case note != "" && row.State != call.InDoubt:
		err = errNoDoubt(row)
	case note != "":
		row, err = a.Engine.Annotate(ctx, row.ID, note, actor)
	case row.ContactID != contact:
		row, err = a.Engine.CloseDoubt(ctx, row.ID, contact, actor, reason)
		err = ofConnect(err)
	}
	answer, err := a.acted(ctx, p.ID, reason, row, err)
	if err != nil {
		return nil, err
	}
	answer.Actor, answer.Anomaly = text(actor), flag(contact != "" && slices.Contains(row.Anomalies, contact))
	return answer, nil
}
