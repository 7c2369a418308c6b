package runtimeapitest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// runtime is a runtime that a test plays by hand.
type runtime struct {
	t      *testing.T
	server *Server
	client *http.Client
}

func newRuntime(t *testing.T) *runtime {
	t.Helper()
	s, err := Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return &runtime{t: t, server: s, client: &http.Client{Transport: &http.Transport{}}}
}

func (r *runtime) do(ctx context.Context, method, path string, body []byte) (*http.Response, []byte) {
	r.t.Helper()
	request, err := http.NewRequestWithContext(ctx, method, "http://"+r.server.Addr()+root+path, bytes.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	response, err := r.client.Do(request)
	if err != nil {
		r.t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return response, content
}

// invoked starts an invocation and returns where its result arrives.
func (r *runtime) invoked(in Invocation) <-chan Result {
	results := make(chan Result, 1)
	go func() {
		defer close(results)
		if result, err := r.server.Invoke(r.t.Context(), in); err == nil {
			results <- result
		}
	}()
	return results
}

func TestAnInvocationReachesTheRuntimeAndItsAnswerTheCaller(t *testing.T) {
	t.Parallel()
	r := newRuntime(t)
	results := r.invoked(Invocation{Payload: []byte(`{"a":1}`), RequestID: "id-1", Timeout: time.Minute})
	response, payload := r.do(t.Context(), http.MethodGet, "/invocation/next", nil)
	if string(payload) != `{"a":1}` || response.Header.Get(requestID) != "id-1" {
		t.Errorf("got %s with %v", payload, response.Header)
	}
	for _, name := range []string{"Lambda-Runtime-Deadline-Ms", "Lambda-Runtime-Invoked-Function-Arn", "Lambda-Runtime-Trace-Id"} {
		if response.Header.Get(name) == "" {
			t.Errorf("the header %s is missing", name)
		}
	}
	if response, _ := r.do(t.Context(), http.MethodPost, "/invocation/id-1/response", []byte("done")); response.StatusCode != http.StatusAccepted {
		t.Errorf("got %s", response.Status)
	}
	if result := <-results; string(result.Body) != "done" || result.Err != nil {
		t.Errorf("got %+v", result)
	}
}

func TestAnErrorReachesTheCaller(t *testing.T) {
	t.Parallel()
	r := newRuntime(t)
	results := r.invoked(Invocation{RequestID: "id-1"})
	r.do(t.Context(), http.MethodGet, "/invocation/next", nil)
	r.do(t.Context(), http.MethodPost, "/invocation/id-1/error", []byte(`{"errorType":"T","errorMessage":"m"}`))
	if result := <-results; result.Err == nil || result.Err.Error() != "T: m" {
		t.Errorf("got %+v", result)
	}
}

func TestAnswersThatLambdaWouldRefuseAreRefused(t *testing.T) {
	t.Parallel()
	r := newRuntime(t)
	results := r.invoked(Invocation{RequestID: "id-1"})
	r.do(t.Context(), http.MethodGet, "/invocation/next", nil)
	steps := []struct {
		path, body string
		want       int
	}{
		{"/invocation/unknown/response", "x", http.StatusBadRequest},
		{"/invocation/id-1/error", "no JSON", http.StatusBadRequest},
		{"/invocation/id-1/response", strings.Repeat("x", maxBody+1), http.StatusRequestEntityTooLarge},
		{"/invocation/id-1/response", "first", http.StatusAccepted},
		{"/invocation/id-1/response", "second", http.StatusForbidden},
		{"/invocation/id-1/error", `{"errorType":"T"}`, http.StatusForbidden},
		{"/init/error", "no JSON", http.StatusBadRequest},
	}
	for _, step := range steps {
		if response, _ := r.do(t.Context(), http.MethodPost, step.path, []byte(step.body)); response.StatusCode != step.want {
			t.Errorf("%s %.20s: got %s, want %d", step.path, step.body, response.Status, step.want)
		}
	}
	if result := <-results; string(result.Body) != "first" {
		t.Errorf("got %+v", result)
	}
}

func TestARuntimeThatGoesAwayTakesNoInvocationWithIt(t *testing.T) {
	t.Parallel()
	r := newRuntime(t)
	gone, leave := context.WithCancel(t.Context())
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		request, err := http.NewRequestWithContext(gone, http.MethodGet, "http://"+r.server.Addr()+root+"/invocation/next", nil)
		if err != nil {
			return
		}
		if response, err := r.client.Do(request); err == nil {
			_ = response.Body.Close()
		}
	}()
	leave()
	<-asked
	r.client.CloseIdleConnections()
	if err := r.server.Quiet(t.Context()); err != nil {
		t.Fatal(err)
	}
	results := r.invoked(Invocation{RequestID: "id-1"})
	if response, _ := r.do(t.Context(), http.MethodGet, "/invocation/next", nil); response.Header.Get(requestID) != "id-1" {
		t.Errorf("got %v", response.Header)
	}
	r.do(t.Context(), http.MethodPost, "/invocation/id-1/response", []byte("done"))
	<-results
}

func TestAWaitEndsWithItsContextItsServerOrAnInitError(t *testing.T) {
	t.Parallel()
	r := newRuntime(t)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.server.Invoke(over, Invocation{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	r.do(t.Context(), http.MethodPost, "/init/error", []byte(`{"errorType":"Runtime.ExitError","errorMessage":"no configuration"}`))
	fail, ok := errors.AsType[FunctionError](invokeError(t, r.server))
	if !ok || fail.Message != "no configuration" {
		t.Errorf("got %v", fail)
	}
	if err := r.server.Close(); err != nil {
		t.Error(err)
	}
	if err := invokeError(t, r.server); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
}

func invokeError(t *testing.T, s *Server) error {
	t.Helper()
	_, err := s.Invoke(t.Context(), Invocation{})
	return err
}
