package app_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"sync"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// defect is a part of the protocol that is taken out, as a wrapper.
type defect struct {
	name   string
	ledger func(call.Ledger) call.Ledger
	dialer func(call.Dialer) call.Dialer
	random bool                                  // the token is random
	hinted func(*world, call.Ledger) call.Ledger // as ledger, in a world with hints
}

// token returns the recipe of a defect; nil means the configured one.
func (d defect) token(w *world) func(call.TokenInput) (string, error) {
	if !d.random {
		return nil
	}
	return func(call.TokenInput) (string, error) {
		var b [16]byte
		_, err := w.ops.Read(b[:])
		return hex.EncodeToString(b[:]), err
	}
}

// defects are the planted ones. Each must be seen within the default seeds.
func defects() []defect {
	return []defect{
		{name: "a ledger without compare", ledger: func(l call.Ledger) call.Ledger { return blindLedger{l} }},
		{name: "an intent that is not durable", ledger: func(l call.Ledger) call.Ledger { return &lazyLedger{Ledger: l, held: map[string]call.Write{}} }},
		{name: "a ledger that acknowledges and forgets", ledger: func(l call.Ledger) call.Ledger { return forgetfulLedger{l} }},
		{name: "a lost answer reported as a refusal", dialer: func(d call.Dialer) call.Dialer { return lyingDialer{d, call.ClassRefusedRequest} }},
		{name: "a lost answer reported as not sent", dialer: func(d call.Dialer) call.Dialer { return lyingDialer{d, call.ClassNotSent} }},
		{name: "a dialer that sends twice", dialer: func(d call.Dialer) call.Dialer { return &eagerDialer{Dialer: d} }},
		{name: "a random token in the body", dialer: func(d call.Dialer) call.Dialer { return &freshToken{Dialer: d} }},
		{name: "forgetting deletes the row", ledger: func(l call.Ledger) call.Ledger { return deletingLedger{l} }},
		{name: "forgetting keeps the number", ledger: func(l call.Ledger) call.Ledger { return keepingLedger{l} }},
		{name: "restore without its recovery"},
		{name: "restore with a random token, where no search finds the contact", random: true, dialer: func(d call.Dialer) call.Dialer { return blindDialer{d} }},
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
func (d *eagerDialer) Dial(ctx context.Context, s call.Send) call.Answer {
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
