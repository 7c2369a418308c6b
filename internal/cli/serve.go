package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/sqspoll"
	"github.com/ringonce/ringonce/internal/service"
	"github.com/ringonce/ringonce/internal/trace"
)

// serveCommand is the service: the API, the pollers and the sweeper of one process.
type serveCommand struct {
	Listen string `placeholder:"HOST:PORT" help:"Address of the API, instead of serve.listen; default 127.0.0.1:7464, port 0 is any free one."`
}

// serving is a service that runs.
type serving struct {
	*environment

	app       *app.App
	config    *app.Config
	embedded  *telephone // nil with a configuration
	listen    string
	anonymous bool // nobody is asked who they are
	metrics   *service.Metrics
	spans     trace.Spans // nil without a collector
	log       *slog.Logger
}

// Run implements the command.
func (x *serveCommand) Run(ctx context.Context, e *environment) (err error) {
	version, _ := built()
	s := &serving{environment: e, metrics: service.NewMetrics(version)}
	if e.hasConfig() { // else the emulator, which keeps every contact, is in this process too
		e.limitMemory()
		s.config, err = e.config()
	} else {
		s.embedded, s.config, err = e.embed(ctx)
	}
	if s.embedded != nil { // the telephone goes last: calls are still being made while the rest ends
		defer func() { err = errors.Join(err, s.embedded.stop()) }()
	}
	if err != nil {
		return err
	}
	s.anonymous = !s.config.Access.Credentials()
	s.listen = s.config.Serve.ListenAddress()
	if x.Listen != "" {
		s.listen = x.Listen
	}
	if err := service.CheckExposure(service.Exposure{
		Listen: s.listen, TLS: s.config.Serve.HasTLS(), Authentication: !s.anonymous, Rings: s.config.Connect.Endpoint == "", Anonymous: s.config.Access.Anonymous,
	}); err != nil {
		return err
	}
	if err := s.checkAudit(); err != nil {
		return err
	}
	s.log = e.log(s.config.Log, true)
	if token, _ := e.LookupEnv("AWS_SESSION_TOKEN"); token != "" {
		s.log.WarnContext(ctx, "the credentials in the variables of this process end, and it cannot renew them: give it a role instead (docs/serve.md, Credentials)")
	}
	tracer, err := s.openTraces(ctx, version)
	if err != nil {
		return err
	}
	if tracer != nil {
		s.spans = tracer
		defer tracer.Close(ctx) // after everything that has spans
	}
	if s.app, err = e.openWith(ctx, s.config, opening{service: true, metrics: e.Stdout, facts: s.metrics, spans: s.spans}); err != nil {
		return s.beginAnew(ctx, err)
	}
	defer closing(s.app, &err)
	if s.app.Engine == nil {
		return misused("The service needs a ledger, and ledger.driver is none.", "Set ledger.driver: sqlite and ledger.path.")
	}
	return s.run(ctx)
}

// checkAudit refuses a service that could not write down who did what.
func (s *serving) checkAudit() error {
	if s.config.AuditDir() != "" || s.config.DriverName() == "none" { // which is refused by a text of its own
		return nil
	}
	return &call.Error{
		Code: call.CodeConfiguration, Field: "access.audit_dir", Message: "The service would have no audit log: access.audit_dir is missing, and this ledger keeps no file on this machine.",
		Fix: "Name a directory on a disk that stays.",
	}
}

// run serves until ctx ends, the ledger is gone or the listener fails.
func (s *serving) run(ctx context.Context) error {
	certificates, err := s.certificates()
	if err != nil {
		return err
	}
	api, err := s.openAPI(ctx)
	if err != nil {
		return err
	}
	defer s.closeFront(context.WithoutCancel(ctx), api)
	pollers, err := s.pollers(api.log)
	if err != nil {
		return err
	}
	server, err := service.New(s.options(certificates, api))
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.listen)
	if err != nil {
		return explainListen(s.listen, err)
	}
	if err := s.announce(listener.Addr()); err != nil {
		return errors.Join(err, listener.Close())
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	sweeper := startSweeper(ctx, s.app, s.log)
	var parts sync.WaitGroup
	parts.Go(func() { api.later.Run(ctx, acceptedLanes) })
	parts.Go(func() { s.carryOn(ctx, api) })
	parts.Go(func() { s.watchStanding(ctx) })
	parts.Go(func() { s.keepAudit(ctx, api.log) })
	if api.open != nil {
		parts.Go(func() { s.countOpen(ctx, api.open) })
	}
	for _, p := range pollers {
		parts.Go(func() { p.Run(ctx) })
	}
	if certificates != nil {
		hup := make(chan os.Signal, 1)
		signal.Notify(hup, syscall.SIGHUP)
		defer signal.Stop(hup)
		parts.Go(func() { certificates.Watch(ctx, hup) })
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx, listener) }()
	s.log.InfoContext(ctx, "serving", slog.String("listen", listener.Addr().String()), slog.String("ledger", s.config.DriverName()), slog.Int("queues", len(pollers)))
	select {
	case <-ctx.Done():
	case err = <-served:
		served <- nil
	case <-gone(s.app):
		err = failed("The ledger can no longer be used by this process.", "Start it again: it reopens the ledger and reads what is there; the log says what happened.")
	}
	s.log.InfoContext(ctx, "ending")
	server.Drain()
	end()
	err = errors.Join(err, <-served)
	parts.Wait()
	api.dials.Wait()
	<-sweeper
	s.log.InfoContext(context.WithoutCancel(ctx), "ended")
	return err
}

