package clitest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// function is the far side of the Lambda Runtime API: it hands events to whatever program polls it
// (docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html).
type function struct {
	events  chan []byte
	answers chan answer
	ending  chan struct{}
}

// answer is what a function sent back.
type answer struct {
	failed bool
	body   string
}

// invocationTime is how long an invocation may take, which the function reads from a header.
const invocationTime = 60 * time.Second

func runtimeAPI(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: runtimeapi")
	}
	f := &function{events: make(chan []byte), answers: make(chan answer, 1), ending: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /2018-06-01/runtime/invocation/next", f.next)
	mux.HandleFunc("POST /2018-06-01/runtime/invocation/{id}/response", f.take(false))
	mux.HandleFunc("POST /2018-06-01/runtime/invocation/{id}/error", f.take(true))
	server := httptest.NewServer(mux)
	ts.Defer(func() {
		close(f.ending)
		server.Close()
	})
	stateOf(ts).function = f
	ts.Setenv("AWS_LAMBDA_RUNTIME_API", strings.TrimPrefix(server.URL, "http://"))
}

func (f *function) next(w http.ResponseWriter, r *http.Request) {
	select {
	case event := <-f.events:
		w.Header().Set("Lambda-Runtime-Aws-Request-Id", "8476a536-e9f4-11e8-9739-2dfe598c3fcd")
		w.Header().Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(time.Now().Add(invocationTime).UnixMilli(), 10))
		w.Header().Set("Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:us-east-1:111122223333:function:ringonce")
		w.Header().Set("Lambda-Runtime-Trace-Id", "Root=1-67891233-abcdef012345678912345678;Parent=53995c3f42cd8ad8;Sampled=0")
		_, _ = w.Write(event)
	case <-r.Context().Done():
	case <-f.ending:
	}
}

func (f *function) take(failed bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		f.answers <- answer{failed, string(body)}
		w.WriteHeader(http.StatusAccepted)
	}
}

func invoke(ts *testscript.TestScript, neg bool, args []string) {
	f := stateOf(ts).function
	if neg || len(args) != 1 || f == nil {
		ts.Fatalf("usage, after runtimeapi: invoke FILE")
	}
	timeout := time.After(patience)
	select {
	case f.events <- []byte(ts.ReadFile(args[0])):
	case <-timeout:
		ts.Fatalf("no function polls for events")
	}
	select {
	case a := <-f.answers:
		to := ts.Stdout()
		if a.failed {
			to = ts.Stderr()
		}
		_, err := io.WriteString(to, a.body+"\n")
		ts.Check(err)
	case <-timeout:
		ts.Fatalf("the function does not answer")
	}
}
