package httpapi

import (
	"context"
	"errors"
	"strings"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/twoperson"
)

// What became of a call of an order, beside the codes of what speaks against its re-call.
const (
	resultWaiting  = "waiting"
	resultRecalled = "recalled"
	resultLate     = "order_late" // the order was not carried out within a day of its decision
)

// recallIDOf names the re-call of a call by an order. It is made of both ids and of nothing else: whoever carries the order out again, after a crash or at the same
// time, asks for the same keys, and each key rings once.
func recallIDOf(order, callID string) string { return byOrder + order + ":" + callID }

// byOrder begins the recallId of a re-call by an order.
const byOrder = "order:"

// recalledBy returns the order and the call that a recallId of an order is made of.
func recalledBy(recallID string) (order, callID string, ok bool) {
	rest, ok := strings.CutPrefix(recallID, byOrder)
	if !ok {
		return "", "", false
	}
	return strings.Cut(rest, ":")
}

// recallKey is the key of a re-call.
func (a *api) recallKey(o twoperson.Order, row call.Call) call.Key {
	k := row.Key
	k.RecallID = a.recallID(o.ID, row.ID)
	if k.Instead != "" { // the recipe makes keys of another id
		k.Instead = k.RecallID
	}
	return k
}

// recallOf makes the re-call of one call, or returns the code of what speaks against it.
func (a *api) recallOf(ctx context.Context, o twoperson.Order, id string) (string, error) {
	if err := a.audited(); err != nil { // the order waits
		return "", err
	}
	row, err := a.Ledger.Get(ctx, id)
	if errors.Is(err, call.ErrNotFound) {
		return string(call.CodeNotFound), nil
	}
	if err != nil {
		return "", err
	}
	k := a.recallKey(o, row)
	made, err := a.Ledger.Get(ctx, a.Engine.Naming.Row(k, 0))
	if err == nil {
		a.noteRecall(ctx, o, id, "repeated", nil) // whoever made it may have ended before it wrote so
		a.offer(made)
		return resultRecalled, nil
	}
	if !errors.Is(err, call.ErrNotFound) {
		return "", err
	}
	now := a.Clock.Now()
	if o.Late(now) {
		return resultLate, nil
	}
	if code, err := a.against(ctx, row, newChoice(o.ID, o.Doubts, now)); code != "" || err != nil {
		return code, err
	}
	out := a.Engine.Accept(ctx, call.Delivery{
		Request: call.Request{
			NotificationID: k.NotificationID, RecipientID: k.RecipientID, RecallID: k.RecallID, ClientToken: k.Instead, Destination: row.Phone(), Profile: row.Profile,
			RequestedAt: o.Decided, NotAfter: o.NotAfter, Attributes: row.Attributes, TimeZone: row.Zone, Urgent: row.Urgent,
		},
		// The producer stays that of the call: its pauses, limits and webhooks are about the re-call too. Who ordered it is in the order and in the audit log.
		Source: call.SourceHTTP, Producer: row.Producer, KeySpace: &k.KeySpace, ID: "order-" + o.ID, EventID: k.Instead, ReceivedAt: now,
	})
	var refused error
	result := resultRecalled
	switch {
	case out.Ack == call.AckDone:
		a.offer(out.Call)
	case out.Ack == call.AckRefuse && out.Code != "":
		result, refused = string(out.Code), notTaken(out)
	default:
		return "", notTaken(out)
	}
	a.noteRecall(ctx, o, id, "", refused)
	return result, nil
}

// offer tells who dials soon of a call that may be dialed now.
func (a *api) offer(row call.Call) {
	if a.Accepted != nil && row.ID != "" && !row.State.Final() && !row.DueAt().After(a.Clock.Now()) {
		a.Accepted(row.ID)
	}
}

// noteRecall writes a re-call of an order into the audit log, in the name of who ordered it.
func (a *api) noteRecall(ctx context.Context, o twoperson.Order, id, answer string, err error) {
	a.record(ctx, Act{
		At: a.Clock.Now(), Actor: o.By, Kind: string(access.Operator), Action: opRecall, CallID: id, Target: orderTarget(o.ID), Reason: "order " + o.ID + ": " + o.Reason, Answer: answer,
	}, err)
}

// ordersPage is how many orders are read at once: one has up to 64 KiB.
const ordersPage = 50

// eachOrder visits all orders that are kept, until it is told to stop.
func (a *api) eachOrder(ctx context.Context, visit func(twoperson.Order) bool) error {
	for after := ""; ; {
		page, err := a.desk().List(ctx, after, ordersPage)
		if err != nil {
			return err
		}
		for _, o := range page {
			if after = o.ID; !visit(o) {
				return nil
			}
		}
		if len(page) < ordersPage {
			return nil
		}
	}
}
