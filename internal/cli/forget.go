package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// forgetCommand erases a recipient. The recipient is named as in the requests, and never printed.
type forgetCommand struct {
	Recipient string `arg:"" help:"The recipientId of the requests."`
	KeySpace  string `placeholder:"NAME" help:"The key space of the id; default: the unnamed one."`
	Reason    string `required:"" placeholder:"TEXT" help:"Why, without naming the recipient; it is kept in the history."`
	Actor     string `placeholder:"NAME" help:"Who decided it; default: the user of this process."`
	JSON      bool   `help:"Print one JSON object."`
}

// forgotten is the JSON form of the answer.
type forgotten struct {
	Erased  int       `json:"erased"`  // calls that were erased now
	Already int       `json:"already"` // calls whose erasure an earlier run began, and this one finished
	Waiting []waiting `json:"waiting"` // calls that are canceled and not erased yet
	Failed  []broken  `json:"failed"`  // calls that could not be read or written, and keep their keys
	Until   time.Time `json:"until,omitzero"`
}

type waiting struct {
	ID    string     `json:"id"`
	State call.State `json:"state"`
	Until time.Time  `json:"until"`
}

type broken struct {
	ID    string `json:"id"`
	Error string `json:"error"`
}

// Run implements the command.
func (x *forgetCommand) Run(ctx context.Context, e *environment) (err error) {
	if e.commands.Calls.Server != "" {
		return misused("A service forgets nobody.", "Stop it, and name the configuration with its ledger by --config.")
	}
	wish := call.Forgetting{RecipientID: x.Recipient, KeySpace: x.KeySpace, Actor: e.actorOf(x.Actor), Reason: x.Reason}
	a, err := e.openLedger(ctx, opening{})
	if err != nil {
		return err
	}
	defer closing(a, &err)
	d := deed{action: "forget", actor: wish.Actor, reason: x.Reason, recipient: x.KeySpace + "/" + x.Recipient, guarded: true}
	return e.did(ctx, a.Config, d, func() error { return x.forget(ctx, e, a, wish) })
}

func (x *forgetCommand) forget(ctx context.Context, e *environment, a *app.App, wish call.Forgetting) (err error) {
	done, failure := a.Engine.Forget(ctx, wish)
	if failure != nil && len(done.Erased)+len(done.Already)+len(done.Waiting)+len(done.Failed) == 0 {
		return failure
	}
	answer := forgotten{Erased: len(done.Erased), Already: len(done.Already), Waiting: []waiting{}, Failed: []broken{}, Until: done.Until()}
	for _, w := range done.Waiting {
		answer.Waiting = append(answer.Waiting, waiting(w))
	}
	for _, f := range done.Failed {
		answer.Failed = append(answer.Failed, broken{f.ID, oneLine(f.Err.Error())})
	}
	if n := len(answer.Failed); n > 0 { // its own end, whatever the errors are: something is left
		failure = failed(plural(n, "call is", "calls are")+" not forgotten, because of an error: "+oneLine(failure.Error()), "Mend it and run this again.")
	}
	if x.JSON {
		err = printJSON(e.Stdout, answer)
	} else {
		err = answer.text(e)
	}
	if err = errors.Join(err, failure); err != nil || len(answer.Waiting) == 0 {
		return err
	}
	return endWith(ExitRefused)
}

func (f forgotten) text(e *environment) error {
	rows := [][]string{{"erased now", fmt.Sprint(f.Erased)}, {"erased before, finished now", fmt.Sprint(f.Already)}, {"waiting", fmt.Sprint(len(f.Waiting))}, {"failed", fmt.Sprint(len(f.Failed))}}
	if err := table(e.Stdout, rows); err != nil {
		return err
	}
	for _, b := range f.Failed {
		if _, err := fmt.Fprintf(e.Stdout, "  %s  not forgotten: %s\n", short(b.ID), b.Error); err != nil {
			return err
		}
	}
	if len(f.Failed) > 0 && len(f.Waiting) == 0 {
		return nil
	}
	if len(f.Waiting) == 0 {
		what := "the ledger holds nothing more of this recipient than row ids and when they rang"
		if f.Erased+f.Already == 0 {
			what = "the ledger knows no call of this recipient, or has forgotten all of them"
		}
		_, err := fmt.Fprintln(e.Stdout, what)
		return err
	}
	for _, w := range f.Waiting {
		if _, err := fmt.Fprintf(e.Stdout, "  %s  %s, until %s\n", short(w.ID), w.State, stamp(w.Until)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(e.Stdout, "what waits is canceled and may still ring: run this again after %s\n", stamp(f.Until))
	return err
}
