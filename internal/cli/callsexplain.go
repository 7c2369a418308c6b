package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/ringonce/ringonce/client"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
	"github.com/ringonce/ringonce/internal/timeline"
)

// whatIfCommand says what would become of a request now, and shows what would be sent to Amazon Connect. It dials nothing and writes nothing.
type whatIfCommand struct {
	Request string `arg:"" placeholder:"FILE" help:"The request as JSON (schema/call-request.schema.json), or - for standard input."`
	JSON    bool   `help:"Print one JSON object."`
}

// whatIf is the JSON form of the answer.
type whatIf struct {
	Verdict string         `json:"verdict"`
	Dials   bool           `json:"dials"`
	Reason  string         `json:"reason,omitempty"`
	CallID  string         `json:"callId,omitempty"`
	Code    string         `json:"code,omitempty"`
	Message string         `json:"message,omitempty"`
	Fix     string         `json:"fix,omitempty"`
	Checks  []client.Check `json:"checks,omitempty"`  // of a service
	Request *timeline.Wire `json:"request,omitempty"` // what would be sent; absent when nothing would be
}

// Run implements the command.
func (x *whatIfCommand) Run(ctx context.Context, e *environment) error {
	text, err := (&placeCommand{Request: x.Request}).read(e)
	if err != nil {
		return err
	}
	asked, err := requestOf(text)
	if err != nil {
		return err
	}
	r, err := e.remote()
	if err != nil {
		return err
	}
	var w whatIf
	if r != nil {
		w, err = r.whatIf(ctx, asked)
	} else {
		w, err = e.whatIf(ctx, text)
	}
	if err != nil {
		return err
	}
	if x.JSON {
		err = printJSON(e.Stdout, w)
	} else {
		err = w.text(e.Stdout)
	}
	if err == nil && w.Verdict == string(call.VerdictRefused) {
		err = ended(ExitRefused)
	}
	return err
}

// whatIf asks the ledger of the configuration, as the service on it would.
func (e *environment) whatIf(ctx context.Context, text []byte) (w whatIf, err error) {
	a, err := e.openLedger(ctx, opening{readOnly: true})
	if err != nil {
		return w, err
	}
	defer closing(a, &err)
	record := envelope.DecodeHTTPBody(text, "", "", envelope.Options{Now: e.Clock.Now(), Numberless: a.Config.Numberless()})
	if record.Verdict != envelope.VerdictOK {
		return whatIf{Verdict: string(call.VerdictRefused), Code: string(record.Reason), Message: record.Message, Fix: record.Fix}, nil
	}
	return previewed(ctx, a, record.Delivery), nil
}

func previewed(ctx context.Context, a *app.App, d call.Delivery) whatIf {
	p := a.Engine.Preview(ctx, d)
	w := whatIf{
		Verdict: string(p.Verdict), Dials: p.Verdict.Dials(), Reason: p.Reason, CallID: p.Outcome.Call.ID,
		Code: string(p.Outcome.Code), Message: p.Outcome.Message, Fix: p.Outcome.Fix,
	}
	if p.Outcome.By != "" {
		w.CallID = p.Outcome.By
	}
	if wire, ok := timeline.WireOf(p.Outcome.Call, true); ok && w.Dials {
		w.Request = &wire
	}
	return w
}

func (r *remote) whatIf(ctx context.Context, asked client.Request) (whatIf, error) {
	var told client.Explanation
	err := r.patiently(ctx, func() (err error) {
		told, err = r.api.Explain(ctx, asked)
		return err
	})
	w := whatIf{
		Verdict: told.Verdict, Dials: told.Dials, Reason: told.Reason, CallID: told.CallID, Code: told.Code, Message: told.Message, Fix: told.Fix, Checks: told.Checks,
	}
	if q := told.Request; q != nil {
		w.Request = &timeline.Wire{Operation: q.Operation, Region: q.Region, Bytes: q.Bytes, SHA256: q.SHA256, Body: q.Body, Attributes: []timeline.Attribute{}}
		for _, a := range q.Attributes {
			w.Request.Attributes = append(w.Request.Attributes, timeline.Attribute(a))
		}
	}
	return w, err
}

func (w whatIf) text(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s\n", plain(w.Verdict), plain(timeline.Why(w.Reason)))
	for _, line := range [][2]string{{"call", w.CallID}, {"why", w.Message}, {"fix", w.Fix}} {
		if line[1] != "" {
			fmt.Fprintf(&b, "%-8s%s\n", line[0], plain(line[1]))
		}
	}
	for _, c := range w.Checks {
		said := "passes"
		if !c.Passes {
			said = "does not pass"
		}
		fmt.Fprintf(&b, "check   %s %s%s\n", plain(c.Check), said, plain(because(call.Code(c.Code), c.Message)))
	}
	if q := w.Request; q != nil {
		fmt.Fprintf(&b, "sends   %s in %s, %d bytes, sha256 %s\n", plain(q.Operation), plain(q.Region), q.Bytes, plain(q.SHA256))
		for _, a := range q.Attributes {
			fmt.Fprintf(&b, "  attribute %s: %d bytes\n", plain(a.Name), a.Bytes)
		}
		fmt.Fprintf(&b, "%s\n", plain(q.Body))
	}
	_, err := io.WriteString(out, b.String())
	return err
}
