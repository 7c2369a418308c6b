package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/httpapi/oas"
	"github.com/ringonce/ringonce/internal/twoperson"
)

// opRecall is the operation of a single re-call, as the audit log names each one of an order too.
const opRecall = "recallCall"

// The operations that carry orders out.
const (
	opOrder   = "orderRecalls"
	opConfirm = "confirmOrder"
)

// firstShown is how many calls a dry run shows.
const firstShown = 20

// desk keeps the orders. There is one only with cells.
func (a *api) desk() twoperson.Desk {
	return twoperson.Desk{Cells: a.Cells, Clock: a.Clock, Random: a.Random}
}

func errNoOrders() error {
	return refuse(http.StatusServiceUnavailable, "no_cells", "This ledger keeps no orders.", "Use a ledger that does (docs/configuration.md).")
}

// OrderRecalls implements oas.Handler.
func (a *api) OrderRecalls(ctx context.Context, req *oas.RecallsWish) (*oas.Order, error) {
	if req.DryRun.Value {
		return a.rehearse(ctx, req)
	}
	if err := a.audited(); err != nil {
		return nil, err
	}
	o, fresh, err := a.order(ctx, req)
	return a.given(ctx, o, fresh, req.Reason, err)
}

// given writes down that somebody gave an order, or that it was refused, and carries it out where nobody else has to confirm it.
func (a *api) given(ctx context.Context, o twoperson.Order, fresh bool, reason string, err error) (*oas.Order, error) {
	a.auditAct(ctx, Act{Target: orderTarget(o.ID), Reason: "order " + o.ID + ": " + reason}, err)
	if err != nil {
		return nil, err
	}
	if o, err = a.carryOut(ctx, o, twoperson.Lease{}); err != nil {
		return nil, err
	}
	shown, err := a.whole(ctx, o)
	if err == nil {
		shown.Repeated = flag(!fresh)
	}
	return shown, err
}

// order keeps what is asked as an order, or finds the one of before.
func (a *api) order(ctx context.Context, req *oas.RecallsWish) (o twoperson.Order, fresh bool, err error) {
	id, ask, err := a.identify(ctx, req)
	if err != nil {
		return o, false, err
	}
	o.ID = id
	if known, found, err := a.desk().Known(ctx, id, ask); found || err != nil { // before the filter chooses anew: what it chose has become re-calls
		return known, false, err
	}
	c, err := a.choose(ctx, req.Filter, req.IncludeInDoubt.Value)
	switch {
	case err != nil:
		return o, false, err
	case len(c.calls) == 0:
		return o, false, refuse(http.StatusUnprocessableEntity, "no_calls", "No call that can be rung again matches"+counted(c.excluded)+".", "Ask for a dry run with another filter.")
	case !strings.HasPrefix(seenOf(ask, c), req.Seen.Value):
		return o, false, refuse(http.StatusConflict, "order_changed", fmt.Sprintf("The calls are others than those that were seen: %d match now.", len(c.calls)), "Ask for a dry run again, and order what it shows.")
	}
	w := twoperson.Wish{
		ID: id, Ask: ask, Action: opRecall, Reason: req.Reason, InDoubt: c.inDoubt, Doubts: req.IncludeInDoubt.Value, NotAfter: req.NotAfter.Value.UTC(), Excluded: c.excluded,
		Alone: !a.TwoPerson,
	}
	if !req.NotAfter.Set {
		w.NotAfter = time.Time{}
	}
	for _, row := range c.calls {
		w.Calls = append(w.Calls, row.ID)
	}
	made, fresh, err := a.desk().Propose(ctx, askedOf(ctx).who, w)
	if err != nil {
		return o, false, err
	}
	return made, fresh, nil
}

// identify checks what is asked, and names the order and the question.
func (a *api) identify(ctx context.Context, req *oas.RecallsWish) (id, ask string, err error) {
	if a.Cells == nil {
		return "", "", errNoOrders()
	}
	if err := a.checkWish(req); err != nil {
		return "", "", err
	}
	text, err := json.Marshal(struct {
		Filter   *oas.RecallFilter
		Reason   string
		Doubts   bool
		NotAfter time.Time
	}{&req.Filter, req.Reason, req.IncludeInDoubt.Value, req.NotAfter.Value.UTC()})
	if err != nil {
		return "", "", fmt.Errorf("name the order: %w", err)
	}
	who := askedOf(ctx).who
	ask = digest("order", string(who.Kind), who.Name, string(text))
	return req.OrderId.Or("o" + strings.NewReplacer("-", "a", "_", "b").Replace(ask)[:24]), ask, nil
}

