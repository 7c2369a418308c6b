package service

import (
	"net/http"

	"github.com/ringonce/ringonce/internal/problem"
)

// private asks for a credential where the options demand one.
func (s *Server) private(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.tells(r) {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("WWW-Authenticate", `Bearer realm="ringonce"`)
		w.Header().Set("Cache-Control", "no-store")
		problem.Write(w, problem.New(http.StatusUnauthorized, "unauthorized", "The request has no credential that may read this.",
			"Send the token of serve.metrics_token_file, or the credential of an operator, as Authorization: Bearer."))
	})
}

// tells reports whether a request may see more than whether the process is ready.
func (s *Server) tells(r *http.Request) bool { return s.o.Tells == nil || s.o.Tells(r) }
