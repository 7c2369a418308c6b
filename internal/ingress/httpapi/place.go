package httpapi

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
	"github.com/ringonce/ringonce/internal/ingress/httpapi/oas"
	"github.com/ringonce/ringonce/internal/problem"
	"github.com/ringonce/ringonce/internal/trace"
)

// decode reads the body of one request for a call as every way in does, and puts in who asks: nothing in the text can.
func (a *api) decode(q *asked) (call.Delivery, error) {
	now := a.Clock.Now()
	record := envelope.DecodeHTTPBody(q.raw, q.id, q.key, envelope.Options{Now: now, Numberless: a.Numberless})
	if record.Verdict != envelope.VerdictOK {
		return call.Delivery{}, unreadable(record)
	}
	d := record.Delivery
	space := q.who.KeySpace
	d.Producer, d.KeySpace, d.ReceivedAt = q.who.Sender(), &space, now
	return d, nil
}

// permitted refuses profiles that the asker may not name, also those of an escalation list. Withdrawing names none.
func (a *api) permitted(q *asked, r call.Request) error {
	if r.Withdraws() {
		return nil
	}
	names := []string{r.Profile}
	for _, next := range r.Escalation {
		if next.Profile != "" {
			names = append(names, next.Profile)
		}
	}
	for _, name := range names {
		if p, known := a.Engine.Profile(name); known && !q.who.Uses(p.Name) && (name == "" || !q.who.Uses(name)) || !known && !q.who.Uses(name) {
			return refuse(http.StatusForbidden, "profile_forbidden", "You may not ask for calls of this profile.", "Name a profile that you were granted.")
		}
	}
	return nil
}

// PlaceCall implements oas.Handler. The body it decodes from is the one that was sent, byte for byte.
func (a *api) PlaceCall(ctx context.Context, _ oas.CallRequest, params oas.PlaceCallParams) (oas.PlaceCallRes, error) {
	q := askedOf(ctx)
	wait := min(waitOf(params.Prefer.Value), a.MaxWait)
	answer, status, err := a.place(ctx, q, wait)
	a.audit(ctx, a.concerned(q, answer, err), string(answer.Answer), err)
	if err != nil {
		return nil, err
	}
	q.waits = waits(answer)
	headers := oas.PlacedHeaders{Response: answer}
	if wait > 0 {
		headers.PreferenceApplied = text("wait=" + strconv.Itoa(int(wait/time.Second)))
	}
	if status == http.StatusAccepted {
		accepted := oas.PlaceCallAccepted(headers)
		return &accepted, nil
	}
	ok := oas.PlaceCallOK(headers)
	return &ok, nil
}

// place answers one request for a call.
func (a *api) place(ctx context.Context, q *asked, wait time.Duration) (oas.Placed, int, error) {
	d, err := a.decode(q)
	if err != nil {
		return oas.Placed{}, 0, err
	}
	if err := a.permitted(q, d.Request); err != nil {
		return oas.Placed{}, 0, err
	}
	out, known := a.accept(ctx, q, d)
	if !known {
		return oas.Placed{}, 0, errTooManyOpen()
	}
	if out.Ack != call.AckDone {
		return oas.Placed{}, 0, notTaken(out)
	}
	now := a.Clock.Now()
	if row := out.Call; row.ID != "" && !row.State.Final() && (row.DueAt().IsZero() || !row.DueAt().After(now)) {
		switch {
		case wait > 0 && a.begins():
			out = a.await(ctx, out, wait)
		case a.Accepted != nil:
			a.Accepted(row.ID)
		}
	}
	answer, status := placed(out, d.Request.Withdraws(), a.Clock.Now())
	return answer, status, nil
}

// reserve takes a place for the call of a producer. ok is false when there is none.
func (a *api) reserve(q *asked, d call.Delivery) (settle func(call.Call), ok bool) {
	if a.Reserve == nil || q.who.Kind != access.Producer || d.Request.Withdraws() {
		return func(call.Call) {}, true
	}
	return a.Reserve(q.who.Name, q.who.KeySpace)
}

// accept makes the request durable, within a span of its own that is kept with it. Without a place only what adds no open call is answered: known is false for
// every other request, and nothing was written of it.
func (a *api) accept(ctx context.Context, q *asked, d call.Delivery) (out call.Outcome, known bool) {
	settle, place := a.reserve(q, d)
	if place {
		defer func() { settle(out.Call) }() // also after a panic
	}
	ctx, end := trace.Begin(ctx, a.Spans, trace.Span{Name: "accept"})
	d.Trace = call.TraceOf(ctx)
	if known = true; place {
		out = a.Engine.Accept(ctx, d)
	} else {
		out, known = a.Engine.AcceptKnown(ctx, d)
	}
	failure := ""
	switch {
	case !known:
		failure = codeTooManyOpen
	case out.Ack != call.AckDone:
		failure = string(out.Code)
	}
	end(failure, slog.String("ringonce.call", out.Call.ID), slog.String("ringonce.met", string(out.Met)))
	return out, known
}

const codeTooManyOpen = "too_many_open"

func errTooManyOpen() error {
	return refuse(http.StatusTooManyRequests, codeTooManyOpen, "The producer has as many open calls as it may.", "Wait for as long as Retry-After says, and send it again with the same key.")
}

