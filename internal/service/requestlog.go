package service

import (
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/problem"
)

// answer remembers the status of a response.
type answer struct {
	http.ResponseWriter

	status int
}

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 && status >= http.StatusOK {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (a *answer) Write(p []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	return a.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController reach what is behind.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// observed counts each request and writes one line of it: no query, no path, no body, as any of them may hold an id or a number.
func (s *Server) observed(next http.Handler, route func(*http.Request) string, level slog.Level) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := s.o.Clock.Now()
		name, method := route(r), methodOf(r)
		a := &answer{ResponseWriter: w}
		defer func() {
			failure := recover()
			if failure != nil && failure != http.ErrAbortHandler { //nolint:errorlint // the value itself, as net/http compares it
				// What was panicked with may quote a request; its type and the place cannot.
				s.o.Log.ErrorContext(r.Context(), "panic", slog.String("route", name), slog.String("type", fmt.Sprintf("%T", failure)), slog.String("stack", string(debug.Stack())))
				if a.status == 0 {
					problem.Write(a, problem.New(http.StatusInternalServerError, "internal", "The request could not be answered.", "Send it again, with the same key; the log of the service says what happened."))
				}
			}
			if a.status == 0 {
				a.status = http.StatusOK
			}
			took := s.o.Clock.Now().Sub(began)
			s.o.Metrics.requests.WithLabelValues(method, name, strconv.Itoa(a.status)).Inc()
			s.o.Metrics.requestTime.WithLabelValues(name).Observe(took.Seconds())
			s.o.Log.LogAttrs(r.Context(), level, "request", slog.String("method", method), slog.String("route", name),
				slog.Int("status", a.status), slog.Duration("took", took.Round(time.Microsecond)))
			if failure == http.ErrAbortHandler { //nolint:errorlint // as above
				panic(failure)
			}
		}()
		next.ServeHTTP(a, r)
	})
}

// methods are the names that become labels; a client may send any word.
var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions}

func methodOf(r *http.Request) string {
	if slices.Contains(methods, r.Method) {
		return r.Method
	}
	return "other"
}

// otherRoute names what matches no route.
const otherRoute = "other"

// routes returns what names a request by the patterns of an API. A pattern that cannot be is an error of the program, found when it starts.
func routes(patterns []string) (name func(*http.Request) string, err error) {
	defer func() {
		if failure := recover(); failure != nil { // http.ServeMux says so in this way only
			err = fmt.Errorf("a route of the API cannot be registered: %v", failure)
		}
	}()
	mux := http.NewServeMux()
	for _, pattern := range patterns {
		mux.Handle(pattern, http.NotFoundHandler())
	}
	return func(r *http.Request) string {
		_, pattern := mux.Handler(r)
		if _, path, found := strings.Cut(pattern, " "); found {
			pattern = path
		}
		if pattern == "" || pattern == "/" {
			return otherRoute
		}
		return pattern
	}, nil
}