func (a *api) checkWish(req *oas.RecallsWish) error {
	f := req.Filter
	switch {
	case strings.TrimSpace(req.Reason) == "":
		return &call.Error{Code: call.CodeReasonMissing, Field: "reason", Message: "A re-call needs a reason.", Fix: "Say why the phones should ring again."}
	case len(f.Ids) == 0 && len(f.State) == 0 && reflect.ValueOf(paramsOf(f)).IsZero():
		return refuse(http.StatusUnprocessableEntity, "filter_empty", "The filter chooses nothing in particular, so every call would ring again.", "Give at least one member of filter.")
	case req.NotAfter.Set && !req.NotAfter.Value.After(a.Clock.Now()):
		return &call.Error{Code: call.CodeFieldValue, Field: "notAfter", Message: "The field notAfter has passed.", Fix: "Give a later time, or none."}
	}
	return nil
}

// seenOf is the digest of what a dry run shows: the question, and the calls that it is about.
func seenOf(ask string, c *choice) string {
	ids := []string{"seen", ask}
	for _, row := range c.calls {
		ids = append(ids, row.ID)
	}
	slices.Sort(ids[2:])
	return digest(ids...)
}

// rehearse says what an order would be about. It keeps nothing.
func (a *api) rehearse(ctx context.Context, req *oas.RecallsWish) (*oas.Order, error) {
	id, ask, err := a.identify(ctx, req)
	if err != nil {
		return nil, err
	}
	c, err := a.choose(ctx, req.Filter, req.IncludeInDoubt.Value)
	if err != nil {
		return nil, err
	}
	shown := &oas.Order{
		ID: id, DryRun: flag(true), Action: text(opRecall), Reason: req.Reason, By: askedOf(ctx).who.Name, Count: len(c.calls), InDoubt: c.inDoubt, Excluded: excludedOf(c.excluded), NotAfter: req.NotAfter,
		Digest: text(seenOf(ask, c)),
	}
	for _, row := range c.calls[:min(firstShown, len(c.calls))] {
		was, err := a.view(ctx, row)
		if err != nil {
			return nil, err
		}
		shown.Calls = append(shown.Calls, oas.OrderedCall{
			CallId: row.ID, Result: resultWaiting, RecallId: text(a.recallID(id, row.ID)), Call: oas.NewOptCall(was),
		})
	}
	return shown, nil
}

// ListOrders implements oas.Handler.
func (a *api) ListOrders(ctx context.Context, p oas.ListOrdersParams) (*oas.OrderList, error) {
	if a.Cells == nil {
		return nil, errNoOrders()
	}
	now := a.Clock.Now()
	var found []twoperson.Order
	err := a.eachOrder(ctx, func(o twoperson.Order) bool {
		if !p.State.Set || string(p.State.Value) == string(o.StateAt(now)) {
			found = append(found, o)
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(a, b twoperson.Order) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.ID, b.ID)) })
	list := &oas.OrderList{Orders: []oas.Order{}, More: len(found) > p.Limit.Or(defaultLimit)}
	for _, o := range found[:min(len(found), p.Limit.Or(defaultLimit))] {
		list.Orders = append(list.Orders, a.brief(o))
	}
	return list, nil
}

// GetOrder implements oas.Handler.
func (a *api) GetOrder(ctx context.Context, p oas.GetOrderParams) (*oas.Order, error) {
	if a.Cells == nil {
		return nil, errNoOrders()
	}
	o, err := a.desk().Order(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	return a.whole(ctx, o)
}

// ConfirmOrder implements oas.Handler.
func (a *api) ConfirmOrder(ctx context.Context, req *oas.ConfirmWish, p oas.ConfirmOrderParams) (*oas.Order, error) {
	if a.Cells == nil {
		return nil, errNoOrders()
	}
	who := askedOf(ctx).who
	o, err := a.desk().Confirm(ctx, who, p.ID, req.Digest)
	if call.CodeOf(err) == twoperson.CodeNotPending { // the same confirmation again, whose answer was lost
		if now, failed := a.desk().Order(ctx, p.ID); failed == nil && now.Confirms(who, req.Digest) {
			o, err = now, nil
		}
	}
	a.auditAct(ctx, Act{Target: orderTarget(p.ID), Reason: "order " + orderNamed(p.ID)}, err)
	if err == nil {
		o, err = a.carryOut(ctx, o, twoperson.Lease{})
	}
	if err != nil {
		return nil, err
	}
	return a.whole(ctx, o)
}

// RefuseOrder implements oas.Handler.
func (a *api) RefuseOrder(ctx context.Context, req *oas.Reason, p oas.RefuseOrderParams) (*oas.Order, error) {
	if a.Cells == nil {
		return nil, errNoOrders()
	}
	o, err := a.desk().Withdraw(ctx, askedOf(ctx).who, p.ID, req.Reason)
	a.auditAct(ctx, Act{Target: orderTarget(p.ID), Reason: "order " + orderNamed(p.ID) + ": " + req.Reason}, err)
	if err != nil {
		return nil, err
	}
	return a.whole(ctx, o)
}

// orderNamed is an id of a URL as the audit log may hold it: whoever asked may have written anything there.
func orderNamed(id string) string {
	if strings.Trim(id, orderLetters) != "" {
		return "of another form"
	}
	return id
}

const orderLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
