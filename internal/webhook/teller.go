package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// Endpoint is where the producer of a key space is told.
type Endpoint struct {
	URL string
	// Sign signs as [Sign] does, by the secrets of the moment: the current one, and the one before while it is replaced.
	Sign func(id string, at time.Time, body []byte) string
	// Send is how it is reached.
	Send Send
}

// Send does one request and returns the status of its answer. It bounds time and size, follows no redirect and looks at the address it dials.
type Send func(r *http.Request) (status int, err error)

// Options are the parts of a teller.
type Options struct {
	Ledger call.Ledger
	Index  call.Index
	Cells  call.Cells
	Clock  call.Clock
	// Endpoint returns where the producer of a key space is told; false when it is told nothing.
	Endpoint func(keySpace string) (Endpoint, bool)
}

// Teller tells producers. It is safe for concurrent use.
type Teller struct {
	Options

	behind map[string]bool // the calls that the latest look found behind
}

// New returns a teller.
func New(o Options) *Teller { return &Teller{Options: o} }

// Tell tells the producer of a call everything that it was not told yet, in order, and stops at what is not taken: the error then says so, and the
// same is asked for again later. ErrBusy means that somebody else is at it.
func (t *Teller) Tell(ctx context.Context, row string) error {
	c, err := t.Ledger.Get(ctx, row)
	switch {
	case errors.Is(err, call.ErrNotFound):
		return nil
	case err != nil:
		return fmt.Errorf("read the call to tell of: %w", err)
	}
	endpoint, told := t.Endpoint(c.Key.KeySpace)
	if !told {
		return nil
	}
	at, err := read(ctx, t.Cells, cellOf(endpoint.URL, row))
	if err != nil || at.Seq >= c.Version {
		return err
	}
	now := t.Clock.Now()
	if now.Before(time.Unix(0, at.Until)) {
		return ErrBusy
	}
	if err := at.write(ctx, cursor{Seq: at.Seq, Until: now.Add(leaseTime).UnixNano()}, now); err != nil {
		return err
	}
	sendErr := t.tell(ctx, c, endpoint, &at)
	// The lease is given back whatever became of the request, and if this fails it ends by itself.
	return errors.Join(sendErr, at.release(context.WithoutCancel(ctx), t.Clock.Now()))
}

func (t *Teller) tell(ctx context.Context, c call.Call, endpoint Endpoint, at *position) error {
	history, err := t.Index.History(ctx, c.ID)
	if err != nil {
		return fmt.Errorf("read the history to tell of: %w", err)
	}
	events, err := Events(c, history, at.Seq)
	if err != nil {
		return fmt.Errorf("read the history to tell of: %w", err)
	}
	for i, event := range events {
		if err := t.post(ctx, endpoint, event); err != nil {
			return err
		}
		if i+1 == len(events) { // the cursor moves when the lease is given back
			at.Seq = event.seq
			break
		}
		if events[i+1].seq == event.seq {
			continue // an entry is told when all of it is
		}
		now := t.Clock.Now()
		if err := at.write(ctx, cursor{Seq: event.seq, Until: now.Add(leaseTime).UnixNano()}, now); err != nil {
			return err
		}
	}
	at.Seq = max(at.Seq, c.Version) // what came after the last event told nothing
	return nil
}

// post sends one event. Only an answer of 200 to 299 has taken it.
func (t *Teller) post(ctx context.Context, endpoint Endpoint, event Event) error {
	body, err := json.Marshal(event)
	if err != nil {
		return fmt.Errorf("encode an event: %w", err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint.URL, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("make a request: %w", err)
	}
	now := t.Clock.Now()
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(HeaderID, event.ID)
	r.Header.Set(HeaderTimestamp, strconv.FormatInt(now.Unix(), 10))
	r.Header.Set(HeaderSignature, endpoint.Sign(event.ID, now, body))
	status, err := endpoint.Send(r)
	switch {
	case err != nil:
		return fmt.Errorf("tell a producer: %w", err)
	case status < 200 || status > 299:
		return fmt.Errorf("tell a producer: it answered %d", status)
	}
	return nil
}
