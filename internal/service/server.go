package service

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/problem"
)

// Server is the service. Make it with [New].
type Server struct {
	o        Options
	handler  http.Handler
	draining atomic.Bool
	working  sync.WaitGroup // requests of the API

	looking sync.Mutex
	lasting *look // at readiness; nil when nobody looks
}

// lastTime is how long requests may take after their contexts have ended.
const lastTime = 5 * time.Second

// New returns a server, or an error that says which part is missing.
func New(o Options) (*Server, error) {
	if o.Clock == nil || o.Log == nil || o.Metrics == nil {
		return nil, errors.New("service: Clock, Log and Metrics are required")
	}
	o.Limits = o.Limits.complete()
	if o.Drain <= 0 {
		o.Drain = DefaultDrain
	}
	if o.API == nil {
		o.API = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			problem.Write(w, problem.New(http.StatusNotFound, "not_found", "There is nothing at this path.", "Look at /openapi.yaml."))
		})
	}
	s := &Server{o: o}
	route, err := routes(o.Routes)
	if err != nil {
		return nil, err
	}
	own := http.NewServeMux()
	for pattern, h := range map[string]http.Handler{
		"GET /healthz": http.HandlerFunc(health), "GET /readyz": http.HandlerFunc(s.readiness), "GET /metrics": s.private(s.looked(o.Metrics.Handler())),
	} {
		name := pattern[len("GET "):]
		own.Handle(pattern, s.observed(h, func(*http.Request) string { return name }, slog.LevelDebug))
	}
	api := s.bounded(http.MaxBytesHandler(o.API, o.Limits.Body), o.Limits.Concurrent)
	own.Handle("/", s.traced(s.observed(api, route, slog.LevelInfo), route))
	s.handler = own
	if o.Anonymous {
		s.handler = access.OnlyLocal(access.LocalOptions{}, own)
	}
	return s, nil
}

// Handler returns everything that the service answers.
func (s *Server) Handler() http.Handler { return s.handler }

// Drain makes readiness fail, so that no new work is sent here. Serve does it when its context ends.
func (s *Server) Drain() { s.draining.Store(true) }

// Serve answers on a listener until ctx ends, which is no error. Then nothing new is accepted, what is being answered has the drain time, and
// what takes longer is canceled. No request is being answered when it returns, unless it ignored the end of its context.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	requests, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	server := &http.Server{
		Handler: s.handler, ReadHeaderTimeout: s.o.Limits.HeaderTime, ReadTimeout: s.o.Limits.ReadTime, WriteTimeout: s.o.Limits.WriteTime,
		IdleTimeout: s.o.Limits.IdleTime, MaxHeaderBytes: maxHeaderBytes, BaseContext: func(net.Listener) context.Context { return requests },
		ConnState: newConnections(s.o.Limits.Connections).state,
		ErrorLog:  slog.NewLogLogger(s.o.Log.Handler(), slog.LevelDebug),
	}
	if s.o.TLS != nil {
		server.TLSConfig = s.o.TLS.Config()
		l = tls.NewListener(l, server.TLSConfig)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	s.Drain()
	drain, over := context.WithCancel(context.WithoutCancel(ctx))
	defer over()
	go func() {
		defer over()
		_ = s.o.Clock.Sleep(drain, s.o.Drain)
	}()
	if err := server.Shutdown(drain); err != nil {
		cut()
		s.o.Log.WarnContext(ctx, "requests were cut off", slog.Bool("ended", s.wait(ctx)))
		if err := server.Close(); err != nil {
			return err
		}
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// wait waits a moment for requests whose contexts have ended.
func (s *Server) wait(ctx context.Context) bool {
	idle, over := make(chan struct{}), make(chan struct{})
	timer, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	go func() {
		defer close(idle)
		s.working.Wait()
	}()
	go func() {
		defer close(over)
		_ = s.o.Clock.Sleep(timer, lastTime)
	}()
	select {
	case <-idle:
		return true
	case <-over:
		return false
	}
}
