package lambda

import (
	"github.com/ringonce/ringonce/internal/call"
)

// sweepStep is how many rows are taken between two looks at the clock.
const sweepStep = 10

// sweep moves due calls on, as far as the time allows. What is left stays due for the next trigger, so stopping early is no error.
func (h *Handler) sweep(l limit, report Report) (Report, error) {
	if h.Sweeper == nil {
		return h.noSweep(report, call.CodeNeedsLedger, "A sweep needs a ledger.", "Remove the schedule, or configure a ledger.")
	}
	if !l.mayStart() {
		return h.noSweep(report, call.CodeDeadlineTooNear, "The invocation began with too little time for a sweep.", "Give the function a timeout of more than lambda.reserve.")
	}
	total, err := h.sweepWhile(l)
	if err != nil && (l.ctx.Err() == nil || total.Due == 0) {
		return h.noSweep(report, codeOr(err, call.CodeLedgerUnavailable), "The sweep ended early: "+maskDigits(err.Error()), "What is due stays due; check the ledger.")
	}
	report.Swept = &total
	report.Results[0].Outcome = h.outcome(report.Document, call.MetIgnored, call.Code(report.Results[0].Record.Reason), "The sweep ran.")
	return report, nil
}

// sweepWhile sweeps in steps. A row that cannot be moved stays at the head of what is due, so the next step reaches over it.
func (h *Handler) sweepWhile(l limit) (total call.Swept, err error) {
	for stuck := 0; total.Moved+stuck < h.SweepLimit && l.mayStart(); {
		step := min(stuck+sweepStep, h.SweepLimit)
		swept, err := h.Sweeper.Sweep(l.ctx, step)
		stuck = swept.Due - swept.Moved
		total = call.Swept{Due: total.Moved + swept.Due, Moved: total.Moved + swept.Moved, Failed: swept.Failed}
		if err != nil || swept.Due < step {
			return total, err
		}
	}
	return total, nil
}

func (h *Handler) noSweep(report Report, code call.Code, message, fix string) (Report, error) {
	report.Results[0].Outcome = h.outcome(report.Document, call.MetNotStarted, code, message)
	report.Results[0].Outcome.Fix = fix
	return report, &NotAcknowledged{Code: code, Message: message, Fix: fix, Failed: 1, Records: 1}
}

func codeOr(err error, preset call.Code) call.Code {
	if code := call.CodeOf(err); code != "" {
		return code
	}
	return preset
}
