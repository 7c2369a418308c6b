package service_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/service"
)

func TestASlowHeaderIsGivenUp(t *testing.T) {
	t.Parallel()
	s, _, _ := newServer(t, func(o *service.Options) { o.Limits.HeaderTime = 20 * time.Millisecond })
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, l) }()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(conn); err != nil { // it ends only when the server closes the connection
		t.Error(err)
	}
	end()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

func TestNoPathTellsOfTheProcessItself(t *testing.T) {
	t.Parallel()
	s, _, _ := newServer(t, nil)
	for _, path := range []string{"/debug/pprof/", "/debug/pprof/heap", "/debug/vars", "/debug/requests", "/env", "/config"} {
		if w := ask(s, http.MethodGet, path); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}
