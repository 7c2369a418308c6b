package access

import (
	"net"
	"net/http"
	"strings"

	"github.com/ringonce/ringonce/internal/problem"
)

// LocalOptions turn on access without a credential: the embedded default on loopback, and nothing else.
type LocalOptions struct {
	Hosts []string // further names of the Host header, besides localhost and addresses of loopback; without a port
}

// local keeps web pages away from a service without credentials. A page can make its visitor's browser send requests to loopback; what it cannot choose
// is the Host header, after a name was bound to another address, and the Origin.
type local struct {
	hosts map[string]bool
	cross *http.CrossOriginProtection
}

func newLocal(o LocalOptions) *local {
	l := &local{hosts: map[string]bool{"localhost": true}, cross: http.NewCrossOriginProtection()}
	for _, host := range o.Hosts {
		l.hosts[strings.ToLower(host)] = true
	}
	return l
}

func (l *local) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !loopbackPeer(r.RemoteAddr):
			deny(w, http.StatusForbidden, "not_local", "This service answers without a credential, so it answers this machine only.", "Configure access, or ask from this machine.")
		case !l.known(r.Host):
			deny(w, http.StatusForbidden, "host_unknown", "The Host header names another server.", "Ask for localhost or 127.0.0.1.")
		case !l.origin(r):
			deny(w, http.StatusForbidden, "cross_origin", "The request comes from a page of another origin.", "Ask without a browser, or from the page of this service.")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func deny(w http.ResponseWriter, status int, code, detail, fix string) {
	problem.Write(w, problem.New(status, code, detail, fix))
}

// origin refuses foreign pages. CrossOriginProtection lets GET pass, because a page cannot read the answer; here it is refused as well when it names a foreign
// origin, since what is listed are people's calls.
func (l *local) origin(r *http.Request) bool {
	if l.cross.Check(r) != nil {
		return false
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" {
		return false
	}
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return true
	}
	host, ok := strings.CutPrefix(origins[0], "http://")
	if !ok {
		host, ok = strings.CutPrefix(origins[0], "https://")
	}
	return ok && len(origins) == 1 && strings.EqualFold(host, r.Host)
}

func (l *local) known(host string) bool {
	name := host
	if split, _, err := net.SplitHostPort(host); err == nil {
		name = split
	}
	name = strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(name, "["), "]"))
	if ip := net.ParseIP(name); ip != nil {
		return ip.IsLoopback()
	}
	return l.hosts[name]
}

func loopbackPeer(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && net.ParseIP(host).IsLoopback()
}

// OnlyLocal lets through what a program of this machine asks, and nothing that a page of another origin began. It is for the paths of a service
// that ask nobody who they are, beside those that a [Guard] wraps.
func OnlyLocal(o LocalOptions, next http.Handler) http.Handler { return newLocal(o).wrap(next) }
