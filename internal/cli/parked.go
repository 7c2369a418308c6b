package cli

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/lambda"
)

// parkedGroup holds the commands about records that could not be read (docs/parked.md).
type parkedGroup struct {
	List parkedListCommand `cmd:"" help:"List the records that wait, oldest first."`
	Show parkedShowCommand `cmd:"" help:"Show one record with its document; phone numbers are masked."`
	Feed parkedFeedCommand `cmd:"" help:"Take records by the path of every delivery, after what kept them from being read was repaired."`
	Drop parkedDropCommand `cmd:"" help:"Give records up: their documents are erased, and what comes again of them is acknowledged."`
}

// mostParked is how many records one command looks at; there are more pages after it.
const mostParked = 1000

// parkedListCommand lists parked records.
type parkedListCommand struct {
	Limit int  `default:"100" placeholder:"N" help:"At most so many."`
	JSON  bool `help:"Print one JSON object a record."`
}

// Run implements the command.
func (x *parkedListCommand) Run(ctx context.Context, e *environment) (err error) {
	a, err := e.openParking(ctx, opening{readOnly: true})
	if err != nil {
		return err
	}
	defer closing(a, &err)
	list, err := a.Store.Parking.ListParked(ctx, x.Limit)
	if err != nil {
		return err
	}
	rows := [][]string{{"RECORD", "PARKED AT", "SOURCE", "PRODUCER", "BYTES", "CODE", "WHY"}}
	for _, p := range list {
		p.Delivery, p.Message = maskNumbers(p.Delivery), maskNumbers(p.Message)
		if x.JSON {
			if err := printJSON(e.Stdout, p); err != nil {
				return err
			}
			continue
		}
		rows = append(rows, []string{short(p.ID), stamp(p.At), string(p.Source), lastPart(p.Producer), strconv.Itoa(p.Size), string(p.Code), p.Message})
	}
	if x.JSON {
		return nil
	}
	return table(e.Stdout, rows)
}

// lastPart returns the name at the end of an ARN.
func lastPart(arn string) string { return arn[strings.LastIndexByte(arn, ':')+1:] }

// parkedShowCommand shows a parked record.
type parkedShowCommand struct {
	ID  string `arg:"" help:"The record, as ringonce parked list shows it."`
	Raw bool   `help:"Print the document alone, byte for byte, with whole phone numbers: it is your own data."`
}

// Run implements the command.
func (x *parkedShowCommand) Run(ctx context.Context, e *environment) (err error) {
	a, err := e.openParking(ctx, opening{readOnly: true})
	if err != nil {
		return err
	}
	defer closing(a, &err)
	p, err := findParked(ctx, a, x.ID)
	if err != nil {
		return err
	}
	if x.Raw {
		_, err = e.Stdout.Write(p.Document)
		return err
	}
	rows := [][]string{
		{"record", p.ID},
		{"parked at", stamp(p.At)},
		{"source", string(p.Source)},
		{"producer", p.Producer},
		{"delivery", maskNumbers(p.Delivery)},
		{"why", string(p.Code) + ": " + maskNumbers(p.Message)},
		{"bytes", strconv.Itoa(p.Size)},
	}
	if p.Closed != "" {
		rows = append(rows, []string{"closed", string(p.Closed) + " at " + stamp(p.ClosedAt)})
	} else {
		rows = append(rows, []string{"document", maskNumbers(string(p.Document))})
	}
	return table(e.Stdout, rows)
}

// parkedFeedCommand feeds parked records.
type parkedFeedCommand struct {
	IDs  []string `arg:"" optional:"" name:"id" help:"The records, as ringonce parked list shows them."`
	All  bool     `help:"Feed every record that waits."`
	JSON bool     `help:"Print one JSON object a record."`
}

// fed is the JSON form of what became of a record.
type fed struct {
	ID     string    `json:"id"`
	Closed bool      `json:"closed"` // it is no longer parked
	Record []invoked `json:"records"`
}

// Run implements the command.
func (x *parkedFeedCommand) Run(ctx context.Context, e *environment) (err error) {
	a, err := e.openParking(ctx, opening{})
	if err != nil {
		return err
	}
	defer closing(a, &err)
	records, err := chooseParked(ctx, a, x.IDs, x.All)
	if err != nil {
		return err
	}
	worst := ExitOK
	sequence := a.Handler.Sequence("")
	for _, p := range records {
		d := deed{action: "feedParked", actor: e.actorOf(""), target: "parked:" + p.ID, guarded: true}
		err := e.did(ctx, a.Config, d, func() error {
			exit, err := x.feed(ctx, e, a, sequence, p)
			worst = max(worst, exit)
			return err
		})
		if err != nil {
			return err
		}
	}
	return endWith(worst)
}

