package cli

import (
	"context"
	"fmt"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// acknowledgeCommand is a person's word that what a call is about is known. It does what a producer's acknowledge does, and a key press.
type acknowledgeCommand struct {
	ID    string `arg:"" help:"A call's id, or at least its first 6 characters; any ring of the key."`
	Actor string `placeholder:"NAME" help:"Who knows; default: the user of this process. Through a service it is the owner of the key."`
	JSON  bool   `help:"Print one JSON object."`
}

// acknowledged is the JSON form of the answer.
type acknowledged struct {
	ID       string     `json:"id"` // the newest ring of the key
	State    call.State `json:"state"`
	Sentence string     `json:"sentence"`
	TooLate  string     `json:"tooLate,omitempty"` // it rang before, in words
}

// Run implements the command.
func (x *acknowledgeCommand) Run(ctx context.Context, e *environment) (err error) {
	r, err := e.remoteAct(x.Actor)
	if err != nil {
		return err
	}
	if r != nil {
		answer, err := r.act(ctx, x.ID, r.api.Acknowledge)
		if err != nil {
			return err
		}
		return x.print(e, answer)
	}
	return e.doOnCall(ctx, x.ID, deed{action: "acknowledgeCall", actor: e.actorOf(x.Actor)}, func(a *app.App, id string) error {
		row, err := a.Engine.Acknowledge(ctx, id, call.Acknowledgment{Actor: e.actorOf(x.Actor)})
		if err != nil {
			return err
		}
		return x.print(e, acknowledged{ID: row.ID, State: row.State, Sentence: row.Sentence(), TooLate: tooLate(row)})
	})
}

func (x *acknowledgeCommand) print(e *environment, done acknowledged) error {
	if x.JSON {
		return printJSON(e.Stdout, done)
	}
	return done.text(e)
}

func (k acknowledged) text(e *environment) error {
	text := fmt.Sprintf("acknowledged: nothing rings any more for the key of call %s, nor for those on its list\ncall %s is %s: %s\n", short(k.ID), short(k.ID), k.State, plain(k.Sentence))
	if k.TooLate != "" {
		text += k.TooLate + "\n"
	}
	_, err := fmt.Fprint(e.Stdout, text)
	return err
}
