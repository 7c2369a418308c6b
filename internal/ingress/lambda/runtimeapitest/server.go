package runtimeapitest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// The limits of Lambda: 6 MB for a request or a response of a synchronous invocation, and some for its framing.
const (
	maxBody     = 6<<20 + 64<<10
	functionARN = "arn:aws:lambda:us-east-1:111122223333:function:ringonce"
)

// Server is the Runtime API of one execution environment. It is safe for concurrent use.
type Server struct {
	http     *http.Server
	addr     string
	next     chan *flight  // handed to the runtime that asks for the next invocation
	closed   chan struct{} // ends every wait
	initFail chan FunctionError

	mu      sync.Mutex
	flights map[string]*flight // by request id; answered ones stay, so that a second answer is refused
	open    map[net.Conn]bool
	seq     int
}

// Invocation is one event for the function.
type Invocation struct {
	Payload []byte
	// Timeout is how long the function may take; it becomes the deadline header. Zero means 30 s.
	Timeout time.Duration
	// RequestID is given again when Lambda retries an asynchronous invocation. Empty means a new one.
	RequestID string
}

// Result is what the function answered.
type Result struct {
	Body []byte         // of a response
	Err  *FunctionError // of an error; nil for a response
}

// FunctionError is what the function posted as an error.
type FunctionError struct {
	Type    string `json:"errorType"`
	Message string `json:"errorMessage"`
}

// Error returns type and message.
func (e FunctionError) Error() string { return e.Type + ": " + e.Message }

type flight struct {
	id       string
	payload  []byte
	timeout  time.Duration
	answer   chan Result // buffered
	answered bool
}

// ErrClosed says that the server was closed while something waited for it.
var ErrClosed = errors.New("the runtime API is closed")

// Start listens on a free port of the loopback interface.
func Start(ctx context.Context) (*Server, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen on loopback: %w", err)
	}
	s := &Server{
		addr: listener.Addr().String(), next: make(chan *flight), closed: make(chan struct{}), initFail: make(chan FunctionError, 1),
		flights: map[string]*flight{}, open: map[net.Conn]bool{},
	}
	s.http = &http.Server{
		Handler: s.routes(), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 1 << 20, ConnState: s.connState,
	}
	go func() { _ = s.http.Serve(listener) }() // it ends with Close, and says so
	return s, nil
}

// Addr returns the value of AWS_LAMBDA_RUNTIME_API.
func (s *Server) Addr() string { return s.addr }

// Close ends the server and every wait on it.
func (s *Server) Close() error {
	s.mu.Lock()
	select {
	case <-s.closed:
	default:
		close(s.closed)
	}
	s.mu.Unlock()
	return s.http.Close()
}

// Invoke hands an event to the next runtime that asks and waits for its answer. It returns an error when the context ends first,
// as when the function was killed, or when the function reports that it could not start.
func (s *Server) Invoke(ctx context.Context, in Invocation) (Result, error) {
	f := s.admit(in)
	select {
	case s.next <- f:
	case fail := <-s.initFail:
		return Result{}, fmt.Errorf("the function did not start: %w", fail)
	case <-s.closed:
		return Result{}, ErrClosed
	case <-ctx.Done():
		return Result{}, fmt.Errorf("no runtime asked for the event: %w", ctx.Err())
	}
	select {
	case result := <-f.answer:
		return result, nil
	case <-s.closed:
		return Result{}, ErrClosed
	case <-ctx.Done():
		return Result{}, fmt.Errorf("the runtime did not answer: %w", ctx.Err())
	}
}

func (s *Server) admit(in Invocation) *flight {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seq++
	f := &flight{id: in.RequestID, payload: in.Payload, timeout: in.Timeout, answer: make(chan Result, 1)}
	if f.id == "" {
		f.id = fmt.Sprintf("8476a536-e9f4-11e8-9739-%012d", s.seq)
	}
	if f.timeout == 0 {
		f.timeout = 30 * time.Second
	}
	s.flights[f.id] = f
	return f
}

// Quiet waits until no connection is open: a killed function cannot take an event with it into its grave anymore.
func (s *Server) Quiet(ctx context.Context) error {
	for {
		s.mu.Lock()
		open := len(s.open)
		s.mu.Unlock()
		if open == 0 {
			return nil
		}
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("%d connections are still open: %w", open, ctx.Err())
		}
	}
}

func (s *Server) connState(conn net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch state {
	case http.StateNew, http.StateActive, http.StateIdle:
		s.open[conn] = true
	case http.StateClosed, http.StateHijacked:
		delete(s.open, conn)
	}
}