// feed feeds one record and says how it ends the process.
func (x *parkedFeedCommand) feed(ctx context.Context, e *environment, a *app.App, sequence *lambda.Sequence, p call.Parked) (worst int, err error) {
	if p.Document == nil { // of a listing
		if p, err = a.Store.Parking.Parked(ctx, p.ID); err != nil {
			return ExitOK, err
		}
	}
	results, read := sequence.Feed(ctx, p.Document)
	if read {
		if err := a.Store.Parking.CloseParked(ctx, p.ID, call.ParkedFed, a.Clock.Now()); err != nil {
			return ExitOK, err
		}
	}
	answer := fed{ID: p.ID, Closed: read}
	for _, result := range results {
		r := record(short(p.ID), result)
		if worst = max(worst, r.exit); !read {
			worst = max(worst, ExitRefused)
		}
		answer.Record = append(answer.Record, r)
	}
	return worst, answer.print(e, x.JSON)
}

func (f fed) print(e *environment, asJSON bool) error {
	if asJSON {
		return printJSON(e.Stdout, f)
	}
	what := "stays parked"
	if f.Closed {
		what = "fed"
	}
	for _, r := range f.Record {
		line := short(f.ID) + ": " + what + ", " + string(r.Situation)
		if r.Message != "" {
			line += ": " + plain(oneLine(joinSentences(r.Message, r.Fix)))
		}
		if _, err := fmt.Fprintln(e.Stdout, line); err != nil {
			return err
		}
	}
	return nil
}

// parkedDropCommand drops parked records.
type parkedDropCommand struct {
	IDs []string `arg:"" name:"id" help:"The records, as ringonce parked list shows them."`
}

// Run implements the command.
func (x *parkedDropCommand) Run(ctx context.Context, e *environment) (err error) {
	a, err := e.openParking(ctx, opening{})
	if err != nil {
		return err
	}
	defer closing(a, &err)
	records, err := chooseParked(ctx, a, x.IDs, false)
	if err != nil {
		return err
	}
	for _, p := range records {
		d := deed{action: "dropParked", actor: e.actorOf(""), target: "parked:" + p.ID, guarded: true}
		err := e.did(ctx, a.Config, d, func() error {
			if err := a.Store.Parking.CloseParked(ctx, p.ID, call.ParkedDropped, a.Clock.Now()); err != nil {
				return err
			}
			_, err := fmt.Fprintln(e.Stdout, short(p.ID)+": dropped")
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// openParking opens a ledger that can park.
func (e *environment) openParking(ctx context.Context, how opening) (*app.App, error) {
	a, err := e.openLedger(ctx, how)
	if err == nil && a.Store.Parking == nil {
		return nil, failed("This ledger parks nothing.", "Use ledger.driver: sqlite or dynamodb.")
	}
	return a, err
}

// chooseParked returns the named records, or every one that waits.
func chooseParked(ctx context.Context, a *app.App, ids []string, all bool) ([]call.Parked, error) {
	if all == (len(ids) > 0) {
		return nil, misused("No record is named, or some beside --all.", "Name records as ringonce parked list shows them, or --all.")
	}
	if all {
		return a.Store.Parking.ListParked(ctx, mostParked)
	}
	var chosen []call.Parked
	for _, id := range ids {
		p, err := findParked(ctx, a, id)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, p)
	}
	return chosen, nil
}

// findParked finds a record by the beginning of its id, among those that wait, or by the whole id.
func findParked(ctx context.Context, a *app.App, id string) (call.Parked, error) {
	const whole = 43 // base64url of 32 bytes
	if len(id) < whole {
		list, err := a.Store.Parking.ListParked(ctx, mostParked)
		if err != nil {
			return call.Parked{}, err
		}
		var found []string
		for _, p := range list {
			if id != "" && strings.HasPrefix(p.ID, id) {
				found = append(found, p.ID)
			}
		}
		if len(found) != 1 {
			return call.Parked{}, &call.Error{
				Code: call.CodeNotFound, Message: fmt.Sprintf("%d parked records that wait begin with %q.", len(found), plain(id)),
				Fix: "Copy the id from ringonce parked list.",
			}
		}
		id = found[0]
	}
	return a.Store.Parking.Parked(ctx, id)
}

var longNumber = regexp.MustCompile(`[0-9]{7,}`)

// maskNumbers hides every number that could be a phone number.
func maskNumbers(text string) string {
	return longNumber.ReplaceAllStringFunc(text, func(digits string) string {
		return strings.Repeat("*", len(digits)-4) + digits[len(digits)-4:]
	})
}
