package cli

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// cancelCommand withdraws the key of a call, as its producer's cancel does.
type cancelCommand struct {
	ID    string `arg:"" help:"A call's id, or at least its first 6 characters; any ring of the key."`
	Actor string `placeholder:"NAME" help:"Who decided it; default: the user of this process. Through a service it is the owner of the key."`
	JSON  bool   `help:"Print one JSON object."`
}

// Run implements the command.
func (x *cancelCommand) Run(ctx context.Context, e *environment) error {
	r, err := e.remoteAct(x.Actor)
	if err != nil {
		return err
	}
	if r != nil {
		answer, err := r.act(ctx, x.ID, r.api.Cancel)
		if err != nil {
			return err
		}
		return x.print(e, answer)
	}
	return e.doOnCall(ctx, x.ID, deed{action: "cancelCall", actor: e.actorOf(x.Actor)}, func(a *app.App, id string) error {
		row, err := get(ctx, a, id)
		if err != nil {
			return err
		}
		if row, err = x.cancel(ctx, e, a, row); err != nil {
			return err
		}
		return x.print(e, acknowledged{ID: row.ID, State: row.State, Sentence: row.Sentence(), TooLate: tooLate(row)})
	})
}

// cancel withdraws the key at this instant: it means everything that was requested for it until now.
func (x *cancelCommand) cancel(ctx context.Context, e *environment, a *app.App, row call.Call) (call.Call, error) {
	if row.IsForgotten() {
		return row, &call.Error{Code: call.CodeForgotten, Message: "The recipient of this call was forgotten, so it never rings again.", Fix: "There is nothing to do."}
	}
	now := a.Clock.Now()
	at := now
	if !at.After(row.RequestedAt) { // a producer's clock that runs ahead: the person has seen what it asked for
		at = row.RequestedAt.Add(1)
	}
	id := make([]byte, 8)
	if _, err := io.ReadFull(e.Random, id); err != nil {
		return row, fmt.Errorf("name the cancel: %w", err)
	}
	k := row.Key
	out := a.Engine.Place(ctx, call.Delivery{
		Request: call.Request{
			NotificationID: k.NotificationID, RecipientID: k.RecipientID, RecallID: k.RecallID, ClientToken: k.Instead, Profile: row.Profile,
			Action: call.ActionCancel, RequestedAt: at,
		},
		Source: call.SourceDirect, Producer: e.actorOf(x.Actor), KeySpace: &k.KeySpace, ID: hex.EncodeToString(id), EventID: k.Instead, ReceivedAt: now,
	})
	if out.Ack != call.AckDone {
		return row, &call.Error{Code: out.Code, Message: out.Message, Fix: out.Fix}
	}
	return get(ctx, a, row.ID)
}

func (x *cancelCommand) print(e *environment, done acknowledged) error {
	if x.JSON {
		return printJSON(e.Stdout, done)
	}
	text := fmt.Sprintf("withdrawn: nothing that was requested until now rings any more for the key of call %s\ncall %s is %s: %s\n",
		short(done.ID), short(done.ID), done.State, plain(done.Sentence))
	if done.TooLate != "" {
		text += done.TooLate + "\n"
	}
	_, err := fmt.Fprint(e.Stdout, text)
	return err
}
