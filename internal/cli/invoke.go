package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
	"github.com/ringonce/ringonce/internal/ingress/lambda"
)

// invokeCommand is the Lambda handler on the command line: the same documents, the same ledger, the same telephone.
type invokeCommand struct {
	Sweep bool     `default:"true" negatable:"" help:"Sweep afterwards until nothing is due, as a schedule does in Lambda."`
	JSON  bool     `help:"Print one JSON object a record."`
	Files []string `arg:"" name:"file" help:"Event documents, in the order of their arrival."`
}

// invoked is one record with its outcome.
type invoked struct {
	File           string           `json:"file"`
	Path           string           `json:"path"`
	Verdict        envelope.Verdict `json:"verdict"`
	Situation      call.Situation   `json:"situation"`   // what the delivery met
	Acknowledge    call.Ack         `json:"acknowledge"` // what its source was told
	State          call.State       `json:"state,omitempty"`
	CallID         string           `json:"callId,omitempty"`
	Ring           int              `json:"ring,omitempty"`
	NotificationID string           `json:"notificationId,omitempty"`
	RecipientID    string           `json:"recipientId,omitempty"`
	ContactID      string           `json:"contactId,omitempty"`
	Suppressed     string           `json:"suppressed,omitempty"`
	SuppressedBy   string           `json:"suppressedBy,omitempty"`
	Undated        bool             `json:"undated,omitempty"`
	Code           call.Code        `json:"code,omitempty"`
	Message        string           `json:"message,omitempty"`
	Fix            string           `json:"fix,omitempty"`

	exit int
}

// Run implements the command.
func (x *invokeCommand) Run(ctx context.Context, e *environment) (err error) {
	documents := make([][]byte, len(x.Files))
	for i, file := range x.Files { // all of them before the first phone rings
		if documents[i], err = readDocument(file); err != nil {
			return err
		}
	}
	a, err := e.open(ctx, opening{})
	if err != nil {
		return err
	}
	defer closing(a, &err)
	var records []invoked
	for i, document := range documents {
		report, err := a.Handler.Process(ctx, document)
		if _, kept := errors.AsType[*lambda.NotAcknowledged](err); err != nil && !kept {
			return err
		}
		for _, result := range report.Results {
			records = append(records, record(filepath.Base(x.Files[i]), result))
		}
	}
	if x.Sweep && a.Engine != nil {
		if err := sweepAll(ctx, a); err != nil {
			return err
		}
	}
	if err := refresh(ctx, a, records); err != nil {
		return err
	}
	if err := x.print(e, records); err != nil {
		return err
	}
	worst := ExitOK
	for _, r := range records {
		worst = max(worst, r.exit)
	}
	return endWith(worst)
}

func record(file string, result lambda.Result) invoked {
	out := result.Outcome
	return invoked{
		File: file, Path: result.Record.Path, Verdict: result.Record.Verdict, Situation: out.Met, Acknowledge: out.Ack, State: out.Call.State,
		CallID: out.Call.ID, Ring: out.Call.Ring, NotificationID: result.Record.Delivery.Request.NotificationID,
		RecipientID: result.Record.Delivery.Request.RecipientID, ContactID: out.ContactID, Suppressed: out.Suppressed, SuppressedBy: out.By,
		Undated: out.Undated, Code: out.Code, Message: out.Message, Fix: out.Fix, exit: exitOfOutcome(out),
	}
}

// sweepAll sweeps until nothing is due, or nothing moves any more.
func sweepAll(ctx context.Context, a *app.App) error {
	for {
		swept, err := a.Engine.MoveDue(ctx, a.Config.SweepLimit())
		if err != nil {
			return err
		}
		if swept.Due == 0 || swept.Moved == 0 {
			return nil
		}
	}
}

// refresh shows calls that were unfinished as they are after the sweep.
func refresh(ctx context.Context, a *app.App, records []invoked) error {
	if a.Store == nil {
		return nil
	}
	for i := range records {
		r := &records[i]
		if r.CallID == "" || r.State == "" || r.State.Final() {
			continue
		}
		row, err := a.Store.Ledger.Get(ctx, r.CallID)
		if err != nil {
			return err
		}
		r.State, r.ContactID, r.Code, r.Message = row.State, row.ContactID, row.Code, row.Message
		r.exit = outcomeExits[call.MetState(row.State)]
	}
	return nil
}

func (x *invokeCommand) print(e *environment, records []invoked) error {
	if x.JSON {
		for _, r := range records {
			if err := printJSON(e.Stdout, r); err != nil {
				return err
			}
		}
		return nil
	}
	rows := [][]string{{"RECORD", "VERDICT", "MET", "STATE", "CALL", "CONTACT", "SUPPRESSED BY", "ACK"}}
	for _, r := range records {
		rows = append(rows, []string{
			r.File + r.Path, string(r.Verdict), string(r.Situation), string(r.State), short(r.CallID), r.ContactID, short(r.SuppressedBy), string(r.Acknowledge),
		})
	}
	if err := table(e.Stdout, rows); err != nil {
		return err
	}
	for _, r := range records {
		if r.Message == "" {
			continue
		}
		if _, err := fmt.Fprintf(e.Stdout, "%s%s: %s\n", plain(r.File), plain(r.Path), plain(oneLine(joinSentences(r.Message, r.Fix)))); err != nil {
			return err
		}
	}
	return nil
}
