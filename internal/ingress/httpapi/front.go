package httpapi

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/httpapi/oas"
	"github.com/ringonce/ringonce/internal/problem"
)

// front stands before the generated server: it asks who asks and what they may, bounds the body, replays answers, and catches panics.
type front struct {
	*api

	oas  *oas.Server
	keys answers
}

// asked is what a request brings beside its decoded form.
type asked struct {
	who  access.Principal
	raw  []byte // the body, byte for byte
	op   string // the operation's id
	id   string // of this request, for the delivery
	key  string // Idempotency-Key, empty when there is none
	code string // of the problem it was answered with

	callID, target string // that its path names, for the audit log

	again bool // of a batch: another try may answer an item otherwise
	waits bool // the answer says of a call that it is not finished
}

type askedKey struct{}

func askedOf(ctx context.Context) *asked {
	q, _ := ctx.Value(askedKey{}).(*asked)
	if q == nil {
		q = &asked{}
	}
	return q
}

// ServeHTTP implements http.Handler.
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer f.caught(w, r)
	who, known := access.From(r.Context())
	if !known {
		w.Header().Set("WWW-Authenticate", "Bearer")
		problem.Write(w, problem.New(http.StatusUnauthorized, "unauthorized", "Nobody is known to ask.", "Send an API key, a bearer token or a client certificate (docs/api.md)."))
		return
	}
	route, found := f.oas.FindPath(r.Method, r.URL)
	if !found {
		f.oas.ServeHTTP(w, r) // says which methods there are, or that there is no such path
		return
	}
	q := &asked{who: who, op: route.OperationID()}
	q.about(route)
	if !allows(q.op, who) {
		f.forbidden(w, r, q)
		return
	}
	if !f.asksKnown(w, r, q) || !f.writable(w, r, q) || !f.read(w, r, q) {
		return
	}
	r = r.WithContext(context.WithValue(r.Context(), askedKey{}, q))
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if q.op == opPlace || q.op == opBatch {
		f.once(&hurried{w, q}, r, q)
		return
	}
	if q.op == opOrder || q.op == opReleaseMany || q.op == opConfirm {
		w = &hurried{w, q}
	}
	f.oas.ServeHTTP(w, r)
}

// read takes the body, within its bound.
func (f *front) read(w http.ResponseWriter, r *http.Request, q *asked) bool {
	limit := int64(MaxBody)
	if q.op == opBatch {
		limit = MaxBatchBody
	}
	body, err := whole(http.MaxBytesReader(w, r.Body, limit), r.ContentLength)
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		f.reject(w, r, q, problem.New(http.StatusRequestEntityTooLarge, "too_large", fmt.Sprintf("The body is larger than %d bytes.", limit), "Send less, or several requests."))
		return false
	}
	if err != nil {
		f.reject(w, r, q, problem.New(http.StatusBadRequest, "bad_request", "The body could not be read to its end.", "Send it again."))
		return false
	}
	var id [12]byte
	if _, err := io.ReadFull(f.Random, id[:]); err != nil {
		_, _ = rand.Read(id[:]) // an id of a log line; nothing rests on it
	}
	q.raw, q.id = body, hex.EncodeToString(id[:])
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	return true
}

// reject answers what no handler is asked for, and writes it down.
func (f *front) reject(w http.ResponseWriter, r *http.Request, q *asked, d problem.Document) {
	f.rejected(r.Context(), q, d)
	problem.Write(w, d)
}

// whole reads to the end. What the sender says of the length spares larger and larger buffers, and nothing more.
func whole(from io.Reader, told int64) ([]byte, error) {
	const least, most = 512, 16 << 10 // who only promises a large body gets no memory for it
	room := int64(least)
	if told >= 0 {
		room = min(told+1, most) // one byte to meet the end in
	}
	body := make([]byte, 0, room)
	for {
		n, err := from.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if errors.Is(err, io.EOF) {
			return body, nil
		}
		if err != nil {
			return body, err
		}
		if len(body) == cap(body) {
			body = append(body, 0)[:len(body)]
		}
	}
}

// caught answers a panic. What was written is on its way; then the connection is cut.
func (f *front) caught(w http.ResponseWriter, r *http.Request) {
	what := recover()
	if what == nil {
		return
	}
	if err, ok := what.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(what)
	}
	f.Observer.Decided(r.Context(), call.Decided{What: "panicked", Reason: fmt.Sprintf("%T", what), Source: call.SourceHTTP, Alarm: true})
	problem.Write(w, problem.Of(http.StatusInternalServerError, nil))
}

func noSuchPath(w http.ResponseWriter, _ *http.Request) {
	problem.Write(w, problem.New(http.StatusNotFound, "no_such_path", "There is no such path.", "See /openapi.yaml or /docs."))
}

func wrongMethod(w http.ResponseWriter, _ *http.Request, allowed string) {
	w.Header().Set("Allow", allowed)
	problem.Write(w, problem.New(http.StatusMethodNotAllowed, "method_not_allowed", "The path does not know this method.", "Use one of: "+allowed+"."))
}
