package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ringonce/ringonce/client"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// listCommand lists calls.
type listCommand struct {
	NumberFile string `placeholder:"FILE" help:"Only calls to the phone number in this file, - for standard input. A number is no argument: the list of processes shows those."`

	matching

	State []string `placeholder:"STATE" help:"Only calls in this state, repeatable: received, dialing, placed, failed, expired, canceled, in_doubt."`
	Limit int      `default:"100" placeholder:"N" help:"At most so many."`
	JSON  bool     `help:"Print one JSON object a call."`
}

// listed is the JSON form of a call in a list.
type listed struct {
	ID             string              `json:"id"`
	NotificationID string              `json:"notificationId"`
	RecipientID    string              `json:"recipientId"`
	RecallID       string              `json:"recallId,omitempty"`
	KeySpace       string              `json:"keySpace,omitempty"`
	Kind           call.Kind           `json:"kind"`
	Ring           int                 `json:"ring"`
	Destination    string              `json:"destination,omitempty"` // masked
	ClientToken    string              `json:"clientToken,omitempty"`
	ContactID      string              `json:"contactId,omitempty"`
	PlacedAt       time.Time           `json:"placedAt,omitzero"`
	State          call.State          `json:"state"`
	Outcome        call.ContactOutcome `json:"outcome,omitempty"` // what became of the contact, as far as it is known
	RecallCount    int                 `json:"recallCount"`       // further rings of the key
	AcceptedAt     time.Time           `json:"acceptedAt"`
	FinalAt        time.Time           `json:"finalAt,omitzero"`
	Forgotten      time.Time           `json:"forgotten,omitzero"` // when the recipient was erased from it
	Due            time.Time           `json:"due,omitzero"`
	DueReason      string              `json:"dueReason,omitempty"`
	Error          *callError          `json:"error,omitempty"`
}

// callError is why a call did not end placed, or what its last attempt was answered.
type callError struct {
	Code    call.Code `json:"code"`
	Message string    `json:"message,omitempty"`
}

// Run implements the command.
func (x *listCommand) Run(ctx context.Context, e *environment) (err error) {
	which, err := x.which()
	if err != nil {
		return err
	}
	number, err := x.number(e)
	if err != nil {
		return err
	}
	r, err := e.remote()
	if err != nil {
		return err
	}
	if r != nil {
		calls, more, err := r.list(ctx, which, number, x.Limit)
		if err != nil {
			return err
		}
		return x.print(e, calls, more)
	}
	a, err := e.openLedger(ctx, opening{readOnly: true})
	if err != nil {
		return err
	}
	defer closing(a, &err)
	calls, more, err := x.beside(ctx, a, which, number)
	if err != nil {
		return err
	}
	return x.print(e, calls, more)
}

// beside lists calls of an open ledger.
func (x *listCommand) beside(ctx context.Context, a *app.App, which client.RecallFilter, number call.Phone) (calls []listed, more bool, err error) {
	filter := inLedger(which)
	for more = true; more && len(calls) < x.Limit; {
		if filter.Limit = listPage; number.IsZero() && len(x.Where) == 0 {
			filter.Limit = min(listPage, x.Limit-len(calls))
		}
		page, next, err := a.Store.Index.List(ctx, filter)
		if err != nil {
			return nil, false, err
		}
		rest := false // of the page
		for _, row := range page {
			if !number.IsZero() && row.Destination != number.Wire() || !matches(a, which, row) {
				continue
			}
			if rest = len(calls) == x.Limit; rest {
				break
			}
			first, err := firstOf(ctx, a, row)
			if err != nil {
				return nil, false, err
			}
			calls = append(calls, list(row, first))
		}
		filter.Cursor, more = next, next != "" || rest
	}
	return calls, more, nil
}

// number returns the number whose calls are listed; zero for those of every number.
func (x *listCommand) number(e *environment) (call.Phone, error) {
	return oneNumber(e, x.NumberFile, "List the calls of one number after the other.")
}

// which is what the flags choose, but for the number.
func (x *listCommand) which() (client.RecallFilter, error) {
	which, err := x.filter(x.State)
	if err == nil && x.Limit < 1 {
		err = misused("--limit is not positive.", "Give at least 1.")
	}
	return which, err
}

// statesOf reads the values of --state.
func statesOf(names []string) (states []call.State, err error) {
	for _, name := range names {
		state := call.State(strings.ReplaceAll(name, "-", "_"))
		if !slices.Contains(call.States(), state) {
			return nil, misused("--state has the unknown value "+strconv.Quote(name)+".", "Use received, dialing, placed, failed, expired, canceled or in_doubt.")
		}
		states = append(states, state)
	}
	return states, nil
}

func list(row, first call.Call) listed {
	l := listed{
		ID: row.ID, NotificationID: row.Key.NotificationID, RecipientID: row.Key.RecipientID, RecallID: row.Key.RecallID, KeySpace: row.Key.KeySpace,
		Kind: cmp.Or(row.Key.Kind, call.KindVoice), Ring: row.Ring, Destination: row.Phone().String(), ClientToken: row.Token, ContactID: row.ContactID,
		PlacedAt: row.PlacedAt, State: row.State, Outcome: row.Outcome, RecallCount: first.LastRing, AcceptedAt: row.AcceptedAt, FinalAt: row.FinalAt,
		Forgotten: row.Forgotten, Due: row.DueAt(), DueReason: row.DueReason,
	}
	if row.Code != "" {
		l.Error = &callError{Code: row.Code, Message: row.Message}
	}
	return l
}

func (x *listCommand) print(e *environment, calls []listed, more bool) error {
	if x.JSON {
		for _, c := range calls {
			if err := printJSON(e.Stdout, c); err != nil {
				return err
			}
		}
		return nil
	}
	if len(calls) == 0 {
		_, err := fmt.Fprintln(e.Stdout, "no calls")
		return err
	}
	now := e.Clock.Now()
	mixed := slices.ContainsFunc(calls, func(c listed) bool { return c.Kind != call.KindVoice })
	rows := [][]string{{"CALL", "STATE", "OUTCOME", "NOTIFICATION", "RECIPIENT", "RING", "RE-CALLS", "NUMBER", "PLACED", "CONTACT", "NEXT", "ERROR"}}
	for _, c := range calls {
		next, code := "", ""
		if !c.Due.IsZero() {
			next = in(c.Due.Sub(now))
		}
		if c.Error != nil {
			code = string(c.Error.Code)
		}
		rows = append(rows, []string{
			short(c.ID), string(c.State), dash(string(c.Outcome)), shownID(c.NotificationID), shownID(c.RecipientID), strconv.Itoa(c.Ring), strconv.Itoa(c.RecallCount), c.Destination,
			stamp(c.PlacedAt), c.ContactID, next, code,
		})
	}
	if mixed {
		rows[0] = slices.Insert(rows[0], 1, "KIND")
		for i, c := range calls {
			rows[i+1] = slices.Insert(rows[i+1], 1, string(c.Kind))
		}
	}
	if err := table(e.Stdout, rows); err != nil {
		return err
	}
	if more {
		_, err := fmt.Fprintf(e.Stdout, "there are more; --limit shows more than %d\n", x.Limit)
		return err
	}
	return nil
}

// in says when something is due.
func in(d time.Duration) string {
	if d <= 0 {
		return "now"
	}
	return "in " + lasted(d)
}
