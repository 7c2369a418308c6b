package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// recallCommand makes the next ring of a key. The id names the ring that its user saw, so two users who decide at once make one
// ring.
type recallCommand struct {
	ID       string `arg:"" optional:"" help:"The newest ring of the key, as ringonce calls list shows it."`
	Reason   string `required:"" placeholder:"TEXT" help:"Why the phone should ring again; it is kept in the history."`
	Actor    string `placeholder:"NAME" help:"Who decided it; default: the user of this process. Through a service it is the owner of the key."`
	NotAfter string `placeholder:"TIME" help:"No ring after this time, in RFC 3339."`
	JSON     bool   `help:"Print one JSON object."`

	AlthoughItMayHaveRung bool `help:"Also when the call is in doubt: the phone may ring a second time."`

	many
}

// recalled is the JSON form of the answer.
type recalled struct {
	ID        string     `json:"id"`
	Ring      int        `json:"ring"`
	State     call.State `json:"state"`
	Sentence  string     `json:"sentence"`
	ContactID string     `json:"contactId,omitempty"`
	Of        string     `json:"of"` // the ring that was seen
	Code      call.Code  `json:"code,omitempty"`
	Message   string     `json:"message,omitempty"`
}

// Run implements the command.
func (x *recallCommand) Run(ctx context.Context, e *environment) (err error) {
	wish, err := wishOf(call.Recall{Actor: e.actorOf(x.Actor), Reason: x.Reason, SparesDoubt: !x.AlthoughItMayHaveRung}, x.NotAfter)
	if err != nil {
		return err
	}
	switch {
	case len(x.Where) > 0:
		return x.orderMany(ctx, e, wish)
	case x.ID == "":
		return misused("No call is named.", "Give the id of one, or --where for all that match.")
	case x.DryRun || x.OrderID != "" || x.Seen != "":
		return misused("--dry-run and --order-id are about --where.", "Leave them out, or say with --where which calls.")
	}
	r, err := e.remoteAct(x.Actor)
	if err != nil {
		return err
	}
	if r != nil {
		return r.recall(ctx, x.ID, wish, x.JSON)
	}
	return e.doOnCall(ctx, x.ID, deed{action: "recallCall", actor: wish.Actor, reason: x.Reason, guarded: true}, func(a *app.App, id string) error {
		return ringAgain(ctx, e, a, id, wish, x.JSON)
	})
}

// wishOf completes a wish with the time of its limit, if it has one.
func wishOf(wish call.Recall, notAfter string) (call.Recall, error) {
	if notAfter == "" {
		return wish, nil
	}
	at, err := time.Parse(time.RFC3339, notAfter)
	if err != nil {
		return wish, misused("--not-after is no time.", "Write it like 2026-11-29T03:00:00Z.")
	}
	wish.NotAfter = at
	return wish, nil
}

// ringAgain makes the next ring after the one that was seen, and warns of what is known to speak against it.
func ringAgain(ctx context.Context, e *environment, a *app.App, id string, wish call.Recall, asJSON bool) error {
	row, err := get(ctx, a, id)
	if err != nil {
		return err
	}
	out := a.Engine.Recall(ctx, id, wish)
	if out.Call.ID == "" { // refused, or the ledger failed: no ring was made
		if out.Code == call.CodeMayHaveRung {
			out.Fix = "Look at ringonce doubt show " + short(id) + "; to ring all the same, add --although-it-may-have-rung."
		}
		return &call.Error{Code: out.Code, Message: out.Message, Fix: out.Fix}
	}
	if warning := warnOf(row); warning != "" {
		fmt.Fprintln(e.Stderr, "ringonce: warning:", warning)
	}
	return recalled{
		ID: out.Call.ID, Ring: out.Call.Ring, State: out.Call.State, Sentence: out.Call.Sentence(), ContactID: out.Call.ContactID,
		Of: id, Code: out.Call.Code, Message: out.Call.Message,
	}.print(e, asJSON)
}

// print prints the answer and ends by the state of the ring.
func (r recalled) print(e *environment, asJSON bool) (err error) {
	if asJSON {
		err = printJSON(e.Stdout, r)
	} else {
		err = r.text(e)
	}
	if err != nil {
		return err
	}
	return endWith(outcomeExits[call.MetState(r.State)])
}

// warnOf says what speaks against a further ring after this one; empty when nothing does.
func warnOf(row call.Call) string {
	switch {
	case row.State == call.InDoubt:
		return "the ring before is in doubt and may have rung, so this may be its second ring."
	case row.Outcome == call.OutcomeConfirmed:
		return "the ring before was confirmed by a key press."
	case row.Outcome == call.OutcomeAnswered:
		return "the ring before was answered; nobody is known to have listened."
	}
	return ""
}

func (r recalled) text(e *environment) error {
	text := fmt.Sprintf("ring %d of call %s is %s: %s\n", r.Ring, short(r.ID), r.State, plain(r.Sentence))
	if r.ContactID != "" {
		text += "contact  " + plain(r.ContactID) + "\n"
	}
	if r.Message != "" {
		text += "why      " + plain(r.Message) + "\n"
	}
	_, err := fmt.Fprintf(e.Stdout, "%sshow it with: ringonce calls show %s\n", text, short(r.ID))
	return err
}
