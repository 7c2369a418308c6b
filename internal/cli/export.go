package cli

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ringonce/ringonce/client"
	"github.com/ringonce/ringonce/internal/app"
)

// exportCommand writes all calls, for programs and spreadsheets. Numbers are masked.
type exportCommand struct {
	matching

	State  []string `placeholder:"STATE" help:"Only calls in this state, repeatable: received, dialing, placed, failed, expired, canceled, in_doubt."`
	After  string   `placeholder:"TIME" help:"Only calls accepted at or after this time, in RFC 3339."`
	Before string   `placeholder:"TIME" help:"Only calls accepted before this time, in RFC 3339."`
	CSV    bool     `help:"Write CSV instead of JSON lines. A cell that a spreadsheet would take for a formula begins with an apostrophe."`
}

// exported is the JSON form of a call in an export: that of a list, with whose it is.
type exported struct {
	listed

	Profile  string `json:"profile,omitempty"`
	Producer string `json:"producer,omitempty"`
}

// Run implements the command.
func (x *exportCommand) Run(ctx context.Context, e *environment) (err error) {
	which, err := x.which()
	if err != nil {
		return err
	}
	r, err := e.remote()
	if err != nil {
		return err
	}
	if r != nil {
		return x.export(e, func(write func(exported) error) error { return r.export(ctx, which, write) })
	}
	a, err := e.openLedger(ctx, opening{readOnly: true})
	if err != nil {
		return err
	}
	defer closing(a, &err)
	return x.export(e, func(write func(exported) error) error { return exportLedger(ctx, a, which, write) })
}

// export writes what a source hands out.
func (x *exportCommand) export(e *environment, source func(write func(exported) error) error) error {
	out := bufio.NewWriter(e.Stdout)
	write, err := x.writer(out)
	if err == nil {
		err = source(write)
	}
	return errors.Join(err, out.Flush())
}

// which is what the flags choose.
func (x *exportCommand) which() (f client.RecallFilter, err error) {
	if f, err = x.filter(x.State); err != nil {
		return f, err
	}
	for _, bound := range []struct {
		flag, text string
		to         *time.Time
	}{{"--after", x.After, &f.AcceptedAfter}, {"--before", x.Before, &f.AcceptedBefore}} {
		switch {
		case bound.text == "":
			continue
		case !bound.to.IsZero():
			return f, misused(bound.flag+" and --where both name a time.", "Use one of them.")
		}
		if *bound.to, err = time.Parse(time.RFC3339, bound.text); err != nil {
			return f, misused(bound.flag+" is no time.", "Write it like 2026-11-29T03:00:00Z.")
		}
	}
	return f, nil
}

func (r *remote) export(ctx context.Context, which client.RecallFilter, write func(exported) error) error {
	filter := inService(which)
	filter.Limit = remotePage
	for c, err := range r.calls(ctx, filter) {
		if err != nil {
			return err
		}
		if err := write(exported{listed: listedThere(c), Profile: c.Profile, Producer: c.Producer}); err != nil {
			return err
		}
	}
	return nil
}

func exportLedger(ctx context.Context, a *app.App, which client.RecallFilter, write func(exported) error) error {
	filter := inLedger(which)
	filter.Limit = listPage
	for more := true; more; more = filter.Cursor != "" {
		page, next, err := a.Store.Index.List(ctx, filter)
		if err != nil {
			return err
		}
		for _, row := range page {
			if !matches(a, which, row) {
				continue
			}
			first, err := firstOf(ctx, a, row)
			if err != nil {
				return err
			}
			if err := write(exported{listed: list(row, first), Profile: row.Profile, Producer: row.Producer}); err != nil {
				return err
			}
		}
		filter.Cursor = next
	}
	return nil
}

// exportColumns are the heads of the CSV form, in the words of the JSON form.
var exportColumns = []string{
	"id", "notificationId", "recipientId", "recallId", "keySpace", "kind", "ring", "recallCount", "state", "outcome", "destination", "profile", "producer",
	"contactId", "acceptedAt", "placedAt", "finalAt", "forgotten", "due", "dueReason", "code", "message",
}

// writer returns what writes one call.
func (x *exportCommand) writer(out io.Writer) (func(exported) error, error) {
	if !x.CSV {
		return func(c exported) error { return printJSON(out, c) }, nil
	}
	lines := csv.NewWriter(out)
	write := func(cells []string) error {
		if err := lines.Write(cells); err != nil {
			return err
		}
		lines.Flush()
		return lines.Error()
	}
	return func(c exported) error { return write(c.cells()) }, write(slices.Clone(exportColumns))
}

func (c exported) cells() []string {
	var why callError
	if c.Error != nil {
		why = *c.Error
	}
	cells := []string{
		c.ID, c.NotificationID, c.RecipientID, c.RecallID, c.KeySpace, string(c.Kind), strconv.Itoa(c.Ring), strconv.Itoa(c.RecallCount), string(c.State),
		string(c.Outcome), c.Destination, c.Profile, c.Producer, c.ContactID, stamp(c.AcceptedAt), stamp(c.PlacedAt), stamp(c.FinalAt), stamp(c.Forgotten),
		stamp(c.Due), c.DueReason, string(why.Code), why.Message,
	}
	for i, cell := range cells {
		cells[i] = noFormula(cell)
	}
	return cells
}

// noFormula keeps a cell from being taken for a formula: ids and reasons come from producers (OWASP, CSV Injection). A call's id that begins with a
// dash gets its apostrophe too.
func noFormula(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@\t\r\n", rune(cell[0])) {
		return "'" + cell
	}
	return cell
}
