package access_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/ringonce/ringonce/internal/access"
)

func TestWithoutCredentialsOnlyThisMachineIsAnsweredAndNoForeignPage(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	h := l.guard(func(o *access.Options) {
		*o = access.Options{Clock: l.clock, Log: l.logger(), Local: &access.LocalOptions{Hosts: []string{"desk.test"}}}
	})
	for name, c := range map[string]struct {
		method, host, remote string
		headers              map[string]string
		want                 int
	}{
		"a program":           {"POST", "127.0.0.1:7464", "127.0.0.1:5", nil, 200},
		"by name":             {"GET", "localhost:7464", "127.0.0.1:5", nil, 200},
		"IPv6":                {"GET", "[::1]:7464", "[::1]:5", nil, 200},
		"a name it was given": {"GET", "Desk.Test", "127.0.0.1:5", nil, 200},
		"its own page":        {"POST", "localhost:7464", "127.0.0.1:5", map[string]string{"Origin": "http://localhost:7464", "Sec-Fetch-Site": "same-origin"}, 200},
		"a name bound to us":  {"GET", "evil.example:7464", "127.0.0.1:5", nil, 403},
		"a name like ours":    {"GET", "localhost.evil.example", "127.0.0.1:5", nil, 403},
		"an address like":     {"GET", "127.0.0.1.evil.example", "127.0.0.1:5", nil, 403},
		"another address":     {"GET", "192.168.0.5:7464", "127.0.0.1:5", nil, 403},
		"another machine":     {"GET", "localhost:7464", "192.168.0.9:5", nil, 403},
		"a foreign page":      {"POST", "localhost:7464", "127.0.0.1:5", map[string]string{"Origin": "https://evil.example"}, 403},
		"a page that reads":   {"GET", "localhost:7464", "127.0.0.1:5", map[string]string{"Origin": "https://evil.example"}, 403},
		"a foreign frame":     {"POST", "localhost:7464", "127.0.0.1:5", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		"a link elsewhere":    {"GET", "localhost:7464", "127.0.0.1:5", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		"another port":        {"POST", "localhost:7464", "127.0.0.1:5", map[string]string{"Origin": "http://localhost:9999"}, 403},
		"no origin":           {"POST", "localhost:7464", "127.0.0.1:5", map[string]string{"Origin": "null"}, 403},
	} {
		r := httptest.NewRequest(c.method, "/v1/calls", http.NoBody)
		r.Host, r.RemoteAddr = c.host, c.remote
		for key, value := range c.headers {
			r.Header.Set(key, value)
		}
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != c.want {
			t.Errorf("%s: %d", name, w.Code)
		}
	}
	r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
	r.Host, r.RemoteAddr = "localhost", "127.0.0.1:5"
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if p := whoOf(t, w); !p.Anonymous {
		t.Errorf("%+v", p)
	}
}
