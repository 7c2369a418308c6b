package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/httpapi/oas"
	"github.com/ringonce/ringonce/internal/twoperson"
)

// The acts on one held call, as the audit log and an order name them, and the operations that order them for many.
const (
	opRelease     = "releaseHeld"
	opDrop        = "dropHeld"
	opReleaseMany = "releaseHeldCalls"
	opDropMany    = "dropHeldCalls"
)

// ReleaseHeldCalls implements oas.Handler.
func (a *api) ReleaseHeldCalls(ctx context.Context, req *oas.HeldWish) (*oas.Order, error) {
	if !req.DryRun.Value {
		if err := a.audited(); err != nil {
			return nil, err
		}
	}
	return a.orderHeld(ctx, opRelease, req)
}

// DropHeldCalls implements oas.Handler.
func (a *api) DropHeldCalls(ctx context.Context, req *oas.HeldWish) (*oas.Order, error) {
	return a.orderHeld(ctx, opDrop, req)
}

// orderHeld orders an act on all held calls that match, and carries it out where nobody else has to confirm it.
func (a *api) orderHeld(ctx context.Context, action string, req *oas.HeldWish) (*oas.Order, error) {
	if req.DryRun.Value {
		return a.rehearseHeld(ctx, action, req)
	}
	o, fresh, err := a.proposeHeld(ctx, action, req)
	return a.given(ctx, o, fresh, req.Reason, err)
}

// shortSeen is how much of a digest counts: its beginning may be given.
const shortSeen = 12

// proposeHeld keeps what is asked as an order, or finds the one of before: the same question about the same calls. Which calls are held changes every moment, so
// whoever asks says which ones were seen.
func (a *api) proposeHeld(ctx context.Context, action string, req *oas.HeldWish) (o twoperson.Order, fresh bool, err error) {
	asked, err := a.askedHeld(ctx, action, req)
	if err != nil {
		return o, false, err
	}
	if req.Seen.Value == "" && len(req.Filter.Ids) == 0 {
		return o, false, refuse(http.StatusUnprocessableEntity, "seen_missing", "Nothing says which calls were seen.", "Ask for a dry run, and give its digest as seen; or name the calls by ids.")
	}
	ask := digest("held order", asked, req.Seen.Value[:min(shortSeen, len(req.Seen.Value))])
	o.ID = req.OrderId.Or("h" + strings.NewReplacer("-", "a", "_", "b").Replace(ask)[:24])
	if known, found, err := a.desk().Known(ctx, o.ID, ask); found || err != nil { // before the filter chooses anew: what it chose is not held any more
		return known, false, err
	}
	c, err := a.chooseHeld(ctx, action, req.Filter)
	switch {
	case err != nil:
		return o, false, err
	case len(c.calls) == 0:
		return o, false, refuse(http.StatusUnprocessableEntity, "no_calls", "No held call matches"+counted(c.excluded)+".", "Ask for a dry run with another filter.")
	case !strings.HasPrefix(seenHeld(asked, c), req.Seen.Value):
		return o, false, refuse(http.StatusConflict, "order_changed", fmt.Sprintf("The calls are others than those that were seen: %d match now.", len(c.calls)),
			"Ask for a dry run again, and order what it shows; or name the calls by ids.")
	}
	made, fresh, err := a.desk().Propose(ctx, askedOf(ctx).who, twoperson.Wish{
		ID: o.ID, Ask: ask, Action: action, Reason: req.Reason, Calls: idsOf(c.calls), Held: reasonsOf(c.calls), Excluded: c.excluded, Alone: !a.TwoPerson,
	})
	if err != nil {
		return o, false, err
	}
	return made, fresh, nil
}

func idsOf(rows []call.Call) (ids []string) {
	for _, row := range rows {
		ids = append(ids, row.ID)
	}
	return ids
}

// reasonsOf returns why each call is held.
func reasonsOf(rows []call.Call) map[string]string {
	reasons := map[string]string{}
	for _, row := range rows {
		reasons[row.ID] = holdReason(row)
	}
	return reasons
}

// seenHeld is the digest of what a dry run shows of held calls: the question, the calls, and why each is held.
func seenHeld(ask string, c *choice) string {
	seen := []string{"seen held", ask}
	for _, row := range c.calls {
		seen = append(seen, row.ID+" "+holdReason(row))
	}
	slices.Sort(seen[2:])
	return digest(seen...)
}

// askedHeld checks what is asked, and names the question.
func (a *api) askedHeld(ctx context.Context, action string, req *oas.HeldWish) (string, error) {
	f := req.Filter
	switch {
	case a.Cells == nil:
		return "", errNoOrders()
	case strings.TrimSpace(req.Reason) == "":
		return "", &call.Error{Code: call.CodeReasonMissing, Field: "reason", Message: "The order needs a reason.", Fix: "Say why; it stands in the history of each call."}
	case len(f.Ids) == 0 && len(f.Reason) == 0 && reflect.ValueOf(heldParams(f)).IsZero():
		return "", refuse(http.StatusUnprocessableEntity, "filter_empty", "The filter chooses nothing in particular, so it would be about every held call.", "Give at least one member of filter.")
	}
	text, err := json.Marshal(struct {
		Filter *oas.HeldFilter
		Reason string
	}{&req.Filter, req.Reason})
	if err != nil {
		return "", fmt.Errorf("name the order: %w", err)
	}
	who := askedOf(ctx).who
	return digest("held", action, string(who.Kind), who.Name, string(text)), nil
}

// rehearseHeld says what an order would be about. It keeps nothing.
func (a *api) rehearseHeld(ctx context.Context, action string, req *oas.HeldWish) (*oas.Order, error) {
	asked, err := a.askedHeld(ctx, action, req)
	if err != nil {
		return nil, err
	}
	c, err := a.chooseHeld(ctx, action, req.Filter)
	if err != nil {
		return nil, err
	}
	shown := &oas.Order{
		ID: req.OrderId.Value, DryRun: flag(true), Action: text(action), Reason: req.Reason, By: askedOf(ctx).who.Name, Count: len(c.calls), Excluded: excludedOf(c.excluded), Digest: text(seenHeld(asked, c)),
	}
	for _, row := range c.calls[:min(firstShown, len(c.calls))] {
		is, err := a.view(ctx, row)
		if err != nil {
			return nil, err
		}
		shown.Calls = append(shown.Calls, oas.OrderedCall{CallId: row.ID, Result: resultWaiting, Call: oas.NewOptCall(is)})
	}
	return shown, nil
}
