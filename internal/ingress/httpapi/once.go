package httpapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/httpapi/oas"
	"github.com/ringonce/ringonce/internal/problem"
)

// answers keeps the answers of Idempotency-Key (draft-ietf-httpapi-idempotency-key-header): [call.Cells], or the memory of this process.
type answers interface {
	Cell(ctx context.Context, name string) (call.Cell, error)
	SetCell(ctx context.Context, c call.Cell) (now call.Cell, ok bool, err error)
}

func (a *api) answers() answers {
	if a.Cells != nil {
		return a.Cells
	}
	return &remembered{cells: map[string]call.Cell{}}
}

// The times of an answer.
const (
	keptFor   = 24 * time.Hour  // a key with its answer
	workTime  = 2 * time.Minute // then a request that was begun counts as lost, and its key may be sent again: a call rings once anyway
	mostTries = 4               // of a compare-and-set
)

// exchange is a request with its key, and its answer once there is one.
type exchange struct {
	Body    string            `json:"body"`            // hash of path and body
	Until   time.Time         `json:"until,omitzero"`  // being answered until then
	Status  int               `json:"status,omitzero"` // of the answer
	Waits   bool              `json:"waits,omitzero"`  // the answer says of a call that it is not finished
	Headers map[string]string `json:"headers,omitempty"`
	Answer  []byte            `json:"answer,omitempty"`
}

// once answers a request for calls: with a key that is known from what was kept, else anew.
func (f *front) once(w http.ResponseWriter, r *http.Request, q *asked) {
	key, ok := keyOf(r.Header.Values("Idempotency-Key"))
	switch {
	case !ok:
		f.reject(w, r, q, problem.New(http.StatusBadRequest, "idempotency_key_invalid", "The header Idempotency-Key is not one text of 1 to 256 printable characters.", "Send a fresh UUID for each request."))
		return
	case key == "" && f.RequireIdempotencyKey:
		f.reject(w, r, q, problem.New(http.StatusBadRequest, "idempotency_key_missing", "The header Idempotency-Key is missing.", "Send a fresh UUID for each request, and the same one when you send it again."))
		return
	case key == "":
		f.oas.ServeHTTP(w, r)
		return
	}
	q.key = key
	cell, known, err := f.begin(r, q)
	if err != nil {
		d := problemOf(err)
		if d.Status != http.StatusUnprocessableEntity {
			retryLater(w)
		}
		f.reject(w, r, q, d)
		return
	}
	if known != nil {
		replay(w, *known)
		return
	}
	taken := &taking{ResponseWriter: w, status: http.StatusOK}
	f.oas.ServeHTTP(taken, r)
	f.finish(r.Context(), q, cell, taken)
}

// keyOf reads the header: a Structured Field string, also without its quotes. None is empty and good.
func keyOf(values []string) (string, bool) {
	if len(values) == 0 {
		return "", true
	}
	key := values[0]
	if len(key) >= 2 && key[0] == '"' && key[len(key)-1] == '"' {
		key = key[1 : len(key)-1]
	}
	odd := func(r rune) bool { return r < '!' || r > '~' || r == ',' || r == '"' }
	return key, len(values) == 1 && key != "" && len(key) <= 256 && !strings.ContainsFunc(key, odd)
}

