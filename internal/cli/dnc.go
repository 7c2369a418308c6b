package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/rules"
)

// dncGroup holds the commands about numbers that are never rung (docs/holding.md).
type dncGroup struct {
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
	Actor  string `placeholder:"NAME" help:"Who put them there; default: the user of this process."`
	JSON   bool   `help:"Print one JSON object a number."`
}

// Run implements the command.
func (x *dncAddCommand) Run(ctx context.Context, e *environment) error {
	entry := rules.DoNotCallEntry{Reason: x.Reason, Source: x.Source, By: e.actorOf(x.Actor)}
	return x.each(ctx, e, x.JSON, opening{}, func(a *app.App, list *rules.DoNotCall, number call.Phone) (dncAnswer, error) {
		entry.At = a.Clock.Now()
		fresh, err := list.Add(ctx, number, entry)
		if err != nil {
			return dncAnswer{}, err
		}
		now, listed, err := list.Check(ctx, number)
		return dncOf(now, listed, fresh), err
	})
}

// dncRmCommand takes numbers off the list.
type dncRmCommand struct {
	numbersFlags

	Reason string `required:"" placeholder:"TEXT" help:"Why they may be rung again."`
	Actor  string `placeholder:"NAME" help:"Who took them off; default: the user of this process."`
	JSON   bool   `help:"Print one JSON object a number."`
}

// Run implements the command.
func (x *dncRmCommand) Run(ctx context.Context, e *environment) error {
	return x.each(ctx, e, x.JSON, opening{}, func(a *app.App, list *rules.DoNotCall, number call.Phone) (dncAnswer, error) {
		removed, err := list.Remove(ctx, number, rules.Removal{Reason: x.Reason, By: e.actorOf(x.Actor), At: a.Clock.Now()})
		if err != nil {
			return dncAnswer{}, err
		}
		now, listed, err := list.Check(ctx, number)
		now.Number = number.String()
		return dncOf(now, listed, removed), err
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
	err := x.each(ctx, e, x.JSON, opening{readOnly: true}, func(_ *app.App, list *rules.DoNotCall, number call.Phone) (dncAnswer, error) {
		entry, listed, err := list.Check(ctx, number)
		onList = onList || listed
		entry.Number = number.String()
		return dncOf(entry, listed, false), err
	})
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
		if asJSON {
			err = printJSON(e.Stdout, answer)
		} else {
			_, err = fmt.Fprintln(e.Stdout, plain(answer.words()))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// dncListCommand lists the list.
type dncListCommand struct {
	Removed bool `help:"Also numbers that were taken off."`
	Limit   int  `default:"1000" placeholder:"N" help:"At most so many."`
	JSON    bool `help:"Print one JSON object a number."`
}

// dncPage is how many entries are read at once.
const dncPage = 200

// Run implements the command.
func (x *dncListCommand) Run(ctx context.Context, e *environment) (err error) {
	if x.Limit < 1 {
		return misused("--limit is not positive.", "Give at least 1.")
	}
	a, err := e.openCells(ctx, opening{readOnly: true})
	if err != nil {
		return err
	}
	defer closing(a, &err)
	list := doNotCall(a)
	var found []dncAnswer
	after, more := "", true
	for more && len(found) <= x.Limit {
		entries, next, err := list.List(ctx, after, dncPage)
		if err != nil {
			return err
		}
		for _, entry := range entries {
			if entry.Removed == nil || x.Removed {
				found = append(found, dncOf(entry, entry.Removed == nil, false))
			}
		}
		after, more = next, next != ""
	}
	return x.print(e, found)
}

func (x *dncListCommand) print(e *environment, found []dncAnswer) error {
	shown := found[:min(x.Limit, len(found))]
	rows := [][]string{{"NUMBER", "SINCE", "SOURCE", "BY", "WHY"}}
	if x.Removed {
		rows[0] = append(rows[0], "TAKEN OFF", "WHY")
	}
	for _, d := range shown {
		if x.JSON {
			if err := printJSON(e.Stdout, d); err != nil {
				return err
			}
			continue
		}
		row := []string{d.Number, stamp(d.At), d.Source, d.By, d.Reason}
		if x.Removed {
			off, why := "", ""
			if d.Removed != nil {
				off, why = stamp(d.Removed.At), d.Removed.Reason+by(d.Removed.By)
			}
			row = append(row, off, why)
		}
		rows = append(rows, row)
	}
	if x.JSON {
		return nil
	}
	if len(shown) == 0 {
		_, err := fmt.Fprintln(e.Stdout, "the do-not-call list is empty")
		return err
	}
	if err := table(e.Stdout, rows); err != nil || len(shown) == len(found) {
		return err
	}
	_, err := fmt.Fprintf(e.Stdout, "there are more; --limit shows more than %d\n", x.Limit)
	return err
}
