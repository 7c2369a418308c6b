package connectemu

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"
)

// RoundTripper returns a transport that hands requests to the emulator without a socket: for simulations, benchmarks and tests
// under testing/synctest. What a socket would break, it breaks too: a reset is a *net.OpError that wraps syscall.ECONNRESET, a
// truncated body ends in io.ErrUnexpectedEOF, and a request whose context ends returns at once while the emulator goes on with it.
func (s *Server) RoundTripper() http.RoundTripper { return roundTripper{s} }

type roundTripper struct{ handler http.Handler }

// RoundTrip implements http.RoundTripper.
func (t roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx := r.Context()
	if err := ctx.Err(); err != nil {
		closeBody(r)
		return nil, err
	}
	body, err := takeBody(r)
	if err != nil {
		return nil, err
	}
	served := r.Clone(ctx)
	served.RequestURI = r.URL.RequestURI()
	served.RemoteAddr = "127.0.0.1:0"
	served.Body = io.NopCloser(bytes.NewReader(body))
	served.ContentLength = int64(len(body))
	if served.Host == "" {
		served.Host = r.URL.Host
	}
	done := make(chan *memoryWriter, 1)
	go func() {
		w := &memoryWriter{header: make(http.Header)}
		defer func() { done <- w }()
		w.run(t.handler, served)
	}()
	select {
	case w := <-done:
		return w.response(r)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func closeBody(r *http.Request) {
	if r.Body != nil {
		_ = r.Body.Close() // nothing was read from it
	}
}

func takeBody(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	body, err := io.ReadAll(r.Body)
	if err = errors.Join(err, r.Body.Close()); err != nil {
		return nil, fmt.Errorf("connectemu: reading the request body: %w", err)
	}
	return body, nil
}

// memoryWriter is an http.ResponseWriter that keeps what is written. It cannot be hijacked.
type memoryWriter struct {
	header  http.Header
	status  int
	body    bytes.Buffer
	aborted bool
}

// Header implements http.ResponseWriter.
func (w *memoryWriter) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *memoryWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

// Write implements http.ResponseWriter.
func (w *memoryWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}

// run calls the handler and notes when it aborts, as net/http does.
func (w *memoryWriter) run(h http.Handler, r *http.Request) {
	defer func() {
		if p := recover(); p != nil {
			if err, ok := p.(error); !ok || !errors.Is(err, http.ErrAbortHandler) {
				panic(p)
			}
			w.aborted = true
		}
	}()
	h.ServeHTTP(w, r)
	w.WriteHeader(http.StatusOK)
}

func (w *memoryWriter) response(r *http.Request) (*http.Response, error) {
	if w.aborted && w.status == 0 {
		return nil, &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
	}
	var body io.Reader = bytes.NewReader(w.body.Bytes())
	if w.aborted {
		body = io.MultiReader(body, brokenBody{})
	}
	return &http.Response{
		Status: fmt.Sprintf("%d %s", w.status, http.StatusText(w.status)), StatusCode: w.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: w.header, Body: io.NopCloser(body),
		ContentLength: w.contentLength(), Request: r,
	}, nil
}

func (w *memoryWriter) contentLength() int64 {
	if w.aborted {
		return -1
	}
	return int64(w.body.Len())
}

// brokenBody is the rest of a body that never comes.
type brokenBody struct{}

// Read implements io.Reader.
func (brokenBody) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
