package crashtest

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// The points outside of the process at which the Runtime API can kill it.
const (
	pointHandedOver     = "document handed over" // the process has it, and has done nothing yet
	pointResponseUnread = "response unread"      // the answer is on its way; the queue never gets it
	pointResponseRead   = "response read"        // the queue has acted on the answer; the process does not learn that
)

const runtimeRoot = "/2018-06-01/runtime/invocation/"

// runtimeAPI is the Lambda Runtime API in front of the queue (Lambda developer guide, "Using the Lambda runtime API").
func (w *world) runtimeAPI() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+runtimeRoot+"next", w.serveNext)
	mux.HandleFunc("POST "+runtimeRoot+"{id}/response", w.serveResponse)
	mux.HandleFunc("POST "+runtimeRoot+"{id}/error", func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<16)) // half an explanation explains as well
		if !w.ending.Load() {                                // a process that was told to end starts nothing any more
			w.find("an invocation failed as a whole: %s", body)
			w.queue.lapse()
		}
		rw.WriteHeader(http.StatusAccepted)
	})
	return mux
}

// serveNext waits for messages and hands a batch over.
func (w *world) serveNext(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	w.invocations++
	id, sender := fmt.Sprintf("8476a536-e9f4-11e8-9739-%012d", w.invocations), w.running
	if w.heard.IsZero() {
		w.heard = time.Now()
	}
	w.mu.Unlock()
	document, arrived := w.queue.take(id)
	for document == nil {
		select {
		case <-arrived:
		case <-r.Context().Done():
		case <-sender.done:
		}
		if r.Context().Err() != nil || sender.dead() {
			panic(http.ErrAbortHandler) // it would take the batch into its grave
		}
		document, arrived = w.queue.take(id)
	}
	header := rw.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Lambda-Runtime-Aws-Request-Id", id)
	// The function compares the deadline with its own clock, which may be ahead of this machine's.
	header.Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(w.clock.Now().Add(30*time.Second).UnixMilli(), 10))
	header.Set("Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:us-east-1:111122223333:function:ringonce")
	_, _ = rw.Write(document) // a receiver that is gone is seen by its death
	_ = http.NewResponseController(rw).Flush()
	w.passing(pointHandedOver)
}

func (w *world) serveResponse(rw http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(rw, r.Body, 1<<20))
	if err != nil || w.passing(pointResponseUnread) {
		panic(http.ErrAbortHandler)
	}
	if err := w.queue.settle(r.PathValue("id"), body); err != nil {
		w.find("%v", err)
	}
	if w.passing(pointResponseRead) {
		panic(http.ErrAbortHandler)
	}
	rw.WriteHeader(http.StatusAccepted)
	_, _ = io.WriteString(rw, `{"status":"OK"}`)
}
