package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ringonce/ringonce/client"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/rules"
)

// dncGroup holds the commands about numbers that are never rung (docs/holding.md).
type dncGroup struct {
	remoteFlags

	Add   dncAddCommand   `cmd:"" help:"Put numbers on the do-not-call list: they are refused from the next dial on."`
	Rm    dncRmCommand    `cmd:"" help:"Take numbers off the do-not-call list; that they were on it stays known."`
	Check dncCheckCommand `cmd:"" help:"Say which numbers are on the do-not-call list, since when and why; ends with 3 when one is."`
	List  dncListCommand  `cmd:"" help:"List the do-not-call list, masked: it is kept under a hash of the numbers."`
}

// dncAnswer is the JSON form of one number of the list. The number is masked.
type dncAnswer struct {
	Number  string      `json:"number"`
	Listed  bool        `json:"listed"`
	Changed bool        `json:"changed"` // by this command
	Reason  string      `json:"reason,omitempty"`
	Source  string      `json:"source,omitempty"`
	By      string      `json:"by,omitempty"`
	At      time.Time   `json:"at,omitzero"`
	Removed *dncRemoval `json:"removed,omitempty"`
}

// dncRemoval says why a number was taken off the list.
type dncRemoval struct {
	Reason string    `json:"reason"`
	By     string    `json:"by,omitempty"`
	At     time.Time `json:"at"`
}

func dncOf(entry rules.DoNotCallEntry, listed, changed bool) dncAnswer {
	a := dncAnswer{
		Number: entry.Number, Listed: listed, Changed: changed, Reason: entry.Reason, Source: entry.Source, By: entry.By, At: entry.At,
	}
	if r := entry.Removed; r != nil {
		a.Removed = &dncRemoval{Reason: r.Reason, By: r.By, At: r.At}
	}
	return a
}

func (d dncAnswer) words() string {
	text := d.Number + ": "
	switch {
	case d.Listed:
		text += "on the list since " + stamp(d.At) + ": " + d.Reason
		if d.Source != "" {
			text += " (" + d.Source + ")"
		}
		text += by(d.By)
	case d.Removed != nil:
		text += "not on the list: taken off at " + stamp(d.Removed.At) + ": " + d.Removed.Reason + by(d.Removed.By)
	default:
		text += "not on the list"
	}
	return text
}

// dncAddCommand puts numbers on the list.
type dncAddCommand struct {
	numbersFlags

	Reason string `required:"" placeholder:"TEXT" help:"Why they are not rung."`
	Source string `default:"operator" placeholder:"NAME" help:"Who asked for it: the person, a register, a complaint."`
	Actor  string `placeholder:"NAME" help:"Who put them there; default: the user of this process. Through a service it is the owner of the key."`
	JSON   bool   `help:"Print one JSON object a number."`
}

// Run implements the command.
func (x *dncAddCommand) Run(ctx context.Context, e *environment) (err error) {
	r, err := e.remoteAct(x.Actor)
	if err != nil {
		return err
	}
	if r != nil {
		return x.eachThere(ctx, r, x.JSON, func(number string) (client.Number, error) { return r.api.AddDoNotCall(ctx, number, x.Reason, x.Source) })
	}
	entry := rules.DoNotCallEntry{Reason: x.Reason, Source: x.Source, By: e.actorOf(x.Actor)}
	log := &book{environment: e}
	defer func() { err = errors.Join(err, log.close()) }()
	return x.each(ctx, e, x.JSON, opening{}, func(a *app.App, list *rules.DoNotCall, number call.Phone) (answer dncAnswer, err error) {
		d := deed{action: "addDoNotCall", actor: entry.By, reason: x.Reason, number: number, many: true}
		return answer, log.did(ctx, a.Config, d, func() error {
			entry.At = a.Clock.Now()
			fresh, err := list.Add(ctx, number, entry)
			if err != nil {
				return err
			}
			now, listed, err := list.Check(ctx, number)
			answer = dncOf(now, listed, fresh)
			return err
		})
	})
}

// dncRmCommand takes numbers off the list.
type dncRmCommand struct {
	numbersFlags

	Reason string `required:"" placeholder:"TEXT" help:"Why they may be rung again."`
	Actor  string `placeholder:"NAME" help:"Who took them off; default: the user of this process. Through a service it is the owner of the key."`
	JSON   bool   `help:"Print one JSON object a number."`
}

// Run implements the command.
func (x *dncRmCommand) Run(ctx context.Context, e *environment) (err error) {
	r, err := e.remoteAct(x.Actor)
	if err != nil {
		return err
	}
	if r != nil {
		return x.eachThere(ctx, r, x.JSON, func(number string) (client.Number, error) { return r.api.RemoveDoNotCall(ctx, number, x.Reason) })
	}
	log := &book{environment: e}
	defer func() { err = errors.Join(err, log.close()) }()
	return x.each(ctx, e, x.JSON, opening{}, func(a *app.App, list *rules.DoNotCall, number call.Phone) (answer dncAnswer, err error) {
		d := deed{action: "removeDoNotCall", actor: e.actorOf(x.Actor), reason: x.Reason, number: number, guarded: true, many: true}
		return answer, log.did(ctx, a.Config, d, func() error {
			removed, err := list.Remove(ctx, number, rules.Removal{Reason: x.Reason, By: d.actor, At: a.Clock.Now()})
			if err != nil {
				return err
			}
			now, listed, err := list.Check(ctx, number)
			now.Number = number.String()
			answer = dncOf(now, listed, removed)
			return err
		})
	})
}

// dncCheckCommand asks for numbers.
type dncCheckCommand struct {
	numbersFlags

	JSON bool `help:"Print one JSON object a number."`
}

// Run implements the command.
func (x *dncCheckCommand) Run(ctx context.Context, e *environment) error {
	onList := false
	r, err := e.remote()
	switch {
	case err != nil:
	case r != nil:
		err = x.eachThere(ctx, r, x.JSON, func(number string) (client.Number, error) {
			answer, err := r.api.CheckDoNotCall(ctx, number)
			onList = onList || answer.Listed
			return answer, err
		})
	default:
		err = x.each(ctx, e, x.JSON, opening{readOnly: true}, func(_ *app.App, list *rules.DoNotCall, number call.Phone) (dncAnswer, error) {
			entry, listed, err := list.Check(ctx, number)
			onList = onList || listed
			entry.Number = number.String()
			return dncOf(entry, listed, false), err
		})
	}
	if err == nil && onList {
		return endWith(ExitRefused)
	}
	return err
}

// each acts on one number after the other, and prints what became of each.
func (f *numbersFlags) each(ctx context.Context, e *environment, asJSON bool, how opening, act func(*app.App, *rules.DoNotCall, call.Phone) (dncAnswer, error)) (err error) {
	numbers, err := f.read(e)
	if err != nil {
		return err
	}
	a, err := e.openCells(ctx, how)
	if err != nil {
		return err
	}
	defer closing(a, &err)
	list := doNotCall(a)
	for _, number := range numbers {
		answer, err := act(a, list, number)
		if err != nil {
			return err
		}
		if err := answer.print(e, asJSON); err != nil {
			return err
		}
	}
	return nil
}

func (d dncAnswer) print(e *environment, asJSON bool) error {
	if asJSON {
		return printJSON(e.Stdout, d)
	}
	_, err := fmt.Fprintln(e.Stdout, plain(d.words()))
	return err
}
