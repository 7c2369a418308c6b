package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/ogen-go/ogen/ogenerrors"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
	"github.com/ringonce/ringonce/internal/ingress/httpapi/oas"
	"github.com/ringonce/ringonce/internal/problem"
	"github.com/ringonce/ringonce/internal/twoperson"
)

// refusal is an error that already is a problem document.
type refusal struct{ problem.Document }

// Error implements error.
func (r *refusal) Error() string { return r.Code + ": " + r.Detail }

func refuse(status int, code, detail, fix string) error {
	return &refusal{problem.New(status, code, detail, fix)}
}

// errUnknown answers an id that there is not and one that the asker may not see: byte for byte the same.
func errUnknown() error {
	return refuse(http.StatusNotFound, string(call.CodeNotFound), "No call has this id.", "List the calls and use a full id.")
}

// statuses are those of the core's codes; 422 for every other one.
var statuses = map[call.Code]int{
	call.CodeNotFound: http.StatusNotFound, call.CodeConflict: http.StatusConflict, call.CodeNotFinal: http.StatusConflict,
	call.CodeNotSettled: http.StatusConflict, call.CodeRingMoved: http.StatusConflict, call.CodeNotHeld: http.StatusConflict,
	call.CodeMayHaveRung: http.StatusConflict, call.CodeForgotten: http.StatusConflict, call.CodeCanceledBeforeCall: http.StatusConflict,
	call.CodeLedgerUnavailable: http.StatusServiceUnavailable, call.CodeLedgerWentBack: http.StatusServiceUnavailable,
	call.CodeBreach: http.StatusServiceUnavailable, call.CodeNoCredentials: http.StatusServiceUnavailable,
	call.CodeConfiguration: http.StatusServiceUnavailable, call.CodeDeadlineTooNear: http.StatusServiceUnavailable,
	twoperson.CodeSecondPerson: http.StatusForbidden, twoperson.CodeRole: http.StatusForbidden, twoperson.CodeNotPending: http.StatusConflict,
}

func statusOf(code call.Code) int {
	if status, ok := statuses[code]; ok {
		return status
	}
	return http.StatusUnprocessableEntity
}

// problemOf returns the problem of an error. Of an error of the ledger it says no word: it may hold anything.
func problemOf(err error) problem.Document {
	if told, ok := errors.AsType[*refusal](err); ok {
		return told.Document
	}
	if told, ok := errors.AsType[*call.Error](err); ok {
		return problem.Of(statusOf(told.Code), told)
	}
	if errors.Is(err, call.ErrNotFound) {
		return problemOf(errUnknown())
	}
	return problem.New(http.StatusServiceUnavailable, string(call.CodeLedgerUnavailable), "The ledger did not answer.", "Send it again; the log of the service says what happened.")
}

// NewError implements oas.Handler.
func (a *api) NewError(ctx context.Context, err error) *oas.ProblemStatusCode {
	d := problemOf(err)
	if d.Status >= http.StatusInternalServerError {
		a.Observer.Decided(ctx, call.Decided{What: "unavailable", Code: call.Code(d.Code), Reason: err.Error(), Source: call.SourceHTTP, Alarm: true})
	}
	askedOf(ctx).code = d.Code
	return &oas.ProblemStatusCode{StatusCode: d.Status, Response: told(d)}
}

func told(d problem.Document) oas.Problem {
	return oas.Problem{
		Type: d.Type, Title: d.Title, Status: d.Status, Detail: text(d.Detail), Code: d.Code, Fix: text(d.Fix), CallId: text(d.CallID),
	}
}

// undecoded answers what the generated server could not read. It repeats nothing of it.
func (a *api) undecoded(ctx context.Context, w http.ResponseWriter, r *http.Request, err error) {
	q := askedOf(ctx)
	status := ogenerrors.ErrorCode(err)
	if _, body := errors.AsType[*ogenerrors.DecodeRequestError](err); body && status == http.StatusBadRequest && (q.op == opPlace || q.op == "explain") {
		if _, refused := a.decode(q); refused != nil { // in the words of the strict reader
			a.rejected(ctx, q, problemOf(refused))
			answerUnread(w, q, refused)
			return
		}
	}
	d := problem.New(http.StatusBadRequest, "bad_request", unfit(err, q.raw), "See /openapi.yaml or /docs.")
	switch param, ok := errors.AsType[*ogenerrors.DecodeParamError](err); {
	case ok:
		d.Detail = "The parameter " + param.Name + " does not fit the document."
	case status == http.StatusUnsupportedMediaType:
		d = problem.New(status, "media_type", "The body is not sent as application/json.", "Send Content-Type: application/json.")
	case status >= http.StatusInternalServerError:
		a.Observer.Decided(r.Context(), call.Decided{What: "unanswered", Reason: err.Error(), Source: call.SourceHTTP, Alarm: true})
		d = problem.Of(http.StatusInternalServerError, nil)
	}
	a.rejected(ctx, q, d)
	problem.Write(w, d)
}

// answerUnread answers a body that is no request: with its explanation where that is what was asked for.
func answerUnread(w http.ResponseWriter, q *asked, refused error) {
	if q.op != "explain" {
		problem.Write(w, problemOf(refused))
		return
	}
	body, err := unread(q, refused).MarshalJSON()
	if err != nil {
		problem.Write(w, problem.Of(http.StatusInternalServerError, nil))
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = w.Write(body)
}

// unreadable is the problem of a record that is no request, in the words of the envelope.
func unreadable(record envelope.Record) error {
	fix := record.Fix
	if fix == "" {
		fix = "See the schema CallRequest in /openapi.yaml."
	}
	return refuse(http.StatusUnprocessableEntity, string(record.Reason), record.Message, fix)
}

// hurried tells whoever asks too often, or while nothing can be written down, when to come again.
type hurried struct {
	http.ResponseWriter

	asked *asked
}

// WriteHeader implements http.ResponseWriter.
func (h *hurried) WriteHeader(status int) {
	if status == http.StatusTooManyRequests || h.asked.code == codeNoAudit {
		retryLater(h)
	}
	h.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach what is behind.
func (h *hurried) Unwrap() http.ResponseWriter { return h.ResponseWriter }

// usualRetry is after how many seconds another try is worth it.
const usualRetry = 5

func retryLater(w http.ResponseWriter) { w.Header().Set("Retry-After", strconv.Itoa(usualRetry)) }
