package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/ringonce/ringonce/client"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// heldReleaseCommand lets a held call ring now.
type heldReleaseCommand struct {
	ID     string `arg:"" optional:"" help:"A call's id, or at least its first 6 characters."`
	Reason string `required:"" placeholder:"TEXT" help:"Why it cannot wait; it is kept in the history."`
	Actor  string `placeholder:"NAME" help:"Who decided it; default: the user of this process. Through a service it is the owner of the key."`
	JSON   bool   `help:"Print one JSON object."`

	heldMany
}

// heldActed is the JSON form of the answer to a release or a drop.
type heldActed struct {
	ID        string     `json:"id"`
	State     call.State `json:"state"`
	Sentence  string     `json:"sentence"`
	ContactID string     `json:"contactId,omitempty"`
	Reason    string     `json:"reason,omitempty"` // why it is held still
	Due       time.Time  `json:"due,omitzero"`     // until when
	Code      call.Code  `json:"code,omitempty"`
	Message   string     `json:"message,omitempty"`
}

// Run implements the command.
func (x *heldReleaseCommand) Run(ctx context.Context, e *environment) (err error) {
	r, err := e.remoteAct(x.Actor)
	if err != nil {
		return err
	}
	if err := x.misuse(x.ID, r); err != nil {
		return err
	}
	if len(x.Where) > 0 {
		return x.run(ctx, r, r.releasing(), x.Reason, x.JSON)
	}
	if r != nil {
		return r.actOnHeld(ctx, x.ID, x.JSON, func(id string) (client.Acted, error) { return r.api.Release(ctx, id, x.Reason) })
	}
	return e.doOnCall(ctx, x.ID, deed{action: "releaseHeld", actor: e.actorOf(x.Actor), reason: x.Reason, guarded: true}, func(a *app.App, id string) error {
		out := a.Engine.Release(ctx, id, e.actorOf(x.Actor), x.Reason)
		if out.Call.ID == "" { // refused, or the ledger failed: nothing was written
			return &call.Error{Code: out.Code, Message: out.Message, Fix: out.Fix}
		}
		return actedOn(out.Call).print(e, x.JSON, a.Clock.Now())
	})
}

// heldDropCommand withdraws a held call.
type heldDropCommand struct {
	ID     string `arg:"" optional:"" help:"A call's id, or at least its first 6 characters."`
	Reason string `required:"" placeholder:"TEXT" help:"Why it shall not ring; it is kept in the history."`
	Actor  string `placeholder:"NAME" help:"Who decided it; default: the user of this process. Through a service it is the owner of the key."`
	JSON   bool   `help:"Print one JSON object."`

	heldMany
}

// Run implements the command.
func (x *heldDropCommand) Run(ctx context.Context, e *environment) (err error) {
	r, err := e.remoteAct(x.Actor)
	if err != nil {
		return err
	}
	if err := x.misuse(x.ID, r); err != nil {
		return err
	}
	if len(x.Where) > 0 {
		return x.run(ctx, r, r.dropping(), x.Reason, x.JSON)
	}
	if r != nil {
		return r.actOnHeld(ctx, x.ID, x.JSON, func(id string) (client.Acted, error) { return r.api.Drop(ctx, id, x.Reason) })
	}
	return e.doOnCall(ctx, x.ID, deed{action: "dropHeld", actor: e.actorOf(x.Actor), reason: x.Reason}, func(a *app.App, id string) error {
		row, err := a.Engine.Drop(ctx, id, e.actorOf(x.Actor), x.Reason)
		if err != nil {
			return err
		}
		return actedOn(row).print(e, x.JSON, a.Clock.Now())
	})
}

func actedOn(row call.Call) heldActed {
	answer := heldActed{ID: row.ID, State: row.State, Sentence: row.Sentence(), ContactID: row.ContactID, Code: row.Code, Message: row.Message}
	if row.State == call.Received {
		answer.Reason, answer.Due = holdReason(row), row.Due
	}
	return answer
}

// print prints the answer and ends by the state of the call.
func (h heldActed) print(e *environment, asJSON bool, now time.Time) error {
	var err error
	if asJSON {
		err = printJSON(e.Stdout, h)
	} else {
		err = h.text(e, now)
	}
	if err != nil {
		return err
	}
	return endWith(outcomeExits[call.MetState(h.State)])
}

func (h heldActed) text(e *environment, now time.Time) error {
	text := fmt.Sprintf("call %s is %s: %s\n", short(h.ID), h.State, h.Sentence)
	if h.ContactID != "" {
		text += "contact  " + plain(h.ContactID) + "\n"
	}
	if h.Message != "" {
		text += "why      " + plain(h.Message) + "\n"
	}
	if h.Reason != "" {
		text += "held     " + in(h.Due.Sub(now)) + ", until " + stamp(h.Due) + why(h.Reason) + "\n"
	}
	_, err := fmt.Fprintf(e.Stdout, "%sshow it with: ringonce calls show %s\n", text, short(h.ID))
	return err
}
