package sim

import (
	"bytes"
	"context"
	"fmt"
	"net/http"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/ingress/httpapi"
)

// client is who asks over HTTP in a world: a producer whose ids are in the same room as those of every other source.
var client = access.Principal{Kind: access.Producer, Name: "notifications"}

// mostOffered is how many calls a worker remembers to dial: more than any life accepts between two of its acts.
const mostOffered = 1000

// door is the HTTP API of one process, made as `ringonce serve` makes it, and what the process still has to dial of what it accepted.
type door struct {
	line    *line // how clients reach it in a full world
	handler http.Handler
	later   *httpapi.Later
	offered int // what a crash forgets
}

// door returns the API of a worker's process, which opens with its first request.
func (w *World) door(k *worker) (*door, error) {
	if k.door != nil {
		return k.door, nil
	}
	cells := k.gate.cells
	if cells == nil && k.app.Store.Cells != nil { // nothing but the API uses them
		cells = gatedCells{k.app.Store.Cells, k.gate}
	}
	d := &door{later: httpapi.NewLater(k.app.Engine, k.app.Observer, mostOffered)}
	api, err := httpapi.New(httpapi.Options{
		Engine: k.app.Engine, Ledger: k.app.Engine.Ledger, Index: k.app.Store.Index, Journal: k.app.Store.Journal, Cells: cells,
		CellNames: k.app.Cells, Clock: k, Observer: k.app.Observer, Random: w.ops, Numberless: k.config.Numberless(),
		Accepted: func(row string) {
			d.offered++
			d.later.Offer(row)
		},
		Go: func(dial func()) { dial() }, // the request waits for it in any case, and whoever does not hears the same later
	})
	if err != nil {
		return nil, fmt.Errorf("open the API: %w", err)
	}
	if plant := w.options.Plant.API; plant != nil {
		api = plant(api)
	}
	d.handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		api.ServeHTTP(rw, r.WithContext(access.With(r.Context(), client)))
	})
	if w.Setting.World == Full {
		d.line = newLine(d.handler)
	}
	k.door = d
	return d, nil
}

// shut ends the API of a process that ends. Nobody remembers what it was going to dial.
func (k *worker) shut() {
	if k.door != nil && k.door.line != nil {
		k.door.line.close()
	}
	k.door = nil
}

// spoken is an answer over HTTP as it came.
type spoken struct {
	status   int
	replayed bool
	body     []byte
}

// ask sends one request, and returns when the service has done everything that it does for it, also when its client has given up by then.
func (d *door) ask(ctx context.Context, m *message) (spoken, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://service.example/v1/calls", bytes.NewReader(m.request.payload))
	if err != nil {
		return spoken{}, fmt.Errorf("make a request: %w", err)
	}
	r.Header.Set("Content-Type", "application/json")
	if !m.unkeyed {
		r.Header.Set("Idempotency-Key", m.request.name)
	}
	if m.waits {
		r.Header.Set("Prefer", "wait=30")
	}
	if d.line != nil {
		return d.line.send(r)
	}
	said := &inMemory{header: http.Header{}, status: http.StatusOK}
	d.handler.ServeHTTP(said, r)
	return spoken{said.status, said.header.Get(replayedHeader) != "", said.body.Bytes()}, ctx.Err() //nolint:wrapcheck // the client's own end
}

const replayedHeader = "Idempotency-Replayed"

// inMemory is an answer that needs no connection.
type inMemory struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (m *inMemory) Header() http.Header { return m.header }

// WriteHeader implements http.ResponseWriter.
func (m *inMemory) WriteHeader(status int) { m.status = status }

// Write implements http.ResponseWriter.
func (m *inMemory) Write(p []byte) (int, error) { return m.body.Write(p) }
