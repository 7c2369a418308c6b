package sim

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
)

// line is HTTP between clients and a service over connections in memory: the standard library's client and server, and no socket.
type line struct {
	server *http.Server
	client *http.Client
	far    *farEnd
	served sync.WaitGroup // the server's own loop

	mu   sync.Mutex
	sent int
	ends map[string]chan struct{} // of requests that are being answered
}

// turnHeader numbers the requests of a line, so that each is known to be over.
const turnHeader = "X-Turn"

func newLine(handler http.Handler) *line {
	l := &line{far: &farEnd{conns: make(chan net.Conn), closed: make(chan struct{})}, ends: map[string]chan struct{}{}}
	l.server = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { //nolint:gosec // nobody but the world itself is slow
		defer close(l.end(r.Header.Get(turnHeader)))
		handler.ServeHTTP(w, r)
	})}
	l.client = &http.Client{Transport: &http.Transport{DialContext: l.far.dial, DisableKeepAlives: true}}
	l.served.Go(func() { _ = l.server.Serve(l.far) })
	return l
}

func (l *line) end(turn string) chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ends[turn]
}

// begin numbers a request.
func (l *line) begin() (turn string, end chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent++
	turn, end = strconv.Itoa(l.sent), make(chan struct{})
	l.ends[turn] = end
	return turn, end
}

// send sends a request and waits until the service is done with it: a client that hangs up ends nothing there.
func (l *line) send(r *http.Request) (spoken, error) {
	if err := r.Context().Err(); err != nil {
		return spoken{}, err //nolint:wrapcheck // the client's own end
	}
	turn, end := l.begin()
	r.Header.Set(turnHeader, turn)
	response, err := l.client.Do(r)
	if err != nil {
		<-end
		return spoken{}, fmt.Errorf("ask: %w", err)
	}
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	<-end
	if err != nil {
		return spoken{}, fmt.Errorf("read an answer: %w", err)
	}
	return spoken{response.StatusCode, response.Header.Get(replayedHeader) != "", body}, nil
}

func (l *line) close() {
	_ = l.server.Close()
	l.served.Wait()
}

// farEnd is the listener of a line.
type farEnd struct {
	conns  chan net.Conn
	once   sync.Once
	closed chan struct{}
}

func (f *farEnd) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case f.conns <- far:
		return near, nil
	case <-f.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err() //nolint:wrapcheck // the client's own end
	}
}

// Accept implements net.Listener.
func (f *farEnd) Accept() (net.Conn, error) {
	select {
	case c := <-f.conns:
		return c, nil
	case <-f.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (f *farEnd) Close() error {
	f.once.Do(func() { close(f.closed) })
	return nil
}

// Addr implements net.Listener.
func (*farEnd) Addr() net.Addr { return &net.UnixAddr{Name: "service", Net: "memory"} }
