package cli

import (
	"context"
	"fmt"

	"github.com/ringonce/ringonce/internal/rules"
)

func listPaused(ctx context.Context, e *environment, asJSON bool) (err error) {
	r, err := e.remote()
	if err != nil {
		return err
	}
	if r != nil {
		all, err := r.pauses(ctx)
		if err != nil {
			return err
		}
		return printPaused(e, all, asJSON)
	}
	a, err := e.openCells(ctx, opening{readOnly: true})
	if err != nil {
		return err
	}
	defer closing(a, &err)
	switches, err := rules.ReadSwitches(ctx, a.Store.Cells)
	if err != nil {
		return err
	}
	all := make([]paused, len(switches.On))
	for i, s := range switches.On {
		all[i] = pausedOf(s, true, false)
	}
	return printPaused(e, all, asJSON)
}

func printPaused(e *environment, all []paused, asJSON bool) error {
	rows := [][]string{{"PAUSED", "SINCE", "BY", "WHY"}}
	for _, p := range all {
		if asJSON {
			if err := printJSON(e.Stdout, p); err != nil {
				return err
			}
			continue
		}
		rows = append(rows, []string{p.what(), stamp(p.At), p.By, p.Reason})
	}
	switch {
	case asJSON:
		return nil
	case len(all) == 0:
		_, err := fmt.Fprintln(e.Stdout, "nothing is paused; what the configuration pauses is not listed here")
		return err
	}
	return table(e.Stdout, rows)
}
