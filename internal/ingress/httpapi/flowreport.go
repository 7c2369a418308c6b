package httpapi

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
	"github.com/ringonce/ringonce/internal/flow"
	"github.com/ringonce/ringonce/internal/ingress/httpapi/oas"
)

// ReportFlow implements oas.Handler. Whoever forwards a report may give up waiting; the report is merged all the same, and what the ledger does not take in
// time goes to the spool.
func (a *api) ReportFlow(ctx context.Context, _ oas.FlowReport) (*oas.FlowAnswer, error) {
	q := askedOf(ctx)
	record := envelope.DecodeHTTPBody(q.raw, q.id, "", envelope.Options{Now: a.Clock.Now(), Numberless: a.Numberless})
	if record.CheckIn == nil {
		return nil, refuse(http.StatusUnprocessableEntity, "not_a_flow_report", "The body is not what a contact flow sends.",
			"Forward the event of the block AWS Lambda function as it is; requests for calls go to /v1/calls (docs/flow.md).")
	}
	in := *record.CheckIn
	answer := a.answerFlow(context.WithoutCancel(ctx), in)
	a.auditFlow(ctx, in, answer)
	told := flow.AnswerOf(answer)
	return &oas.FlowAnswer{
		Wanted: told.Wanted, Why: told.Why, CallId: told.CallID, Ring: told.Ring, State: told.State, Confirmed: told.Confirmed, OptedOut: told.OptedOut,
	}, nil
}

func (a *api) answerFlow(ctx context.Context, in envelope.CheckIn) (answer call.CheckInAnswer) {
	desk := flow.Desk{CheckIns: a.Engine, Instance: a.DialsFrom, Clock: a.Clock, Observer: a.Observer}
	defer func() {
		if what := recover(); what != nil {
			answer = desk.Unheard(ctx, in, flow.WhyPanicked, fmt.Sprintf("%T", what))
		}
	}()
	return desk.Answer(ctx, in)
}

// auditFlow writes down a report that keeps phones from ringing. That somebody picked up is in the history of the call.
func (a *api) auditFlow(ctx context.Context, in envelope.CheckIn, answer call.CheckInAnswer) {
	var wishes []string
	kept := true
	if in.Confirms {
		wishes, kept = append(wishes, "confirms"), kept && answer.Confirmed
	}
	if in.OptsOut {
		wishes, kept = append(wishes, "opts out"), kept && answer.OptedOut
	}
	if len(wishes) == 0 {
		return
	}
	act := Act{CallID: in.CallID, Reason: strings.Join(wishes, ", ")}
	if !kept {
		act.Answer = cmp.Or(answer.Why, "not_kept")
	}
	a.auditAct(ctx, act, nil)
}