// begin claims the key, or returns the answer that is kept for it.
func (f *front) begin(r *http.Request, q *asked) (call.Cell, *exchange, error) {
	ctx := r.Context()
	name := "idempotency/" + digest(q.who.KeySpace, string(q.who.Kind), q.who.Name, q.key)
	body := digest(r.URL.Path, string(q.raw))
	for range mostTries {
		cell, err := f.keys.Cell(ctx, name)
		if err != nil {
			return cell, nil, err
		}
		now := f.Clock.Now()
		var x exchange
		if cell.Version > 0 && cell.Expires.After(now) && json.Unmarshal(cell.Data, &x) == nil {
			switch {
			case x.Body != body:
				return cell, nil, refuse(http.StatusUnprocessableEntity, "idempotency_mismatch", "This Idempotency-Key came before with another body.", "Send a fresh key for another request.")
			case x.Status != 0 && x.Waits && !f.Engine.Finishes(ctx): // nobody would: asking anew drives the call (the acknowledge table)
			case x.Status != 0:
				return cell, &x, nil
			case x.Until.After(now):
				return cell, nil, refuse(http.StatusConflict, "idempotency_in_progress", "A request with this Idempotency-Key is being answered.", "Send it again in a few seconds.")
			}
		}
		next, err := cellOf(name, cell.Version+1, exchange{Body: body, Until: now.Add(workTime)}, now)
		if err != nil {
			return cell, nil, err
		}
		if _, ok, err := f.keys.SetCell(ctx, next); ok || err != nil {
			return next, nil, err
		}
	}
	return call.Cell{}, nil, refuse(http.StatusConflict, "idempotency_in_progress", "Requests with this Idempotency-Key meet each other.", "Send it again in a few seconds.")
}

// finish keeps the answer. One that another try may change is not kept, nor one that is too long: the key is free then, and the request is
// answered anew, by the call it made.
func (f *front) finish(ctx context.Context, q *asked, cell call.Cell, t *taking) {
	ctx = context.WithoutCancel(ctx)
	var x exchange
	if json.Unmarshal(cell.Data, &x) != nil {
		return
	}
	x.Until = time.Time{}
	if !again(t.status) && !q.again && t.body.Len() <= call.MaxCellBytes/2 {
		x.Status, x.Waits, x.Answer, x.Headers = t.status, q.waits, t.body.Bytes(), map[string]string{}
		for _, name := range []string{"Content-Type", "Preference-Applied"} {
			if value := t.Header().Get(name); value != "" {
				x.Headers[name] = value
			}
		}
	}
	next, err := cellOf(cell.Name, cell.Version+1, x, f.Clock.Now())
	if err == nil {
		_, _, err = f.keys.SetCell(ctx, next)
	}
	if err != nil {
		f.Observer.Decided(ctx, call.Decided{What: "answer-lost", Reason: err.Error(), Source: call.SourceHTTP, Delivery: q.id})
	}
}

// waits reports whether an answer says of a call that it is not finished, so that somebody must go on with it.
func waits(p oas.Placed) bool {
	return p.Answer != oas.PlacedAnswerWithdrawn && (p.State.Value == oas.StateReceived || p.State.Value == oas.StateDialing)
}

// again reports whether another try may be answered otherwise: by a service that is well again, or whose configuration no longer refuses the request. Of a
// refused request nothing is in the ledger, so answering it anew makes at most the one call that it asks for.
func again(status int) bool {
	switch status {
	case http.StatusForbidden, http.StatusUnprocessableEntity, http.StatusTooManyRequests:
		return true
	}
	return status >= http.StatusInternalServerError
}

func cellOf(name string, version int64, x exchange, now time.Time) (call.Cell, error) {
	data, err := json.Marshal(x)
	return call.Cell{Name: name, Version: version, Data: data, Expires: now.Add(keptFor)}, err
}

func replay(w http.ResponseWriter, x exchange) {
	for name, value := range x.Headers {
		w.Header().Set(name, value)
	}
	w.Header().Set("Idempotency-Replayed", "true")
	w.WriteHeader(x.Status)
	_, _ = w.Write(x.Answer)
}

// digest hashes texts, each ended by a zero byte.
func digest(texts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00") + "\x00"))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// taking passes an answer on and keeps it.
type taking struct {
	http.ResponseWriter

	status int
	body   bytes.Buffer
}

// WriteHeader implements http.ResponseWriter.
func (t *taking) WriteHeader(status int) {
	t.status = status
	t.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (t *taking) Write(p []byte) (int, error) {
	t.body.Write(p)
	return t.ResponseWriter.Write(p)
}
