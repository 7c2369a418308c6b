package service

import (
	"net/http"

	"github.com/ringonce/ringonce/internal/problem"
)

// bounded answers at most n requests at once. The next is told at once to come again: a queue of requests would only answer all of them late.
func (s *Server) bounded(next http.Handler, n int) http.Handler {
	slots := make(chan struct{}, n)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case slots <- struct{}{}:
		default:
			s.o.Metrics.rejected.Inc()
			comeAgain(w, overloaded())
			return
		}
		defer func() { <-slots }()
		s.working.Add(1)
		defer s.working.Done()
		s.o.Metrics.inFlight.Inc()
		defer s.o.Metrics.inFlight.Dec()
		next.ServeHTTP(w, r)
	})
}

func overloaded() problem.Document {
	return problem.New(http.StatusServiceUnavailable, "overloaded", "More requests are being answered than serve.limits.concurrent permits.",
		"Send it again after the time of Retry-After, with the same key.")
}

// comeAgain answers a request that was not begun: nothing of it was accepted.
func comeAgain(w http.ResponseWriter, why problem.Document) {
	w.Header().Set("Retry-After", "1")
	problem.Write(w, why)
}
