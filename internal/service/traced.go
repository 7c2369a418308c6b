package service

import (
	"net/http"
)

// traced answers each request of the API within a trace. What panics has failed.
func (s *Server) traced(next http.Handler, route func(*http.Request) string) http.Handler {
	if s.o.Traced == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, end := s.o.Traced(r, route(r))
		a := &answer{ResponseWriter: w}
		ended := false
		defer func() {
			switch {
			case !ended && a.status == 0:
				a.status = http.StatusInternalServerError
			case a.status == 0:
				a.status = http.StatusOK
			}
			end(a.status)
		}()
		next.ServeHTTP(a, r.WithContext(ctx))
		ended = true
	})
}
