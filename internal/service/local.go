package service

import (
	"net"
	"net/http"

	"github.com/ringonce/ringonce/internal/problem"
)

// onlyLocal protects a listener on loopback that asks nobody who they are from the browser of whoever works on this machine: a page elsewhere
// could send requests to it, by its address or by a name of its own that leads here. Names of this machine alone are served, and no request
// that another site began.
func onlyLocal(next http.Handler) http.Handler {
	guard := http.NewCrossOriginProtection()
	guard.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		problem.Write(w, problem.New(http.StatusForbidden, "cross_origin", "The request was begun by a page of another site.", "Send it from a program on this machine."))
	}))
	guarded := guard.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if !isLoopback(host) && !isLoopback(trimBrackets(host)) {
			problem.Write(w, problem.New(http.StatusForbidden, "foreign_host", "The Host header names another machine.", "Use http://127.0.0.1, or configure who may ask."))
			return
		}
		guarded.ServeHTTP(w, r)
	})
}

// trimBrackets takes the brackets off an IPv6 address without a port.
func trimBrackets(host string) string {
	if n := len(host); n > 2 && host[0] == '[' && host[n-1] == ']' {
		return host[1 : n-1]
	}
	return host
}
