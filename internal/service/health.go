package service

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// checkTime bounds one answer of readiness.
const checkTime = 2 * time.Second

// Check is one thing that must hold for this process to be given work.
type Check struct {
	Name string
	Look func(ctx context.Context) error // nil when it holds
}

// errDraining says that the process was told to end.
var errDraining = &call.Error{Code: "draining", Message: "The process was told to end."}

// Readiness is the answer of /readyz.
type Readiness struct {
	Ready  bool     `json:"ready"`
	Checks []Looked `json:"checks,omitempty"` // not told to whoever may not read the metrics
}

// Looked is what one check found. The code is stable; the log has the words.
type Looked struct {
	Name string    `json:"name"`
	OK   bool      `json:"ok"`
	Code call.Code `json:"code,omitempty"`
}

// health answers as long as the process can answer at all: a restart would not mend anything else.
func health(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write([]byte("ok\n"))
}

// Ready looks at every check.
func (s *Server) Ready(ctx context.Context) Readiness {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	all := Readiness{Ready: true}
	for _, c := range append([]Check{{Name: "draining", Look: s.notDraining}}, s.o.Checks...) {
		looked := Looked{Name: c.Name, OK: true}
		if err := c.Look(ctx); err != nil {
			looked.OK, looked.Code, all.Ready = false, "failed", false
			if told, ok := errors.AsType[*call.Error](err); ok {
				looked.Code = told.Code
			}
			s.o.Log.WarnContext(ctx, "not ready", slog.String("check", c.Name), slog.String("error", err.Error()))
		}
		all.Checks = append(all.Checks, looked)
	}
	return all
}

func (s *Server) notDraining(context.Context) error {
	if s.draining.Load() {
		return errDraining
	}
	return nil
}

// look is one look at every check, for all who ask while it lasts: nobody is asked who they are there, and a thousand of them must not read the
// ledger a thousand times.
type look struct {
	over   chan struct{}
	answer Readiness
}

// sharedReady answers with the look that lasts, or begins one.
func (s *Server) sharedReady(ctx context.Context) Readiness {
	s.looking.Lock()
	now := s.lasting
	begun := now == nil
	if begun {
		now = &look{over: make(chan struct{})}
		s.lasting = now
	}
	s.looking.Unlock()
	if !begun {
		<-now.over // within checkTime
		return now.answer
	}
	defer func() {
		s.looking.Lock()
		s.lasting = nil
		s.looking.Unlock()
		close(now.over)
	}()
	now.answer = s.Ready(context.WithoutCancel(ctx))
	s.o.Metrics.setReady(now.answer)
	return now.answer
}

// looked looks at the checks before the metrics are read: where nobody asks /readyz, as under systemd, ringonce_ready would say nothing.
func (s *Server) looked(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.sharedReady(r.Context())
		next.ServeHTTP(w, r)
	})
}

func (s *Server) readiness(w http.ResponseWriter, r *http.Request) {
	answer := s.sharedReady(r.Context())
	if !s.tells(r) {
		answer.Checks = nil
	}
	body, err := json.Marshal(answer)
	if err != nil {
		body = []byte(`{"ready":false}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	if !answer.Ready {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_, _ = w.Write(append(body, '\n'))
}
