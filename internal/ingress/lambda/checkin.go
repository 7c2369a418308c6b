package lambda

import (
	"context"
	"fmt"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
	"github.com/ringonce/ringonce/internal/flow"
)

// checkIn answers a flow. Whatever goes wrong, the flow gets an answer: that the contact is wanted.
func (h *Handler) checkIn(l limit, report Report) Report {
	answer := h.answerFlow(call.WithTrace(l.ctx, report.Results[0].Record.Trace), *report.Results[0].Record.CheckIn)
	report.CheckIn = &answer
	reason := call.Code(report.Results[0].Record.Reason)
	report.Results[0].Outcome = h.outcome(report.Document, call.MetIgnored, reason, "The flow has its answer.")
	report.Answered = h.Clock.Now()
	return report
}

func (h *Handler) answerFlow(ctx context.Context, in envelope.CheckIn) (answer call.CheckInAnswer) {
	desk := flow.Desk{CheckIns: h.CheckIns, Instance: h.Instance, Clock: h.Clock, Observer: h.Observer}
	defer func() {
		if p := recover(); p != nil {
			answer = desk.Unheard(ctx, in, flow.WhyPanicked, maskDigits(fmt.Sprintf("%v\n%s", p, stack())))
		}
	}()
	return desk.Answer(ctx, in)
}
