package service_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/service"
)

// served serves on loopback until the test ends, and returns the address.
func served(t *testing.T, change func(*service.Options)) string {
	t.Helper()
	s, _, _ := newServer(t, change)
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		end()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

func connected(t *testing.T, address string) net.Conn {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// answered sends a request as it is written and returns the status of the answer; 0 is a connection that was closed instead.
func answered(t *testing.T, conn net.Conn, request string) int {
	t.Helper()
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, request); err != nil {
		return 0
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		t.Error(err)
	}
	return response.StatusCode
}

const aQuestion = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"

func TestTenThousandIdleConnectionsShutNobodyOutAndAreNotAllKept(t *testing.T) {
	t.Parallel()
	const most, opened = 200, 10_000
	address := served(t, func(o *service.Options) {
		o.Limits.Connections, o.Limits.HeaderTime, o.Limits.ReadTime = most, time.Minute, time.Minute
	})
	regular := connected(t, address)
	first := connected(t, address)
	for n := range opened {
		conn := connected(t, address)
		// The newest is answered first: until then the service may be some hundred connections behind.
		if n%(most/2) == 0 && (answered(t, conn, aQuestion) != http.StatusOK || answered(t, regular, aQuestion) != http.StatusOK) {
			t.Fatalf("a client that goes on asking is shut out by %d idle connections", n)
		}
		if n >= 2*most {
			_ = conn.Close() // this process has no ten thousand files; the service sees each come and say nothing
		}
	}
	if err := first.SetReadDeadline(time.Now().Add(3 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := first.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("the connection that waited longest was kept beyond the bound")
	}
	if status := answered(t, connected(t, address), aQuestion); status != http.StatusOK {
		t.Errorf("a new client: %d", status)
	}
}

func TestWhereEveryConnectionIsAtARequestTheNewestIsClosed(t *testing.T) {
	t.Parallel()
	begun, end := make(chan struct{}, 2), make(chan struct{})
	address := served(t, func(o *service.Options) {
		o.Limits.Connections = 2
		o.API = http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			begun <- struct{}{}
			<-end
		})
	})
	statuses := make(chan int, 2)
	for range 2 {
		conn := connected(t, address)
		go func() { statuses <- answered(t, conn, "GET /v1/calls HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n") }()
		<-begun
	}
	if status := answered(t, connected(t, address), aQuestion); status != 0 {
		t.Errorf("a third connection is answered %d", status)
	}
	close(end)
	for range 2 {
		if status := <-statuses; status != http.StatusOK {
			t.Errorf("a request in the making: %d", status)
		}
	}
}

// What one server reads as the end of a request and another as its middle hides a request in a request.
func TestARequestWhoseEndIsAmbiguousIsRefusedAndItsConnectionClosed(t *testing.T) {
	t.Parallel()
	var bodies []string
	address := served(t, func(o *service.Options) {
		o.API = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			bodies = append(bodies, fmt.Sprintf("%s %q %v", r.Method, body, err != nil))
		})
	})
	const hidden = "GET /v1/hidden HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
	for name, request := range map[string]string{
		"two lengths":                    "POST /v1/calls HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
		"a length with a sign":           "POST /v1/calls HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: +2\r\n\r\nab",
		"a transfer coding nobody knows": "POST /v1/calls HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + hidden,
		"two transfer codings":           "POST /v1/calls HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n" + hidden,
		"a blank before the colon":       "POST /v1/calls HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length : 2\r\n\r\nab",
		"two hosts":                      "POST /v1/calls HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: other\r\nContent-Length: 0\r\n\r\n",
		"a line feed in a header":        "POST /v1/calls HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: b\rc\r\nContent-Length: 0\r\n\r\n",
	} {
		conn := connected(t, address)
		status := answered(t, conn, request)
		rest, err := io.ReadAll(conn)
		if status < 400 || status >= 600 || strings.Contains(string(rest), "HTTP/1.1 200") {
			t.Errorf("%s: %d, then %q, %v", name, status, rest, err)
		}
	}
	if len(bodies) != 0 {
		t.Errorf("the API was asked: %v", bodies)
	}
}

func TestAChunkThatLiesAboutItsLengthIsNoBody(t *testing.T) {
	t.Parallel()
	failed := make(chan bool, 4)
	address := served(t, func(o *service.Options) {
		o.Limits.Body, o.Limits.ReadTime = 1<<10, 300*time.Millisecond
		o.API = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, err := io.ReadAll(r.Body)
			failed <- err != nil
		})
	})
	for _, chunks := range []string{"ffffffffffffffff\r\nab\r\n0\r\n\r\n", "2\r\nabc\r\n0\r\n\r\n", "-2\r\nab\r\n0\r\n\r\n", "800\r\n" + strings.Repeat("a", 0x800) + "\r\n0\r\n\r\n"} {
		conn := connected(t, address)
		answered(t, conn, "POST /v1/calls HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"+chunks)
		if !<-failed {
			t.Errorf("%.20q was read as a whole body", chunks)
		}
	}
}
