package runtimeapitest

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"time"
)

const (
	root      = "/2018-06-01/runtime"
	requestID = "Lambda-Runtime-Aws-Request-Id"
)

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+root+"/invocation/next", s.serveNext)
	mux.HandleFunc("POST "+root+"/invocation/{id}/response", func(w http.ResponseWriter, r *http.Request) {
		s.answer(w, r, func(body []byte) (Result, bool) { return Result{Body: body}, true })
	})
	mux.HandleFunc("POST "+root+"/invocation/{id}/error", func(w http.ResponseWriter, r *http.Request) {
		s.answer(w, r, func(body []byte) (Result, bool) {
			fail, ok := functionError(body)
			return Result{Err: &fail}, ok
		})
	})
	mux.HandleFunc("POST "+root+"/init/error", s.serveInitError)
	return mux
}

// serveNext waits for an invocation. A client that goes away while it waits takes none with it.
func (s *Server) serveNext(w http.ResponseWriter, r *http.Request) {
	var f *flight
	select {
	case f = <-s.next:
	case <-r.Context().Done():
		return
	case <-s.closed:
		http.Error(w, "closed", http.StatusServiceUnavailable)
		return
	}
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set(requestID, f.id)
	header.Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(time.Now().Add(f.timeout).UnixMilli(), 10))
	header.Set("Lambda-Runtime-Invoked-Function-Arn", functionARN)
	header.Set("Lambda-Runtime-Trace-Id", "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Parent=9a9197af755a6419;Sampled=1")
	_, _ = w.Write(f.payload) // a client that is gone is seen by whoever waits for its answer
}

// answer takes a response or an error: 202, 400 for an unknown id or a body that cannot be read, 403 for a second answer.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, read func([]byte) (Result, bool)) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		refuse(w, http.StatusRequestEntityTooLarge, "RequestEntityTooLarge")
		return
	}
	result, ok := read(body)
	s.mu.Lock()
	f, known := s.flights[r.PathValue("id")]
	again := known && f.answered
	if known && ok {
		f.answered = true
	}
	s.mu.Unlock()
	switch {
	case !known || !ok:
		refuse(w, http.StatusBadRequest, "InvalidRequestID")
	case again:
		refuse(w, http.StatusForbidden, "InvalidStateTransition")
	default:
		f.answer <- result
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, `{"status":"OK"}`)
	}
}

func (s *Server) serveInitError(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	fail, ok := functionError(body)
	if err != nil || !ok {
		refuse(w, http.StatusBadRequest, "InvalidRequest")
		return
	}
	select {
	case s.initFail <- fail:
	default: // one is enough
	}
	w.WriteHeader(http.StatusAccepted)
	_, _ = io.WriteString(w, `{"status":"OK"}`)
}

func functionError(body []byte) (FunctionError, bool) {
	var fail FunctionError
	err := json.Unmarshal(body, &fail)
	return fail, err == nil && (fail.Type != "" || fail.Message != "")
}

func refuse(w http.ResponseWriter, status int, kind string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, `{"errorType":"`+kind+`","errorMessage":"`+kind+`"}`)
}
