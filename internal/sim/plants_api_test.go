package sim_test

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/sim"
)

// apiPlants are the planted defects of what is accepted over HTTP and dialed afterwards.
func apiPlants() []planted {
	ledger := func(wrap func(call.Ledger) call.Ledger) func() sim.Plant {
		return func() sim.Plant { return sim.Plant{Ledger: wrap} }
	}
	answers := func(change func(*answer)) func() sim.Plant {
		return func() sim.Plant {
			return sim.Plant{API: func(api http.Handler) http.Handler { return lyingAPI(api, change) }}
		}
	}
	return []planted{
		{"a new row that is accepted and not kept", ledger(func(l call.Ledger) call.Ledger { return acceptingLedger{l} }), "about a call that is not in the ledger", true},
		{"an outage that is answered as accepted", answers(acceptedInAnOutage), "about a call that is not in the ledger", true},
		{"an accepted row that is never due", ledger(func(l call.Ledger) call.Ledger {
			return changingLedger{l, call.EventAccepted, func(c *call.Call, _ call.Event) {
				if c.State == call.Received {
					c.Due = time.Time{}
				}
			}}
		}), "and nothing is due for", true},
		{"a sweep that passes over what was only accepted", ledger(func(l call.Ledger) call.Ledger { return passingLedger{l} }), "was accepted over HTTP, and", false},
		{"a conflict that is answered as accepted", answers(acceptedInAConflict), "rings another number than it asks for", true},
		{"a duplicate of the first call of the process", func() sim.Plant {
			first := any(nil)
			return sim.Plant{API: func(api http.Handler) http.Handler {
				return lyingAPI(api, func(a *answer) {
					if a.body["answer"] == "duplicate" && first != nil {
						a.body["callId"], a.body["duplicateOf"] = first, first
					} else if id := a.body["callId"]; first == nil && a.status < 300 {
						first = id
					}
				})
			}}
		}, "and was answered about", true},
		{"a duplicate that names no call of its own", answers(func(a *answer) {
			if a.body["answer"] == "duplicate" {
				a.body["duplicateOf"] = "none"
			}
		}), "is a duplicate of", false},
		{"a state that is not the call's", answers(func(a *answer) {
			if a.body["state"] == string(call.InDoubt) {
				a.body["state"] = string(call.Placed)
			}
		}), "was told that", false},
		{"a write of its own that is taken for another's", ledger(func(l call.Ledger) call.Ledger { return forgetsOps(l) }), "as a duplicate of the call that it made", false},
		{"a ledger that loses what it remembers of answers", func() sim.Plant {
			return sim.Plant{API: func(api http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					said := httptest.NewRecorder()
					api.ServeHTTP(said, r)
					if said.Header().Get("Idempotency-Replayed") != "" {
						said.Body.WriteByte(' ')
					}
					pass(w, said.Header(), said.Code, said.Body.Bytes())
				})
			}}
		}, "was kept, and is not the one that was given", false},
		{"a panic that is answered", func() sim.Plant {
			return sim.Plant{API: func(api http.Handler) http.Handler {
				return lyingAPI(api, func(a *answer) {
					if a.status == http.StatusServiceUnavailable {
						a.status = http.StatusInternalServerError
					}
				})
			}}
		}, "was answered 500", false},
	}
}

// answer is one of the API, as a defect may change it.
type answer struct {
	status int
	body   map[string]any
}

// acceptedInAnOutage says that everything is accepted.
func acceptedInAnOutage(a *answer) {
	if a.status == http.StatusServiceUnavailable {
		*a = answer{status: http.StatusAccepted, body: map[string]any{"answer": "accepted", "state": "received", "callId": "none"}}
	}
}

// acceptedInAConflict says so of the call that a request differs from.
func acceptedInAConflict(a *answer) {
	if a.body["code"] == string(call.CodeConflict) {
		*a = answer{status: http.StatusAccepted, body: map[string]any{"answer": "accepted", "state": "received", "callId": a.body["callId"]}}
	}
}

// repeatingAPI says again what it has said to an Idempotency-Key, whatever has become of the sweeper.
func repeatingAPI() func(http.Handler) http.Handler {
	kept := map[string]*httptest.ResponseRecorder{}
	return func(api http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			key := r.Header.Get("Idempotency-Key")
			if kept[key] == nil {
				kept[key] = httptest.NewRecorder()
				api.ServeHTTP(kept[key], r)
			} else {
				kept[key].Header().Set("Idempotency-Replayed", "true")
			}
			pass(w, kept[key].Header(), kept[key].Code, kept[key].Body.Bytes())
		})
	}
}

// emptyCells keep nothing.
type emptyCells struct{ call.Cells }

// Cell implements call.Cells.
func (emptyCells) Cell(_ context.Context, name string) (call.Cell, error) {
	return call.Cell{Name: name}, nil
}

// SetCell implements call.Cells.
func (emptyCells) SetCell(_ context.Context, c call.Cell) (call.Cell, bool, error) {
	return c, true, nil
}

// lyingAPI changes answers on their way to the client.
func lyingAPI(api http.Handler, change func(*answer)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		said := httptest.NewRecorder()
		api.ServeHTTP(said, r)
		a := answer{status: said.Code}
		body := said.Body.Bytes()
		if json.Unmarshal(body, &a.body) == nil && said.Header().Get("Idempotency-Replayed") == "" {
			change(&a)
			if changed, err := json.Marshal(a.body); err == nil {
				body = changed
			}
		}
		pass(w, said.Header(), a.status, body)
	})
}

func pass(w http.ResponseWriter, header http.Header, status int, body []byte) {
	maps.Copy(w.Header(), header)
	w.Header().Del("Content-Length")
	w.WriteHeader(status)
	_, _ = w.Write(bytes.Clone(body))
}

// acceptingLedger answers a new row without an attempt as durable and does not keep it.
type acceptingLedger struct{ call.Ledger }

// Create implements call.Ledger.
func (l acceptingLedger) Create(ctx context.Context, w call.Write) (call.Written, error) {
	if w.Row.State == call.Received && w.Row.AttemptCount == 0 {
		return call.Written{Applied: true, Row: w.Row}, nil
	}
	return l.Ledger.Create(ctx, w)
}

// ownLedger says of every row that the one who asks for it has made it.
type ownLedger struct{ call.Ledger }

// Create implements call.Ledger.
func (l ownLedger) Create(ctx context.Context, w call.Write) (call.Written, error) {
	if written, err := l.Ledger.Create(ctx, w); err != nil || written.Applied {
		return written, err
	}
	return call.Written{Applied: true, Row: w.Row}, nil
}

// passingLedger shows a sweep only rows that were dialed once.
type passingLedger struct{ call.Ledger }

// Due implements call.Ledger.
func (l passingLedger) Due(ctx context.Context, now time.Time, limit int) ([]string, error) {
	all, err := l.Ledger.Due(ctx, now, limit)
	var due []string
	for _, id := range all {
		if c, err := l.Get(ctx, id); err != nil || c.AttemptCount > 0 || c.State != call.Received {
			due = append(due, id)
		}
	}
	return due, err
}

func TestEachPlantedDefectOfTheAPIIsSeen(t *testing.T) {
	for _, d := range apiPlants() {
		t.Run(d.name, func(t *testing.T) { seeDefect(t, d) })
	}
}
