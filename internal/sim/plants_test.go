package sim_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/sim"
)

// planted is a part of the protocol that is taken out, and what the oracle says to it.
type planted struct {
	name  string
	plant func() sim.Plant
	sees  string // part of a finding
	full  bool   // it is looked for in a full world too
}

// plants are the planted defects. Each must be seen within the seeds of `make test`.
func plants() []planted {
	ledger := func(wrap func(call.Ledger) call.Ledger) func() sim.Plant {
		return func() sim.Plant { return sim.Plant{Ledger: wrap} }
	}
	dialer := func(wrap func(call.Dialer) call.Dialer) func() sim.Plant {
		return func() sim.Plant { return sim.Plant{Dialer: wrap} }
	}
	return []planted{
		{"a ledger without compare", ledger(func(l call.Ledger) call.Ledger { return blindLedger{l} }), "was written last", false},
		{"an intent that is not durable", ledger(func(l call.Ledger) call.Ledger { return &lazyLedger{Ledger: l, held: map[string]call.Write{}} }), "I2", true},
		{"a ledger that acknowledges and forgets", ledger(func(l call.Ledger) call.Ledger { return forgetfulLedger{l} }), "is not in the ledger", true},
		{"a lost answer reported as a refusal", dialer(func(d call.Dialer) call.Dialer { return lyingDialer{d, call.ClassRefusedRequest} }), "I3", true},
		{"a lost answer reported as not sent", dialer(func(d call.Dialer) call.Dialer { return lyingDialer{d, call.ClassNotSent} }), "I1 of", false},
		{"a dialer that sends twice", dialer(func(d call.Dialer) call.Dialer { return eagerDialer{d} }), "I1 of", false},
		{"a random token in the body", dialer(func(d call.Dialer) call.Dialer { return &freshToken{Dialer: d} }), "I1 of", true},
		{"forgetting deletes the row", ledger(func(l call.Ledger) call.Ledger { return deletingLedger{l} }), "I1 of", false},
		{"forgetting keeps the number", ledger(func(l call.Ledger) call.Ledger { return keepingLedger{l} }), "still names its recipient", true},
		{"a hold that is not durable", ledger(func(l call.Ledger) call.Ledger { return unwrittenLedger{l} }), "was written last", true},
		{"a hold that lasts a month", ledger(func(l call.Ledger) call.Ledger { return sluggishLedger{l} }), "until everything had come to its end", false},
		{"a restore without its recovery", func() sim.Plant { return sim.Plant{NoRecovery: true} }, "I1 of", false},
		{"a restore with a random token, where no search finds the contact", func() sim.Plant {
			return sim.Plant{Token: randomToken(), Dialer: func(d call.Dialer) call.Dialer { return blindDialer{d} }}
		}, "I1 of", false},
		{"everything is acknowledged", func() sim.Plant {
			return sim.Plant{Acknowledge: func(call.Outcome) bool { return true }}
		}, "is not in the ledger", true},
	}
}

// randomToken makes a token that no key explains.
func randomToken() func(call.TokenInput) (string, error) {
	source := rand.NewChaCha8([32]byte{9})
	return func(call.TokenInput) (string, error) {
		var b [16]byte
		_, err := source.Read(b[:])
		return hex.EncodeToString(b[:]), err
	}
}

// blindLedger writes over whatever is there.
type blindLedger struct{ call.Ledger }

// Update implements call.Ledger.
func (l blindLedger) Update(ctx context.Context, w call.Write) (call.Written, error) {
	written, err := l.Ledger.Update(ctx, w)
	if err == nil && !written.Applied { // the row moved: say that the write is in
		return call.Written{Applied: true, Row: w.Row}, nil
	}
	return written, err
}

// lazyLedger keeps intents in memory until the next write of their row.
type lazyLedger struct {
	call.Ledger
	mu   sync.Mutex
	held map[string]call.Write
}

// Update implements call.Ledger.
func (l *lazyLedger) Update(ctx context.Context, w call.Write) (call.Written, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if w.Entry.Kind == call.EventIntent {
		l.held[w.Row.ID] = w
		return call.Written{Applied: true, Row: w.Row}, nil
	}
	if earlier, ok := l.held[w.Row.ID]; ok {
		delete(l.held, w.Row.ID)
		if _, err := l.Ledger.Update(ctx, earlier); err != nil {
			return call.Written{}, err
		}
	}
	return l.Ledger.Update(ctx, w)
}

// forgetfulLedger answers a new row that waits as durable and does not keep it.
type forgetfulLedger struct{ call.Ledger }

// Create implements call.Ledger.
func (l forgetfulLedger) Create(ctx context.Context, w call.Write) (call.Written, error) {
	if w.Row.State == call.Canceled {
		return call.Written{Applied: true, Row: w.Row}, nil
	}
	return l.Ledger.Create(ctx, w)
}

