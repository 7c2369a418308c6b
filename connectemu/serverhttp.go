package connectemu

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"
)

// ServeHTTP answers one request of the Connect API.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := s.read(w, r)
	var rule *Rule
	if x.op != "" {
		rule = s.plan.Load().pick(x.op, x.number(), x.token())
	}
	if rule != nil {
		x.record.Fault = rule.String()
		if !s.arrive(r, rule) {
			s.log(x, reply{outcome: OutcomeDropped})
			panic(http.ErrAbortHandler)
		}
	}
	ans, replaced := beforeServing(rule)
	if replaced {
		s.noteServiceFailure(x, r, ans)
	} else {
		ans = s.serve(x, r, rule)
	}
	if rule != nil && rule.Fault.Places() {
		x.record.Outcome = ans.outcome
	}
	s.tellFirst(r.Context(), x.record.ContactID)
	sent := afterServing(rule, ans)
	s.log(x, sent)
	if rule != nil && rule.Fault == PlaceThenDelay {
		ctx, stop := s.untilClosed(r.Context())
		err := s.cfg.Load().Clock.Sleep(ctx, rule.Delay)
		stop()
		if err != nil {
			panic(http.ErrAbortHandler)
		}
	}
	w.Header().Set("X-Amzn-Requestid", guid(s.cfg.Load().Seed, roomRequests, x.record.Seq))
	sent.write(w)
}

// arrive holds a request back as its rule says and reports whether it is to be served.
func (s *Server) arrive(r *http.Request, rule *Rule) bool {
	ctx := r.Context()
	switch rule.Fault { //nolint:exhaustive // only two faults act before the request arrives
	case Slow:
	case ArriveLate:
		ctx = context.WithoutCancel(ctx)
	default:
		return true
	}
	ctx, stop := s.untilClosed(ctx)
	defer stop()
	return s.cfg.Load().Clock.Sleep(ctx, rule.Delay) == nil
}

// untilClosed returns a context that also ends when the server is closed.
func (s *Server) untilClosed(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.closed, cancel)
	return ctx, func() { stop(); cancel() }
}

// serve does the work of a request: signature, rate, injected refusal, operation.
func (s *Server) serve(x *exchange, r *http.Request, rule *Rule) reply {
	cfg := s.cfg.Load()
	now := cfg.Clock.Now()
	x.record.Time = now
	if x.tooBig {
		return failure(refuse(CodeRequestTooLarge, "The body is larger than 1 MiB."))
	}
	if err := s.authenticate(cfg, r, x.hash, now); err != nil {
		return failure(err)
	}
	if x.op == "" {
		return failure(unknownOperation())
	}
	if err := s.pace(cfg, x, now); err != nil {
		return s.failed(cfg, x, err, now)
	}
	if err := injected(rule); err != nil {
		return s.failed(cfg, x, err, now)
	}
	switch x.op {
	case OpStart:
		return s.start(cfg, x, now)
	case OpStartChat, OpStartTask:
		return s.startDigital(cfg, x, now)
	case OpDescribe:
		return s.describe(cfg, x, now)
	case OpStop:
		return s.stop(cfg, x, now)
	case OpSearch:
		return s.search(cfg, x, now)
	case OpDescribeInstance:
		return describeInstance(cfg, x)
	case OpDescribeFlow:
		return describeFlow(cfg, x)
	case OpDescribeQueue:
		return describeQueue(cfg, x)
	case OpListNumbers:
		return listNumbers(cfg, x)
	case OpListFlows:
		return listFlows(cfg, x)
	case OpGetAttributes:
		return s.getAttributes(cfg, x, now)
	case OpUpdateAttributes:
		return s.updateAttributes(cfg, x, now)
	case OpTag:
		return s.tag(cfg, x, now)
	case OpUntag:
		return s.untag(cfg, x, now)
	case OpAny:
	}
	return failure(unknownOperation())
}

func unknownOperation() *apiError {
	return refuse(CodeUnknownOperation, "The operation is not one of those the emulator knows.")
}

// log completes the wire record of x with what is sent and keeps it.
func (s *Server) log(x *exchange, sent reply) {
	cfg := s.cfg.Load()
	if x.record.Time.IsZero() {
		x.record.Time = cfg.Clock.Now()
	}
	x.record.Status, x.record.Code = sent.status, sent.code
	if x.record.Outcome == "" {
		x.record.Outcome = sent.outcome
	}
	s.wire.add(x.record)
	if x.op == OpStart && s.truth.to != nil {
		s.truth.write(TruthEvent{Kind: TruthStart, At: x.record.Time.UTC(), Start: &x.record})
	}
	if ctx := s.closed; cfg.Logger.Enabled(ctx, slog.LevelDebug) {
		cfg.Logger.LogAttrs(ctx, slog.LevelDebug, "request",
			slog.String("operation", string(x.op)), slog.String("number", x.record.Number),
			slog.String("outcome", string(x.record.Outcome)), slog.String("status", strconv.Itoa(sent.status)),
			slog.String("code", sent.code), slog.String("fault", x.record.maskedFault()), slog.Int("attempt", x.record.Attempt))
	}
}
