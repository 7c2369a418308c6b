package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// held is a worker that has rung and does not come back yet.
type held struct {
	open func()
	told chan delivery
	err  error
}

// hold delivers letters to a new worker and returns when it has rung. The worker learns the answer, as late makes it, when end is called.
func (w *world) hold(ctx context.Context, letters []letter, late func(call.Answer) call.Answer) (*held, error) {
	rang, end := make(chan struct{}), make(chan struct{})
	a, err := w.worker(ctx, func(o *app.Options) {
		o.WrapDialer = func(d call.Dialer) call.Dialer {
			return &meddler{Dialer: d, after: func(answer call.Answer) call.Answer {
				close(rang)
				<-end
				return late(answer)
			}}
		}
	})
	if err != nil {
		return nil, err
	}
	h := &held{open: sync.OnceFunc(func() { close(end) }), told: make(chan delivery, 1)}
	go func() {
		var d delivery
		d, h.err = w.deliver(ctx, a, "A", 1, letters...)
		h.told <- d
	}()
	select {
	case <-rang:
		return h, nil
	case d := <-h.told:
		return nil, errors.Join(h.err, errors.New("the first worker did not ring: "+d.Text))
	}
}

// end lets the worker go on and returns what it told.
func (h *held) end() (delivery, error) {
	h.open()
	d := <-h.told
	return d, h.err
}

// meddler changes answers of the telephone before the core learns them.
type meddler struct {
	call.Dialer

	after func(call.Answer) call.Answer
}

// Dial implements call.Dialer.
func (m *meddler) Dial(ctx context.Context, s call.Send) call.Answer {
	return m.after(m.Dialer.Dial(ctx, s))
}

// afterRing does something when the telephone has rung, before the core learns of it.
func afterRing(do func() error) func(*app.Options) {
	return func(o *app.Options) {
		o.WrapDialer = func(d call.Dialer) call.Dialer {
			return &meddler{Dialer: d, after: func(a call.Answer) call.Answer {
				if err := do(); err != nil {
					return call.Answer{Class: call.ClassAmbiguous, Code: "scenario", Message: err.Error()}
				}
				return a
			}}
		}
	}
}

// padded is an HTTP client whose answers of the telephone are larger than an item of the store.
type padded struct{}

// Do implements the SDK's HTTP client.
func (padded) Do(r *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(response.Body)
	if err = errors.Join(err, response.Body.Close()); err != nil {
		return nil, err
	}
	var told map[string]any
	if json.Unmarshal(body, &told) == nil && response.StatusCode == http.StatusOK {
		told["Detail"] = strings.Repeat("x", 500<<10)
		if body, err = json.Marshal(told); err != nil {
			return nil, err
		}
	}
	response.Body, response.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	response.Header.Del("Content-Length")
	return response, nil
}
