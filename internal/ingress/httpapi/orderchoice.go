package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/httpapi/oas"
	"github.com/ringonce/ringonce/internal/twoperson"
)

// The bounds of what an order chooses from.
const (
	// mostSearched is how many calls one order looks through.
	mostSearched = 50_000
	// clockSlack is how far the order of a list, which is that of the ledger, may differ from that of its calls' instants: several processes accept them.
	clockSlack = time.Hour
)

// choice is what a filter chose: the calls that are rung again, and how many others there are, by the code of what speaks against them.
type choice struct {
	calls    []call.Call
	inDoubt  int // of calls
	excluded map[string]int

	order  string // that is carried out; empty while one is made
	doubts bool
	now    time.Time
	again  map[string]map[string]bool // by recipient: calls that orders rang again
}

func newChoice(order string, doubts bool, now time.Time) *choice {
	return &choice{order: order, excluded: map[string]int{}, doubts: doubts, now: now, again: map[string]map[string]bool{}}
}

// choose returns the calls that an order is about.
func (a *api) choose(ctx context.Context, f oas.RecallFilter, doubts bool) (*choice, error) {
	c := newChoice("", doubts, a.Clock.Now())
	l := listing{keep: func(row call.Call) bool { return a.matches(row, paramsOf(f)) }}
	for _, s := range f.State {
		l.states = append(l.states, call.State(s))
	}
	if len(f.Ids) > 0 {
		return c, a.chooseByID(ctx, c, f.Ids, l)
	}
	if !isText(f.KeySpace.Value) { // no call has it, and an index may fail on it
		return c, nil
	}
	filter := call.Filter{States: l.states, KeySpaces: call.InSpaces(f.KeySpace.Value), Limit: indexPage}
	for looked := 0; ; {
		rows, next, err := a.Index.List(ctx, filter)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			if f.AcceptedAfter.Set && row.AcceptedAt.Before(f.AcceptedAfter.Value.Add(-clockSlack)) {
				return c, nil // the rest is older still
			}
			if !l.shows(row) {
				continue
			}
			if err := a.weigh(ctx, c, row); err != nil {
				return nil, err
			}
		}
		if next == "" {
			return c, nil
		}
		if looked += indexPage; looked >= mostSearched {
			return nil, refuse(http.StatusUnprocessableEntity, "filter_too_wide", fmt.Sprintf("More than %d calls would have to be looked through.", mostSearched), "Narrow the filter by acceptedAfter or by state.")
		}
		filter.Cursor = next
	}
}

// paramsOf is a filter as the list of calls takes it.
func paramsOf(f oas.RecallFilter) oas.ListCallsParams {
	return oas.ListCallsParams{
		Outcome: f.Outcome, Producer: f.Producer, Profile: f.Profile, NotificationId: f.NotificationId, RecipientId: f.RecipientId, RecallId: f.RecallId,
		KeySpace: f.KeySpace, ContactId: f.ContactId, AcceptedAfter: f.AcceptedAfter, AcceptedBefore: f.AcceptedBefore,
	}
}

// chooseByID takes the calls that were named, as far as they are what the rest of the filter asks for.
func (a *api) chooseByID(ctx context.Context, c *choice, ids []string, l listing) error {
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		row, err := a.rowAt(ctx, id)
		switch {
		case errors.Is(err, call.ErrNotFound):
			c.excluded[string(call.CodeNotFound)]++
			continue
		case err != nil:
			return err
		case !l.shows(row):
			continue
		}
		if err := a.weigh(ctx, c, row); err != nil {
			return err
		}
	}
	return nil
}

// weigh takes a call that matches, or counts what speaks against it.
func (a *api) weigh(ctx context.Context, c *choice, row call.Call) error {
	code, err := a.against(ctx, row, c)
	switch {
	case err != nil:
		return err
	case code != "":
		c.excluded[code]++
		return nil
	}
	if row.State == call.InDoubt {
		c.inDoubt++
	}
	if c.calls = append(c.calls, row); len(c.calls) > twoperson.MostCalls {
		return refuse(http.StatusUnprocessableEntity, "too_many_calls", fmt.Sprintf("More than %d calls match.", twoperson.MostCalls), "Narrow the filter, and order in several parts.")
	}
	return nil
}

// against returns the code of what speaks against ringing again for a call; empty when nothing does. They are those of a single re-call: there is a number to ring, the
// call has ended, no dial of it is open, and nothing rang again for it already, be it a later ring of its key or the re-call of another order. Of two orders at once
// each is carried out.
func (a *api) against(ctx context.Context, row call.Call, c *choice) (string, error) {
	switch {
	case row.IsForgotten():
		return string(call.CodeForgotten), nil
	case row.Tombstone:
		return string(call.CodeCanceledBeforeCall), nil
	case !row.State.Final():
		return string(call.CodeNotFinal), nil
	case !row.Settled(c.now):
		return string(call.CodeNotSettled), nil
	case row.State == call.InDoubt && !c.doubts:
		return string(call.CodeMayHaveRung), nil
	}
	first, err := a.firstOf(ctx, row)
	switch {
	case err != nil:
		return "", err
	case !first.Forgetting.IsZero():
		return string(call.CodeForgotten), nil
	case first.LastRing != row.Ring:
		return string(call.CodeRingMoved), nil
	}
	again, err := a.ordered(ctx, c, row.Key)
	if err == nil && again[row.ID] {
		return string(call.CodeRingMoved), nil
	}
	return "", err
}

// ordered returns the calls of a recipient that other orders rang again, of the latest ones. What the same order made speaks against nothing: another process that
// carries it out may have made it just now.
func (a *api) ordered(ctx context.Context, c *choice, k call.Key) (map[string]bool, error) {
	recipient := a.Engine.Naming.Recipient(k.KeySpace, k.RecipientID)
	if found, known := c.again[recipient]; known {
		return found, nil
	}
	ids, err := a.Index.ByRecipient(ctx, recipient, mostLinked)
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for _, id := range ids {
		row, err := a.Ledger.Get(ctx, id)
		if err != nil && !errors.Is(err, call.ErrNotFound) {
			return nil, err
		}
		if order, of, ok := recalledBy(row.Key.RecallID); ok && order != c.order {
			found[of] = true
		}
	}
	c.again[recipient] = found
	return found, nil
}
