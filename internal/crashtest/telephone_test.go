package crashtest

import (
	"bytes"
	"context"
	"io"
	"net/http"
)

// The points outside of the process at which the telephone can kill it.
const (
	pointRequestCut   = "request cut off"    // written by the process, and lost with it
	pointRequestSent  = "request sent"       // the process is dead when Amazon Connect gets it, and the phone rings
	pointAnswerLost   = "answer lost"        // it rang, and the answer finds nobody
	pointAnswerOnWire = "answer on the wire" // it was written; whether the process read it is chance
)

// telephone is the emulator, which can kill the process around each request that dials.
func (w *world) telephone() http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.queue.touch()
		if r.Method != http.MethodPut || r.URL.Path != "/contact/outbound-voice" {
			w.emulator.ServeHTTP(rw, r)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(rw, r.Body, 1<<20))
		if err != nil || w.passing(pointRequestCut) {
			panic(http.ErrAbortHandler)
		}
		w.passing(pointRequestSent)
		if w.onSend != nil {
			w.onSend()
		}
		arrived := r.Clone(context.WithoutCancel(r.Context()))
		arrived.Body = io.NopCloser(bytes.NewReader(body))
		late := &lateWriter{ResponseWriter: rw, before: func() bool { return w.passing(pointAnswerLost) }}
		w.emulator.ServeHTTP(late, arrived)
		if late.lost {
			panic(http.ErrAbortHandler)
		}
		if !late.written {
			return // the emulator cut the connection
		}
		_ = http.NewResponseController(rw).Flush()
		w.passing(pointAnswerOnWire)
	})
}

// lateWriter does something before the first byte of an answer, which may lose it.
type lateWriter struct {
	http.ResponseWriter
	before        func() (lost bool)
	written, lost bool
}

func (l *lateWriter) begin() {
	if !l.written {
		l.written, l.lost = true, l.before()
	}
}

// WriteHeader implements http.ResponseWriter.
func (l *lateWriter) WriteHeader(status int) {
	l.begin()
	l.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (l *lateWriter) Write(p []byte) (int, error) {
	l.begin()
	return l.ResponseWriter.Write(p)
}

// Unwrap is how http.ResponseController finds what is below.
func (l *lateWriter) Unwrap() http.ResponseWriter { return l.ResponseWriter }
