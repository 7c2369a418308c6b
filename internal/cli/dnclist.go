package cli

import (
	"context"
	"fmt"
)

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
	r, err := e.remote()
	if err != nil {
		return err
	}
	if r != nil {
		found, err := r.doNotCall(ctx, x)
		if err != nil {
			return err
		}
		return x.print(e, found)
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
