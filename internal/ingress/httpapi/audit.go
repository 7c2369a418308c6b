package httpapi

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/httpapi/oas"
	"github.com/ringonce/ringonce/internal/problem"
)

// audit writes down what the asker did to a call.
func (a *api) audit(ctx context.Context, callID, reason string, err error) {
	a.auditAct(ctx, Act{CallID: callID, Reason: reason}, err)
}

// auditAct writes down what the asker did; the act says to what, and why.
func (a *api) auditAct(ctx context.Context, act Act, err error) {
	q := askedOf(ctx)
	act.At, act.Actor, act.Kind, act.Action = a.Clock.Now(), q.who.Name, string(q.who.Kind), q.op
	a.record(ctx, act, err)
}

// record writes an act with how it was answered.
func (a *api) record(ctx context.Context, act Act, err error) {
	if a.Audit == nil {
		return
	}
	if !isRow(act.CallID) {
		act.CallID = "" // no row has it: whoever asked may have written anything there, also a number
	}
	act.Answer = cmp.Or(act.Answer, "ok")
	if err != nil {
		act.Answer = problemOf(err).Code
	}
	if err := a.Audit(context.WithoutCancel(ctx), act); err != nil {
		a.Observer.Decided(ctx, call.Decided{What: "audit-lost", RowID: act.CallID, Reason: err.Error(), Source: call.SourceHTTP, Alarm: true})
	}
}

// acts are the operations that are not done while they could not be written down, when an operator asks: those after which a phone may ring, a doubt is
// closed, or a producer is told again. What only keeps phones silent (a pause above all) must not hang on the disk of a log; requests for calls neither. An order looks by itself: a
// dry run changes nothing.
var acts = map[string]bool{opRecall: true, "closeDoubt": true, opRelease: true, "resume": true, "removeDoNotCall": true, opConfirm: true, "tellCall": true}

const codeNoAudit = "audit_unavailable"

// audited refuses what could not be written down.
func (a *api) audited() error {
	if a.Audited == nil {
		return nil
	}
	why := a.Audited()
	if why == nil {
		return nil
	}
	return fmt.Errorf("%w %w", refuse(http.StatusServiceUnavailable, codeNoAudit, "The audit log cannot be written, so nothing is changed that would be missing there.",
		"Send it again after the time of Retry-After; the log of the service says what is wrong with the audit log."), why)
}

// writable answers an act of an operator that could not be written down, and reports whether it may be done.
func (f *front) writable(w http.ResponseWriter, r *http.Request, q *asked) bool {
	if !acts[q.op] || q.who.Kind == access.Producer {
		return true
	}
	err := f.audited()
	if err == nil {
		return true
	}
	f.Observer.Decided(r.Context(), call.Decided{What: "unavailable", Code: codeNoAudit, Reason: err.Error(), Source: call.SourceHTTP, Alarm: true})
	retryLater(w)
	problem.Write(w, problemOf(err))
	return false
}

// forbidden answers whoever may not ask for an operation, and writes down that they did.
func (f *front) forbidden(w http.ResponseWriter, r *http.Request, q *asked) {
	err := refuse(http.StatusForbidden, "forbidden", "Your role does not allow this.", "Ask an operator for the role that docs/api.md names.")
	act := Act{At: f.Clock.Now(), Actor: q.who.Name, Kind: string(q.who.Kind), Action: q.op, CallID: q.callID, Target: q.target}
	f.record(r.Context(), act, err)
	f.Observer.Decided(r.Context(), call.Decided{What: "forbidden", Code: "forbidden", Reason: act.Kind + " " + act.Actor + ": " + act.Action, Source: call.SourceHTTP})
	problem.Write(w, problemOf(err))
}

// targetOf names what a pause is about.
func targetOf(w *oas.PauseWish) string {
	if w.Name.Value == "" {
		return string(w.Target)
	}
	return string(w.Target) + ":" + w.Name.Value
}

func orderTarget(id string) string { return "order:" + orderNamed(id) }