// unwrittenLedger answers a hold as durable and does not keep it.
type unwrittenLedger struct{ call.Ledger }

// Update implements call.Ledger.
func (l unwrittenLedger) Update(ctx context.Context, w call.Write) (call.Written, error) {
	if w.Entry.Kind == call.EventHeld {
		return call.Written{Applied: true, Row: w.Row}, nil
	}
	return l.Ledger.Update(ctx, w)
}

// sluggishLedger adds a month to every hold.
type sluggishLedger struct{ call.Ledger }

// Update implements call.Ledger.
func (l sluggishLedger) Update(ctx context.Context, w call.Write) (call.Written, error) {
	if w.Entry.Kind == call.EventHeld {
		w.Row.Due = w.Row.Due.Add(30 * 24 * time.Hour)
	}
	return l.Ledger.Update(ctx, w)
}

// lyingDialer calls a lost answer something definite.
type lyingDialer struct {
	call.Dialer
	class call.Class
}

// Dial implements call.Dialer.
func (d lyingDialer) Dial(ctx context.Context, s call.Send) call.Answer {
	a := d.Dialer.Dial(ctx, s)
	if a.Class == call.ClassAmbiguous {
		a.Class = d.class
	}
	return a
}

// eagerDialer sends each attempt once more after an answer that was lost, as a client library does that retries by itself.
type eagerDialer struct{ call.Dialer }

// Dial implements call.Dialer.
func (d eagerDialer) Dial(ctx context.Context, s call.Send) call.Answer {
	if a := d.Dialer.Dial(ctx, s); a.Class != call.ClassAmbiguous {
		return a
	}
	return d.Dialer.Dial(ctx, s)
}

// blindDialer finds nothing.
type blindDialer struct{ call.Dialer }

// Search implements call.Dialer.
func (blindDialer) Search(context.Context, call.Target, string, time.Time, time.Time) ([]call.Contact, error) {
	return nil, nil
}

// freshToken invents a token for each attempt.
type freshToken struct {
	call.Dialer
	mu    sync.Mutex
	count byte
}

// Dial implements call.Dialer.
func (d *freshToken) Dial(ctx context.Context, s call.Send) call.Answer {
	d.mu.Lock()
	d.count++
	token := s.Token[:len(s.Token)-2] + hex.EncodeToString([]byte{d.count})
	d.mu.Unlock()
	s.Body = bytes.Replace(s.Body, []byte(s.Token), []byte(token), 1)
	s.Token = token
	return d.Dialer.Dial(ctx, s)
}

// eraserOf returns the eraser that every driver is.
func eraserOf(l call.Ledger) call.Eraser {
	eraser, ok := l.(call.Eraser)
	if !ok {
		panic("a driver that cannot erase")
	}
	return eraser
}

// deletingLedger forgets that a forgotten request was ever there: the next delivery of its key begins anew.
type deletingLedger struct{ call.Ledger }

// Erase implements call.Eraser.
func (l deletingLedger) Erase(ctx context.Context, w call.Write) (call.Written, error) {
	return eraserOf(l.Ledger).Erase(ctx, w)
}

// Scrub implements call.Eraser.
func (l deletingLedger) Scrub(ctx context.Context, recipient string, ids []string) error {
	return eraserOf(l.Ledger).Scrub(ctx, recipient, ids)
}

// Get implements call.Ledger.
func (l deletingLedger) Get(ctx context.Context, id string) (call.Call, error) {
	c, err := l.Ledger.Get(ctx, id)
	if c.IsForgotten() {
		return call.Call{}, call.ErrNotFound
	}
	return c, err
}

// Create implements call.Ledger.
func (l deletingLedger) Create(ctx context.Context, w call.Write) (call.Written, error) {
	written, err := l.Ledger.Create(ctx, w)
	if err != nil || written.Applied || !written.Row.IsForgotten() {
		return written, err
	}
	event, err := w.Entry.Event()
	if err != nil {
		return call.Written{}, err
	}
	anew, err := written.Row.Write(event, w.Entry.Op)
	if err != nil {
		return call.Written{}, err
	}
	anew.Row.Forgotten, anew.Row.Pin = time.Time{}, w.Row.Pin
	return l.Ledger.Update(ctx, anew)
}

// keepingLedger erases, and keeps the number for the statistics.
type keepingLedger struct{ call.Ledger }

// Erase implements call.Eraser.
func (l keepingLedger) Erase(ctx context.Context, w call.Write) (call.Written, error) {
	if c, err := l.Get(ctx, w.Row.ID); err == nil {
		w.Row.Destination = c.Destination
	}
	return eraserOf(l.Ledger).Erase(ctx, w)
}

// Scrub implements call.Eraser.
func (l keepingLedger) Scrub(ctx context.Context, recipient string, ids []string) error {
	return eraserOf(l.Ledger).Scrub(ctx, recipient, ids)
}