func (s *serving) options(certificates *service.Certificates, api *front) service.Options {
	set := s.config.Serve
	return service.Options{
		API: api.handler, Routes: api.routes, Checks: s.checks(api), Anonymous: s.anonymous, TLS: certificates, Clock: s.Clock, Log: s.log, Metrics: s.metrics,
		Drain: set.Duration(set.Drain), Traced: s.traced, Tells: api.tells, Limits: s.limits(),
	}
}

func (s *serving) limits() service.Limits {
	set := s.config.Serve
	return service.Limits{
		Concurrent: set.Limits.Concurrent, Connections: set.Limits.Connections, Body: set.Limits.BodyBytes, HeaderTime: set.Duration(set.Limits.HeaderTime),
		ReadTime: set.Duration(set.Limits.ReadTime), WriteTime: set.Duration(set.Limits.WriteTime), IdleTime: set.Duration(set.Limits.IdleTime),
	}
}

// certificates opens those of the listener; nil without TLS.
func (s *serving) certificates() (*service.Certificates, error) {
	set := s.config.Serve.TLS
	if !s.config.Serve.HasTLS() {
		return nil, nil //nolint:nilnil // plain HTTP on loopback is the default
	}
	c, err := service.OpenCertificates(service.TLSOptions{
		CertFile: set.CertFile, KeyFile: set.KeyFile, ClientCAFile: set.ClientCAFile, ClientsOptional: s.config.ClientsOptional(),
		Clock: s.Clock, Log: s.log, Metrics: s.metrics,
	})
	if err != nil {
		return nil, err
	}
	s.metrics.Gauge("ringonce_tls_certificate_expiry_timestamp_seconds", "When the certificate of the listener ends.", nil,
		func() float64 { return float64(c.Expires().Unix()) })
	return c, nil
}

// announce says in plain words what is served and what is rung.
func (s *serving) announce(at net.Addr) error {
	scheme, asked := "http", "nobody is asked who they are: only programs on this machine are answered"
	if s.config.Serve.HasTLS() {
		scheme = "https"
	}
	if !s.anonymous {
		asked = "everybody is asked who they are"
	}
	rung := "real telephones, through Amazon Connect"
	if s.config.Connect.Endpoint != "" {
		rung = "nothing real: the emulator at " + s.config.Connect.Endpoint
	}
	ledger := s.config.DriverName()
	if s.config.Ledger.Path != "" {
		ledger += ", " + s.config.Ledger.Path
	}
	text := fmt.Sprintf("ringonce serves\n  api      %s://%s\n  access   %s\n  ledger   %s\n  rings    %s\n", scheme, at, asked, plain(ledger), plain(rung))
	if s.embedded != nil {
		text += fmt.Sprintf("  page     http://%s/ (see what rang)\n\nThere is no configuration, so no telephone can ring. To ring real ones, write one: docs/configuration.md.\n", s.embedded.page)
	}
	if _, err := fmt.Fprint(s.Stdout, text); err != nil {
		return failed("Nothing can be written to standard output: "+err.Error()+".", "Start it with a standard output.")
	}
	return nil
}

func explainListen(listen string, err error) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return failed("The address "+listen+" is taken by another process.", "Stop it, or choose another one with --listen or serve.listen.")
	}
	return failed("The address "+listen+" cannot be listened on: "+err.Error()+".", "Choose another one with --listen or serve.listen.")
}

// errSweepStale is what readiness says when nothing has swept for long.
var errSweepStale = &call.Error{Code: "sweep_stale", Message: "No sweep of this process has ended for three times sweep.every."}

// errNoAudit is what readiness says while what is done is not written down.
var errNoAudit = &call.Error{Code: "audit_unavailable", Message: "The audit log cannot be written."}

// checks are what readiness means: the ledger answers and can still be used, the sweeper is alive, there are credentials to dial with, and the audit
// log can be written. A queue that cannot be read
// is no reason to take the API away; an alert tells of it.
func (s *serving) checks(f *front) []service.Check {
	stale := 3 * s.config.SweepEvery()
	checks := []service.Check{
		{Name: "ledger", Look: func(ctx context.Context) error {
			_, err := s.app.Store.Ledger.Identity(ctx)
			return err
		}},
		{Name: "ledger-usable", Look: func(context.Context) error {
			select {
			case <-gone(s.app):
				return &call.Error{Code: call.CodeLedgerUnavailable, Message: "The ledger can no longer be used by this process."}
			default:
				return nil
			}
		}},
		{Name: "sweeper", Look: func(context.Context) error {
			if !s.app.SweptWithin(stale) {
				return errSweepStale
			}
			return nil
		}},
		{Name: "credentials", Look: s.app.CheckCredentials},
	}
	if f.audited == nil {
		return checks
	}
	return append(checks, service.Check{Name: "audit", Look: func(context.Context) error { // which also takes up a log that can be written again
		if err := f.audited(); err != nil {
			return fmt.Errorf("%w: %w", errNoAudit, err)
		}
		return nil
	}})
}

var _ app.Facts = (*service.Metrics)(nil)

var _ sqspoll.Queue = (*sqspoll.Client)(nil)
