package sim_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// misreadDialer takes one class of answers for another.
type misreadDialer struct {
	call.Dialer
	from, to call.Class
}

// Dial implements call.Dialer.
func (d misreadDialer) Dial(ctx context.Context, s call.Send) call.Answer {
	a := d.Dialer.Dial(ctx, s)
	if a.Class == d.from {
		a.Class = d.to
	}
	return a
}

// guardlessDialer signs whenever it comes to it.
type guardlessDialer struct{ call.Dialer }

// Dial implements call.Dialer.
func (d guardlessDialer) Dial(ctx context.Context, s call.Send) call.Answer {
	s.NotBefore, s.NotAfter = s.NotBefore.AddDate(-1, 0, 0), s.NotAfter.AddDate(1, 0, 0)
	return d.Dialer.Dial(ctx, s)
}

// driftingDialer sends what it sends from the second minute on with another flow, as a program does that makes it from its configuration.
type driftingDialer struct{ call.Dialer }

// Dial implements call.Dialer.
func (d driftingDialer) Dial(ctx context.Context, s call.Send) call.Answer {
	if time.Now().After(time.Date(2000, 1, 1, 0, 1, 0, 0, time.UTC)) { // a bubble begins at midnight of 2000-01-01; the deployment is in its first minute
		s.Body = bytes.Replace(s.Body, []byte("222222222222\""), []byte("222222222223\""), 1)
	}
	return d.Dialer.Dial(ctx, s)
}

// unstoppedDialer lets every contact ring on.
type unstoppedDialer struct{ call.Dialer }

// Stop implements call.Dialer.
func (unstoppedDialer) Stop(context.Context, call.Target, string) error { return nil }

// incuriousDialer knows no contact.
type incuriousDialer struct{ call.Dialer }

// Describe implements call.Dialer.
func (incuriousDialer) Describe(context.Context, call.Target, string) (call.Contact, error) {
	return call.Contact{}, call.ErrNotFound
}

// ringlessToken makes the same token for every ring of a key.
func ringlessToken(in call.TokenInput) (string, error) {
	sum := sha256.Sum256([]byte(in.NotificationID + "\x00" + in.RecipientID + "\x00" + in.RecallID))
	return hex.EncodeToString(sum[:16]), nil
}

// missingLedger has no row of those that are gone: the next delivery of their key begins anew.
type missingLedger struct {
	call.Ledger
	gone func(call.Call) bool
}

// forgottenByNow is the memory of a store whose rows expire with the token.
func forgottenByNow(c call.Call) bool {
	return c.State.Final() && !time.Now().Before(c.FinalAt.Add(call.TokenValidity))
}

// Get implements call.Ledger.
func (l missingLedger) Get(ctx context.Context, id string) (call.Call, error) {
	c, err := l.Ledger.Get(ctx, id)
	if err == nil && l.gone(c) {
		return call.Call{}, call.ErrNotFound
	}
	return c, err
}

// Create implements call.Ledger.
func (l missingLedger) Create(ctx context.Context, w call.Write) (call.Written, error) {
	written, err := l.Ledger.Create(ctx, w)
	if err != nil || written.Applied || !l.gone(written.Row) {
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
	anew.Row.Pin = w.Row.Pin
	return l.Ledger.Update(ctx, anew)
}

// opsForgotten takes its own write whose answer was lost for somebody else's.
type opsForgotten struct {
	call.Ledger
	seen map[string]bool
}

func forgetsOps(l call.Ledger) call.Ledger { return opsForgotten{l, map[string]bool{}} }

// Create implements call.Ledger.
func (l opsForgotten) Create(ctx context.Context, w call.Write) (call.Written, error) {
	written, err := l.Ledger.Create(ctx, w)
	if err == nil && l.seen[w.Entry.Op] {
		written.Applied = false
	}
	l.seen[w.Entry.Op] = true
	return written, err
}

// deafLedger drops what an attempt was answered after its lease.
type deafLedger struct{ call.Ledger }

// Update implements call.Ledger.
func (l deafLedger) Update(ctx context.Context, w call.Write) (call.Written, error) {
	c, err := l.Get(ctx, w.Row.ID)
	if err == nil && w.Entry.Kind == call.EventResult && len(c.Open) > 0 && w.Entry.At.After(c.Open[0].LeaseEnd) {
		return call.Written{Applied: true, Row: w.Row}, nil
	}
	return l.Ledger.Update(ctx, w)
}

// droppingLedger answers one kind of write as durable and does not keep it.
type droppingLedger struct {
	call.Ledger
	kind call.EventKind
}

// Update implements call.Ledger.
func (l droppingLedger) Update(ctx context.Context, w call.Write) (call.Written, error) {
	if w.Entry.Kind == l.kind {
		return call.Written{Applied: true, Row: w.Row}, nil
	}
	return l.Ledger.Update(ctx, w)
}
