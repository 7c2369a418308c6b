package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/ringonce/ringonce/client"
)

// toldCommand shows what the producer of a call is told by webhook.
type toldCommand struct {
	ID   string `arg:"" help:"A call's id, or at least its first 6 characters."`
	JSON bool   `help:"Print one JSON object."`
}

// Run implements the command.
func (x *toldCommand) Run(ctx context.Context, e *environment) error {
	r, err := e.needRemote("told")
	if err != nil {
		return err
	}
	id, err := r.resolve(ctx, x.ID)
	if err != nil {
		return err
	}
	var t client.Told
	err = r.patiently(ctx, func() (err error) {
		t, err = r.api.Told(ctx, id)
		return err
	})
	if err != nil {
		return err
	}
	if x.JSON {
		return printJSON(e.Stdout, t)
	}
	return printTold(e, t)
}

// printTold prints the events that a producer is told, and what of them was taken.
func printTold(e *environment, t client.Told) error {
	var b strings.Builder
	switch {
	case t.Receiver == "":
		b.WriteString("the producer of this call is told nothing\n")
	case len(t.Events) == 0:
		b.WriteString("nothing of this call is told to " + plain(t.Receiver) + "\n")
	default:
		rows := [][]string{{"AT", "EVENT", "TAKEN", "ID"}}
		for _, event := range t.Events {
			taken := "no"
			if event.Taken {
				taken = "yes"
			}
			rows = append(rows, []string{stamp(event.At), event.Type, taken, event.ID})
		}
		if err := table(&b, rows); err != nil {
			return err
		}
		b.WriteString("told to " + plain(t.Receiver) + "\n")
	}
	_, err := fmt.Fprint(e.Stdout, b.String())
	return err
}

// tellCommand tells the producer of a call again.
type tellCommand struct {
	ID     string `arg:"" help:"A call's id, or at least its first 6 characters."`
	Reason string `required:"" placeholder:"TEXT" help:"Why it is told again; it is kept in the audit log."`
	From   string `placeholder:"EVENT" help:"The id of the first event that comes again, as calls told prints it; default: the first that was not taken."`
	All    bool   `help:"Tell every event of the call again."`
	JSON   bool   `help:"Print one JSON object."`
}

// Run implements the command.
func (x *tellCommand) Run(ctx context.Context, e *environment) error {
	if x.All && x.From != "" {
		return misused("--all and --from are both given.", "Give one of them, or none for what was not taken.")
	}
	r, err := e.needRemote("tell")
	if err != nil {
		return err
	}
	id, err := r.resolve(ctx, x.ID)
	if err != nil {
		return err
	}
	t, err := r.api.Tell(ctx, id, client.TellAgain{Reason: x.Reason, From: x.From, All: x.All})
	if err != nil {
		return r.told(err)
	}
	if x.JSON {
		return printJSON(e.Stdout, t)
	}
	_, err = fmt.Fprintf(e.Stdout, "%d of %d events of call %s are told to %s again, in their order\nsee what is taken with: ringonce calls told %s\n",
		t.Again, len(t.Events), short(id), plain(t.Receiver), short(id))
	return err
}
