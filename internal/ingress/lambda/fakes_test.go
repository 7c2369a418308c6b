package lambda

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// bubbleClock is the clock of the test: virtual inside synctest, the machine's elsewhere.
type bubbleClock struct{}

func (bubbleClock) Now() time.Time { return time.Now() }

func (bubbleClock) Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// core stands in for the core: it answers from place and notes who came, in order, and how many at a time.
type core struct {
	place func(ctx context.Context, d call.Delivery) call.Outcome
	mode  call.Mode

	mu      sync.Mutex
	order   []string // delivery ids in the order of their start
	at      []time.Time
	running int
	most    int
}

func (c *core) Place(ctx context.Context, d call.Delivery) call.Outcome {
	c.mu.Lock()
	c.order, c.at = append(c.order, d.ID), append(c.at, time.Now())
	c.running++
	c.most = max(c.most, c.running)
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.running--
		c.mu.Unlock()
	}()
	out := call.Outcome{Met: call.MetPlaced, ContactID: "contact-of-" + d.Request.NotificationID}
	if c.place != nil {
		out = c.place(ctx, d)
	}
	if out.Ack == "" {
		out.Ack = call.Acknowledge(out.Met, d.Source, c.mode, false)
	}
	return out
}

// Key names rows so that a test can read them. A request without a fingerprint is a cancel, as in the core.
func (c *core) Key(d call.Delivery) (rowID, fingerprint string, err error) {
	r := d.Request
	if r.Action == call.ActionCancel {
		return r.NotificationID + "/" + r.RecipientID, "", nil
	}
	return r.NotificationID + "/" + r.RecipientID, r.Destination.Wire(), nil
}

func (c *core) started() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.order)
}

// diary keeps what the observer was told.
type diary struct {
	mu      sync.Mutex
	entries []call.Decided
}

func (d *diary) Decided(_ context.Context, entry call.Decided) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.entries = append(d.entries, entry)
}

func (d *diary) all(what string) []call.Decided {
	d.mu.Lock()
	defer d.mu.Unlock()
	var found []call.Decided
	for _, entry := range d.entries {
		if entry.What == what {
			found = append(found, entry)
		}
	}
	return found
}

// handlerOn returns a handler on a stand-in for the core.
func handlerOn(tb testing.TB, c *core, change ...func(*Options)) (*Handler, *diary) {
	tb.Helper()
	if c.mode == "" {
		c.mode = call.ModeLedger
	}
	log := &diary{}
	options := Options{Placer: c, Keys: c, Clock: bubbleClock{}, Observer: log, Mode: c.mode}
	for _, f := range change {
		f(&options)
	}
	h, err := New(options)
	if err != nil {
		tb.Fatal(err)
	}
	return h, log
}

// failures returns the ids of a partial batch response, which must be exactly one object with one list.
func failures(tb testing.TB, response []byte) []string {
	tb.Helper()
	var decoded map[string]json.RawMessage
	if err := json.Unmarshal(response, &decoded); err != nil || len(decoded) != 1 || !strings.HasPrefix(string(decoded["batchItemFailures"]), "[") {
		tb.Fatalf("response %s is not a partial batch response (%v)", response, err)
	}
	var items []map[string]string
	if err := json.Unmarshal(decoded["batchItemFailures"], &items); err != nil {
		tb.Fatalf("response %s: %v", response, err)
	}
	ids := []string{}
	for _, item := range items {
		if len(item) != 1 || item["itemIdentifier"] == "" {
			tb.Fatalf("response %s has an item without its identifier", response)
		}
		ids = append(ids, item["itemIdentifier"])
	}
	return ids
}

// invoke returns the failed ids of a queue batch that must be answered without an error.
func invoke(ctx context.Context, tb testing.TB, h *Handler, document []byte) []string {
	tb.Helper()
	response, err := h.Invoke(ctx, document)
	if err != nil {
		tb.Fatalf("the invocation failed: %v", err)
	}
	return failures(tb, response)
}

func equal(tb testing.TB, what string, got []string, want ...string) {
	tb.Helper()
	if !slices.Equal(got, want) {
		tb.Errorf("%s: got %q, want %q", what, got, want)
	}
}
