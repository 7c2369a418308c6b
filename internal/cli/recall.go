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
	ID       string `arg:"" help:"The newest ring of the key, as ringonce calls list shows it."`
	Reason   string `required:"" placeholder:"TEXT" help:"Why the phone should ring again; it is kept in the history."`
	Actor    string `placeholder:"NAME" help:"Who decided it; default: the user of this process."`
	NotAfter string `placeholder:"TIME" help:"No ring after this time, in RFC 3339."`
	InDoubt  bool   `help:"Ring again although the call is in doubt: the phone may have rung, and may ring a second time."`
	JSON     bool   `help:"Print one JSON object."`
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
	wish := call.Recall{Actor: x.Actor, Reason: x.Reason}
	if wish.Actor == "" {
		wish.Actor, _ = e.LookupEnv("USER")
	}
	if x.NotAfter != "" {
		if wish.NotAfter, err = time.Parse(time.RFC3339, x.NotAfter); err != nil {
			return misused("--not-after is no time.", "Write it like 2026-11-29T03:00:00Z.")
		}
	}
	a, err := e.openLedger(ctx, opening{})
	if err != nil {
		return err
	}
	defer closing(a, &err)
	id, err := resolve(ctx, a, x.ID)
	if err != nil {
		return err
	}
	if err = x.mayDoubt(ctx, a, e, id); err != nil {
		return err
	}
	out := a.Engine.Recall(ctx, id, wish)
	if out.Call.ID == "" { // refused, or the ledger failed: no ring was made
		return &call.Error{Code: out.Code, Message: out.Message, Fix: out.Fix}
	}
	answer := recalled{
		ID: out.Call.ID, Ring: out.Call.Ring, State: out.Call.State, Sentence: out.Call.Sentence(), ContactID: out.Call.ContactID,
		Of: id, Code: out.Call.Code, Message: out.Call.Message,
	}
	if x.JSON {
		err = printJSON(e.Stdout, answer)
	} else {
		err = answer.text(e)
	}
	if err != nil {
		return err
	}
	return endWith(outcomeExits[call.MetState(answer.State)])
}

// mayDoubt warns of a call that may have rung. Who wants it nevertheless says so.
func (x *recallCommand) mayDoubt(ctx context.Context, a *app.App, e *environment, id string) error {
	row, err := get(ctx, a, id)
	if err != nil || row.State != call.InDoubt {
		return err
	}
	if !x.InDoubt {
		return &call.Error{
			Code: codeInDoubt, Message: "This call is in doubt: the phone may have rung, and a re-call may ring it a second time.",
			Fix: "Look for its contact in Amazon Connect (ringonce calls show " + short(id) + "), or add --in-doubt.",
		}
	}
	_, err = fmt.Fprintln(e.Stderr, "warning: this call is in doubt: the phone may ring a second time")
	return err
}

// codeInDoubt refuses a re-call of a call that may have rung, unless its user said that they know.
const codeInDoubt call.Code = "in_doubt"

func (r recalled) text(e *environment) error {
	text := fmt.Sprintf("ring %d of call %s is %s: %s\n", r.Ring, short(r.ID), r.State, r.Sentence)
	if r.ContactID != "" {
		text += "contact  " + plain(r.ContactID) + "\n"
	}
	if r.Message != "" {
		text += "why      " + plain(r.Message) + "\n"
	}
	_, err := fmt.Fprintf(e.Stdout, "%sshow it with: ringonce calls show %s\n", text, short(r.ID))
	return err
}
