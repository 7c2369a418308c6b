package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/audit"
)

// auditCommand compares a ledger with what really rang.
type auditCommand struct {
	Truth   string `required:"" placeholder:"FILE" help:"Truth log of the emulator (ringonce emulator --truth-log FILE)."`
	Running bool   `help:"Accept a truth log without its last line, because the emulator still runs. Lines may then be missing at the end."`
	JSON    bool   `help:"Print one JSON object."`
}

// Run implements the command. It ends with 0 when nothing was found and with 3 when something was.
func (x *auditCommand) Run(ctx context.Context, e *environment) (err error) {
	truth, err := readTruth(x.Truth)
	if err != nil {
		return err
	}
	a, err := e.openLedger(ctx, opening{readOnly: true})
	if err != nil {
		return err
	}
	defer closing(a, &err)
	report, err := audit.Compare(ctx, booksOf(a), truth, audit.Options{Running: x.Running})
	if err != nil {
		return err
	}
	if x.JSON {
		err = printJSON(e.Stdout, report)
	} else {
		err = auditText(e, report)
	}
	if err == nil && !report.Sound() {
		err = ended(ExitRefused)
	}
	return err
}

func readTruth(path string) (connectemu.Truth, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return connectemu.Truth{}, misused("The file of --truth does not exist.", "Name what ringonce emulator --truth-log wrote.")
	}
	if err != nil {
		return connectemu.Truth{}, failed(fmt.Sprintf("The file of --truth cannot be read: %v.", errors.Unwrap(err)), "Check its permissions.")
	}
	truth, err := connectemu.ReadTruth(file)
	return truth, errors.Join(err, file.Close())
}

func booksOf(a *app.App) audit.Books {
	return audit.Books{
		Each: a.Store.Admin.Each, Identity: a.Store.Ledger.Identity, LastBeat: a.Store.Journal.LastBeat, Inspect: a.Store.Inspect,
		Period: 2 * a.Config.SweepEvery(),
	}
}

func auditText(e *environment, r *audit.Report) error {
	closed := "yes"
	if !r.Closed {
		closed = "no: lines may be missing at the end"
	}
	rows := [][]string{
		{"ledger", r.Ledger + fmt.Sprintf(", epoch %d", r.Epoch)},
		{"calls", fmt.Sprint(r.Calls)},
		{"  forgotten", fmt.Sprint(r.Forgotten)},
		{"history entries", fmt.Sprint(r.Entries)},
		{"rings", fmt.Sprint(r.Rings)},
		{"wire requests", fmt.Sprint(r.Sends)},
		{"truth log closed", closed},
		{"findings", fmt.Sprint(len(r.Findings))},
	}
	if err := table(e.Stdout, rows); err != nil {
		return err
	}
	for _, f := range r.Findings {
		if _, err := fmt.Fprintf(e.Stdout, "%s: %s of call %s: %s\n", f.Where, dash(f.Invariant), dash(f.Call), plain(f.Detail)); err != nil {
			return err
		}
	}
	last := "ledger, hash chains and truth log agree"
	switch {
	case r.Sound():
	case r.Epoch > 1:
		last = "they do NOT agree; this ledger was restored from a backup once, and what it forgot then may be why"
	default:
		last = "they do NOT agree: keep copies of both before anything else"
	}
	_, err := fmt.Fprintln(e.Stdout, last)
	return err
}
