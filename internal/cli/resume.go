package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/rules"
)

// resumeCommand lets paused calls go on.
type resumeCommand struct {
	targetFlags
	remoteFlags

	Reason string `required:"" placeholder:"TEXT" help:"Why they may ring again."`
	Actor  string `placeholder:"NAME" help:"Who decided it; default: the user of this process. Through a service it is the owner of the key."`
	JSON   bool   `help:"Print one JSON object."`
}

// Run implements the command.
func (x *resumeCommand) Run(ctx context.Context, e *environment) (err error) {
	target, err := x.target()
	if err != nil {
		return err
	}
	r, err := e.remoteAct(x.Actor)
	if err != nil {
		return err
	}
	if r != nil {
		answer, err := r.resume(ctx, target, x.Reason)
		if err != nil {
			return err
		}
		return x.print(e, answer)
	}
	a, err := e.openCells(ctx, opening{})
	if err != nil {
		return err
	}
	defer closing(a, &err)
	d := deed{action: "resume", actor: e.actorOf(x.Actor), target: deedTarget(target), reason: x.Reason, guarded: true}
	return e.did(ctx, a.Config, d, func() error {
		now := rules.Switch{Target: target, By: e.actorOf(x.Actor), At: a.Clock.Now(), Why: x.Reason}
		changed, err := rules.Resume(ctx, a.Store.Cells, now)
		if err != nil {
			return err
		}
		answer := pausedOf(now, false, changed)
		if !changed {
			return errNotPaused(answer)
		}
		return x.print(e, answer)
	})
}

// errNotPaused refuses to resume what is not paused.
func errNotPaused(p paused) error {
	return &call.Error{
		Code: codeNotPaused, Message: strings.ToUpper(p.what()[:1]) + plain(p.what()[1:]) + " is not paused.",
		Fix: "See what is with ringonce pause --list; what the configuration pauses is resumed there.",
	}
}

func (x *resumeCommand) print(e *environment, answer paused) error {
	if x.JSON {
		return printJSON(e.Stdout, answer)
	}
	_, err := fmt.Fprintf(e.Stdout, "%s\nwhat it held is dialed at its pace, beginning with the next sweep\n", plain("resumed: "+answer.words()))
	return err
}

// codeNotPaused refuses to resume what is not paused.
const codeNotPaused call.Code = "not_paused"
