package sim

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"slices"

	"github.com/ringonce/ringonce/internal/call"
)

// suppressedForgotten is why a request of a key is not dialed whose erasure has begun: its fingerprint may be gone already, so it cannot be a conflict.
const suppressedForgotten = "forgotten"

// judgeAnswer asks whether an answer of the API is true when it is given: that of a request which was taken names a call of the request's key and
// number, in the state that the ledger has it in, and what waits is due some time; a duplicate is one of a call that was there before.
func (w *World) judgeAnswer(ctx context.Context, m *message, a answered, was before) {
	if a.status >= http.StatusInternalServerError && a.status != http.StatusServiceUnavailable {
		w.find("%s was answered %d", m.name, a.status)
	}
	if m.unkeyed && a.replayed {
		w.find("%s has no Idempotency-Key, and its answer was kept", m.name)
	}
	if !m.unkeyed && (a.taken() || a.replayed) {
		w.judgeKept(m, a, was)
	}
	if !a.taken() || a.replayed {
		return
	}
	c, durable := w.inLedger(ctx, a.CallID)
	if !durable {
		w.find("%s was answered %d (%s) about a call that is not in the ledger", m.name, a.status, a.Answer)
		return
	}
	as, alone := w.asItWas(c), was.interfered == w.interfered && !was.within
	switch name := w.nameOf(c.ID); {
	case as.Key != m.request.subject.key():
		w.find("%s asks for %s and was answered about %s", m.name, m.request.subject.name, name)
	case !m.request.cancel && !c.IsForgotten() && a.Suppressed != suppressedForgotten && c.Destination != m.request.number:
		w.find("%s was answered %d (%s), and %s rings another number than it asks for", m.name, a.status, a.Answer, name)
	case c.State != a.State && alone:
		w.find("%s was told that %s is %s, and it is %s", m.name, name, a.State, c.State)
	case a.Answer == "duplicate" && a.DuplicateOf != a.CallID:
		w.find("%s is a duplicate of %s, and was told of %s", m.name, w.nameOf(a.DuplicateOf), name)
	case a.Answer == "duplicate" && alone && c.Ring == 0 && c.Cause == call.CauseRequest && w.madeSince(c.ID, was.durable): // later ones are claimed before
		w.find("%s was answered as a duplicate of the call that it made, %s", m.name, name)
	case !c.State.Final() && !c.Tombstone && c.DueAt().IsZero():
		w.find("%s was answered %d (%s), and nothing is due for %s", m.name, a.status, a.Answer, name)
	}
	if !m.request.cancel {
		w.mu.Lock()
		w.truth.promised[c.ID] = m.name
		w.mu.Unlock()
	}
}

// inLedger reads a row from the ledger itself, without any worker between: what a worker was told of its writes is what is asked about.
func (w *World) inLedger(ctx context.Context, id string) (call.Call, bool) {
	get := w.workers[0].app.Store.Ledger.Get
	if w.store != nil {
		get = w.store.Get
	}
	c, err := get(context.WithoutCancel(ctx), id)
	return c, err == nil
}

// madeSince reports whether a row became durable after so many writes.
func (w *World) madeSince(row string, known int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.truth.made[row] > known
}

// judgeKept asks whether an answer that is said again is the one that was said, or that was said to another try in the middle of this one. Of a request
// whose process died nobody knows what was kept.
func (w *World) judgeKept(m *message, a answered, was before) {
	w.mu.Lock()
	defer w.mu.Unlock()
	between, answered := w.truth.first[m.request.name]
	if a.replayed && was.kept != nil && !bytes.Equal(was.kept, a.body) && (!answered || !bytes.Equal(between, a.body)) {
		w.findings = append(w.findings, "the answer of "+m.name+" was kept, and is not the one that was given")
	}
	w.truth.first[m.request.name] = a.body
}

// judgePromised asks, at the end of everything, what became of the calls that clients of the API were told of: each has rung, or says why not.
func (w *World) judgePromised(rows []call.Call) {
	if !w.truth.quiet {
		return
	}
	rings := w.phone.rings()
	for _, id := range slices.Sorted(maps.Keys(w.truth.promised)) {
		m := w.truth.promised[id]
		c, known := hasRow(rows, id)
		switch {
		case !known:
			w.find("%s was accepted over HTTP, and its call is lost", m)
		case !c.State.Final():
			w.find("%s was accepted over HTTP, and %s is %s", m, w.nameOf(id), c.State)
		case c.State == call.Placed && len(of(rings, id)) == 0:
			w.find("%s was accepted over HTTP, and %s is placed and never rang", m, w.nameOf(id))
		case (c.State == call.Failed || c.State == call.Expired) && c.Code == "" && !c.IsForgotten():
			w.find("%s was accepted over HTTP, and %s is %s without a reason", m, w.nameOf(id), c.State)
		}
		w.mark("promised " + string(c.State))
	}
}