// mostDials is how many dials requests may have begun at once. A dial may outlive its request, so the bound of requests does not bound it.
const mostDials = 256

// begins reports whether there is room for one more dial; await frees it.
func (a *api) begins() bool {
	select {
	case a.dials <- struct{}{}:
		return true
	default:
		return false
	}
}

// longestDial bounds a dial that outlives the request that waited for it.
const longestDial = time.Minute

// await dials the call and waits for what becomes of it. What lasts longer goes on without the request; the ledger finishes what a crash
// would cut off.
func (a *api) await(ctx context.Context, out call.Outcome, wait time.Duration) call.Outcome {
	id := out.Call.ID
	done := make(chan struct{})
	a.Go(func() {
		defer close(done)
		defer func() { <-a.dials }()
		defer func() {
			if what := recover(); what != nil {
				a.Observer.Decided(ctx, call.Decided{What: "panicked", RowID: id, Reason: fmt.Sprintf("%T", what), Source: call.SourceHTTP, Alarm: true})
			}
		}()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), longestDial)
		defer cancel()
		if _, err := a.Engine.SweepRow(ctx, id); err != nil {
			a.Observer.Decided(ctx, call.Decided{What: "step-failed", RowID: id, Code: call.CodeOf(err), Reason: err.Error()})
		}
	})
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	case <-ctx.Done():
	}
	if row, err := a.Ledger.Get(context.WithoutCancel(ctx), id); err == nil {
		out.Call, out.Met, out.Code, out.Message, out.ContactID = row, call.MetState(row.State), row.Code, row.Message, row.ContactID
	}
	return out
}

// notTaken is the problem of a request that its sender keeps.
func notTaken(out call.Outcome) error {
	code, detail := string(out.Code), out.Message
	if code == "" {
		code = string(out.Met)
	}
	if detail == "" {
		detail = "The request is " + string(out.Met) + "."
	}
	status := statusOf(out.Code)
	switch {
	case out.Ack == call.AckRefuse && out.Met != call.MetConflict:
		status = http.StatusUnprocessableEntity
	case out.Ack != call.AckRefuse:
		status = http.StatusServiceUnavailable
		if out.Code == "" || out.Met == call.MetUnavailable { // also errors whose text may hold anything
			detail = "The call cannot be finished now."
		}
	}
	fix := out.Fix
	if fix == "" {
		fix = "Send it again."
	}
	d := problem.New(status, code, detail, fix)
	d.CallID = out.By
	return &refusal{d}
}

// placed is the answer to a request that was taken.
func placed(out call.Outcome, withdraws bool, now time.Time) (oas.Placed, int) {
	row := out.Call
	p := oas.Placed{Suppressed: text(out.Suppressed), ContactId: text(out.ContactID), Code: text(string(out.Code)), Message: text(out.Message)}
	status := http.StatusOK
	if row.ID != "" {
		p.CallId, p.State, p.Ring, p.Sentence = text(row.ID), oas.NewOptState(oas.State(row.State)), oas.NewOptInt(row.Ring), row.Sentence()
	}
	if row.State == call.Received && row.Due.After(now) {
		p.HeldFor, p.HeldUntil = text(holdReason(row)), instant(row.Due)
	}
	switch {
	case withdraws:
		p.Answer = oas.PlacedAnswerWithdrawn
		p.Sentence = "The withdrawal is kept. " + p.Sentence
	case out.Replayed:
		p.Answer, p.DuplicateOf = oas.PlacedAnswerDuplicate, text(out.By)
	case row.State == call.Placed:
		p.Answer = oas.PlacedAnswerPlaced
	case row.State == call.Dialing:
		p.Answer, status = oas.PlacedAnswerDialing, http.StatusAccepted
	case row.State == call.Received && p.HeldUntil.Set:
		p.Answer, status = oas.PlacedAnswerHeld, http.StatusAccepted
	case row.State == call.Received:
		p.Answer, status = oas.PlacedAnswerAccepted, http.StatusAccepted
	default:
		p.Answer = oas.PlacedAnswerEnded
	}
	return p, status
}

// PlaceBatch implements oas.Handler.
func (a *api) PlaceBatch(ctx context.Context, req *oas.BatchRequest, _ oas.PlaceBatchParams) (*oas.BatchAnswerHeaders, error) {
	whole := askedOf(ctx)
	answer := oas.BatchAnswer{Results: make([]oas.BatchResult, len(req.Calls))}
	for i, item := range req.Calls {
		q := *whole
		q.raw, q.id = item, whole.id+"-"+strconv.Itoa(i)
		result := oas.BatchResult{Index: i}
		taken, status, err := a.place(ctx, &q, 0)
		a.audit(ctx, a.concerned(&q, taken, err), string(taken.Answer), err)
		if err != nil {
			d := problemOf(err)
			result.Status, result.Problem = d.Status, oas.NewOptProblem(told(d))
		} else {
			result.Status, result.Placed = status, oas.NewOptPlaced(taken)
		}
		whole.again, whole.waits = whole.again || again(result.Status), whole.waits || waits(taken)
		answer.Results[i] = result
	}
	return &oas.BatchAnswerHeaders{Response: answer}, nil
}
