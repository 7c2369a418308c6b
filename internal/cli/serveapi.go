package cli

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/app/guards"
	"github.com/ringonce/ringonce/internal/auditlog"
	"github.com/ringonce/ringonce/internal/ingress/httpapi"
	"github.com/ringonce/ringonce/internal/opencalls"
	"github.com/ringonce/ringonce/internal/secret"
)

// The calls that were accepted over HTTP and may be dialed now: how many are remembered beside the ledger, and how many are dialed at once.
const (
	acceptedKept  = 10_000
	acceptedLanes = 16
)

// front is the API of a service with what it holds open.
type front struct {
	handler http.Handler // with everybody asked who they are
	routes  []string
	tells   func(r *http.Request) bool // of the metrics; nil: everybody
	later   *httpapi.Later
	resume  func(ctx context.Context) error // carries on with orders that a crash cut off
	open    *opencalls.Counter              // nil where nobody is limited
	log     *auditlog.Log                   // nil without one
	audited func() error                    // nil without an audit log
	dials   sync.WaitGroup                  // that outlive the requests that began them
	close   func() error
}

// openAPI makes the API: who asks, what they may do, and what they did.
func (s *serving) openAPI(ctx context.Context) (f *front, err error) {
	f = &front{close: func() error { return nil }}
	var local *access.LocalOptions
	if s.anonymous {
		local = &access.LocalOptions{}
	}
	guard, err := guards.Open(s.config, local, s.Clock, s.log)
	if err != nil {
		return nil, err
	}
	tells, err := s.tells(guard)
	if err != nil {
		return nil, errors.Join(err, guard.Close())
	}
	f.tells = tells
	log, err := guards.OpenAudit(s.config, guards.WriterService, s.Clock, s.Random, false)
	if err != nil {
		return nil, errors.Join(err, guard.Close())
	}
	f.close = func() error {
		if log == nil {
			return guard.Close()
		}
		return errors.Join(log.Close(), guard.Close())
	}
	f.later = httpapi.NewLater(s.app.Engine, s.app.Observer, acceptedKept)
	f.later.Begin = s.laterSpan
	listed, other := s.config.Access.OpenLimits()
	if f.open = opencalls.New(opencalls.Options{Limits: listed, Other: other, Index: s.app.Store.Index}); f.open != nil {
		s.app.Observer.OnEnded(f.open.Ended)
		if err := f.open.Look(ctx); err != nil { // before the first request: a start must not forget what is open
			return nil, errors.Join(err, f.close())
		}
	}
	f.log, f.audited = log, audited(log)
	o := httpapi.Options{
		Engine: s.app.Engine, Ledger: s.app.Store.Ledger, Index: s.app.Store.Index, Journal: s.app.Store.Journal, Cells: s.app.Store.Cells,
		CellNames: s.app.Cells, Clock: s.Clock, Observer: s.app.Observer, Random: s.Random, Numberless: s.config.Numberless(),
		Accepted: f.later.Offer, Audit: auditing(log), Audited: f.audited, Go: f.dials.Go, RequireIdempotencyKey: s.config.Serve.RequireIdempotencyKey,
		TwoPerson: s.config.Access.TwoPerson, Producers: guard.Scopes, Spans: s.spans, Reserve: f.open.Reserve,
		DialsFrom: s.config.DialsFrom, Told: s.told, TellAgain: s.app.TellAgain,
	}
	f.resume = httpapi.NewCarrier(o).Resume
	api, err := httpapi.New(o)
	if err == nil {
		f.routes, err = httpapi.Routes()
	}
	if err != nil {
		return nil, errors.Join(err, f.close())
	}
	f.handler = beside(api, guard.Wrap(s.limits().Shared(api, s.metrics)))
	return f, nil
}

// beside answers who only reads the document of the API or its page, and leaves everybody else to the guard.
func beside(api, guarded http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if httpapi.Public(r) {
			api.ServeHTTP(w, r)
			return
		}
		guarded.ServeHTTP(w, r)
	})
}

// tells returns who may read the metrics; nil where everybody may.
func (s *serving) tells(guard *guards.Guard) (func(r *http.Request) bool, error) {
	set := s.config.Serve
	if !set.MetricsAuth && set.MetricsTokenFile == "" {
		return nil, nil //nolint:nilnil // everybody is the default
	}
	operators := set.MetricsAuth && !s.anonymous
	if set.MetricsTokenFile == "" {
		return func(r *http.Request) bool { return operators && guard.Reads(r) }, nil
	}
	tokens, err := secret.Watch(secret.WatchOptions[*access.ScrapeTokens]{
		Name: "serve.metrics_token_file", Files: []string{set.MetricsTokenFile}, Clock: s.app.Clock, Log: s.log,
		Read: func() (*access.ScrapeTokens, error) { return access.ReadScrapeTokens(set.MetricsTokenFile) },
	})
	if err != nil {
		return nil, err
	}
	return func(r *http.Request) (allowed bool) {
		tokens.Use(func(t *access.ScrapeTokens) { allowed = t.Allow(r) })
		return allowed || operators && guard.Reads(r)
	}, nil
}

// personalNumber names the digest of a phone number in a record.
const personalNumber = "number"

// auditing writes what was done over HTTP into the audit log; nil without one.
func auditing(log *auditlog.Log) func(ctx context.Context, act httpapi.Act) error {
	if log == nil {
		return nil
	}
	return func(ctx context.Context, act httpapi.Act) error {
		a := auditlog.Act{
			At: act.At, Actor: act.Actor, Kind: act.Kind, Action: act.Action, CallID: act.CallID, Target: act.Target, Reason: act.Reason, Answer: act.Answer,
		}
		if !act.Number.IsZero() {
			a.Personal = map[string]string{personalNumber: act.Number.Wire()}
		}
		return log.Append(ctx, a)
	}
}

// audited says why the audit log cannot be written; nil without one.
func audited(log *auditlog.Log) func() error {
	if log == nil {
		return nil
	}
	return log.Usable
}

// told is what the producer of a call is told by webhook.
func (s *serving) told(ctx context.Context, row string) (t httpapi.Telling, told bool, err error) {
	story, told, err := s.app.Told(ctx, row)
	t.Receiver = story.Receiver
	for _, e := range story.Events {
		t.Events = append(t.Events, httpapi.ToldEvent(e))
	}
	return t, told, err
}

// closeFront ends what the API held open.
func (s *serving) closeFront(ctx context.Context, f *front) {
	if err := f.close(); err != nil {
		s.log.ErrorContext(ctx, "closing the API", slog.String("error", err.Error()))
	}
}

// resumeEvery is how often orders are looked for that were confirmed and are not done.
const resumeEvery = time.Minute

// carryOn carries on with orders until ctx ends, first with those that the process before left.
func (s *serving) carryOn(ctx context.Context, f *front) {
	for {
		if err := f.resume(ctx); err != nil && ctx.Err() == nil {
			s.log.WarnContext(ctx, "orders of re-calls wait to be carried on", slog.String("error", err.Error()))
		}
		if s.Clock.Sleep(ctx, resumeEvery) != nil {
			return
		}
	}
}

// countOpen corrects the count of open calls for as long as the service lives.
func (s *serving) countOpen(ctx context.Context, open *opencalls.Counter) {
	open.Run(ctx, s.Clock, s.config.SweepEvery(), func(err error) {
		s.log.WarnContext(ctx, "open calls could not be counted", slog.String("error", err.Error()))
	})
}
