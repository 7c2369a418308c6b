package sim

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/sim/transport"
)

// answered is an answer of the API as its client reads it: of a request that was taken, or a problem.
type answered struct {
	spoken

	Answer      string     `json:"answer"`
	CallID      string     `json:"callId"`
	State       call.State `json:"state"`
	ContactID   string     `json:"contactId"`
	DuplicateOf string     `json:"duplicateOf"`
	Suppressed  string     `json:"suppressed"`
	Code        call.Code  `json:"code"`
	Message     string     `json:"message"`
	Detail      string     `json:"detail"`
}

// read reads what was said.
func (s spoken) read() (answered, error) {
	a := answered{spoken: s}
	if err := json.Unmarshal(s.body, &a); err != nil {
		return a, fmt.Errorf("read an answer of the API: %w", err)
	}
	return a, nil
}

// taken reports whether the client may forget its request.
func (a answered) taken() bool { return a.status < 300 }

// overAPI is one request to the HTTP API of a worker. The service answers when the request is durable, and dials afterwards ("dial A"). Its
// client sends again what was not answered, as the transport says.
func (w *World) overAPI(ctx context.Context, k *worker, d transport.Delivery, limit time.Duration) {
	start, r := time.Now(), d.Records[0]
	m := w.message(r.MessageID)
	response, acks := transport.Response{Crashed: true}, []call.Ack(nil)
	lived := w.survive(k, func() {
		if k.dead.Load() {
			return
		}
		was := w.before(m)
		a, err := w.askAPI(ctx, k, m)
		switch {
		case k.dead.Load():
			return
		case err != nil:
			response = transport.Response{TimedOut: true}
			if ctx.Err() == nil {
				w.find("%s has no answer: %v", m.name, err)
			}
			return
		}
		k.gate.at(ctx, "before answer", a.CallID)
		w.judgeAnswer(ctx, m, a, was)
		out := w.outcome(a)
		w.answered(k, r, out)
		acks = append(acks, out.Ack)
		response = transport.Response{Body: fmt.Appendf(nil, `{"statusCode":%d}`, a.status)}
		for _, s := range w.strikes("lose", "answer") {
			w.struck(s, a.CallID)
			response = transport.Response{Err: errAnswerLost}
		}
	})
	late := time.Since(start) > limit
	if limit < d.Deadline && late {
		w.fault(FaultTimeout, m.request.subject.row())
	}
	if !lived {
		response = transport.Response{Crashed: true}
	} else if late {
		response.TimedOut = true
	}
	if ruling, err := w.net.Answer(d.ID, response, time.Now().UTC()); err == nil {
		w.understood(d, acks, ruling)
	}
}

// askAPI asks, and reads what the service says.
func (w *World) askAPI(ctx context.Context, k *worker, m *message) (answered, error) {
	door, err := w.door(k)
	if err != nil {
		return answered{}, err
	}
	said, err := door.ask(ctx, m)
	if err != nil {
		return answered{}, err
	}
	if w.options.Secret != "" {
		w.listen(string(said.body))
	}
	return said.read()
}

// situations are those that a problem of the API has as its code when the request goes back to its client for no reason of its own.
var situations = map[call.Code]call.Situation{
	call.Code(call.MetReceived): call.MetReceived, call.Code(call.MetDialing): call.MetDialing, "idempotency_in_progress": call.MetNotStarted,
}

// outcome is what an answer says, in the words of the other sources. What was kept for an Idempotency-Key was judged when it was first said.
func (w *World) outcome(a answered) call.Outcome {
	out := call.Outcome{Ack: call.AckDone, Code: a.Code, Message: a.Message + a.Detail, By: a.DuplicateOf, ContactID: a.ContactID}
	switch {
	case a.taken():
		out.Met, out.Replayed, out.Suppressed = call.MetState(a.State), a.DuplicateOf != "", a.Suppressed
		if a.Answer == "withdrawn" {
			out.Met = call.MetCancelKept
		}
		out.Call, _ = w.row(a.CallID)
		if a.replayed {
			out.Replayed, out.Suppressed = true, ""
			w.mark("api replayed")
		}
	case a.Code == call.CodeConflict:
		out.Met, out.Ack, out.By = call.MetConflict, call.AckRefuse, a.CallID
	case a.status < 500 && a.status != 409 && a.status != 429:
		out.Met, out.Ack = call.MetRefused, call.AckRefuse
	default:
		out.Met, out.Ack = call.MetUnavailable, call.AckRetry
		if met, named := situations[a.Code]; named {
			out.Met = met
		}
		if out.Met == call.MetReceived || out.Met == call.MetDialing {
			out.Code = ""
		}
	}
	w.mark("api " + fmt.Sprint(a.status) + " " + a.Answer)
	return out
}

// before is what was so when a request came.
type before struct {
	durable    int    // writes in the ledger
	interfered int    // acts in the middle of others
	within     bool   // this act is in the middle of another, whose other lanes go on
	kept       []byte // the answer that was given for its Idempotency-Key; nil when nobody knows
}

// before notes how things stand when a request comes. If its process dies, nobody knows what it kept.
func (w *World) before(m *message) before {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := before{w.truth.seq, w.interfered, len(w.armed) > 1, w.truth.first[m.request.name]}
	delete(w.truth.first, m.request.name)
	return b
}

// dialAccepted lets a process dial what its API has accepted, before the sweep does: "dial A". It ends with the process.
func dialAccepted(ctx context.Context, w *World, a Act) error {
	k, err := w.by(a, 0)
	if err != nil {
		return err
	}
	w.survive(k, func() {
		for k.door != nil && !k.dead.Load() && k.door.later.Next(ctx) {
			w.mark("accepted and dialed")
		}
		if k.door != nil {
			k.door.offered = 0
		}
	})
	return nil
}

// dialWaiting lets every process dial what it has accepted, as it does at once when nothing goes wrong.
func (w *World) dialWaiting(ctx context.Context) {
	for _, k := range w.workers {
		if k.door != nil && k.door.offered > 0 {
			w.act(ctx, do("dial", k.name))
		}
	}
}
