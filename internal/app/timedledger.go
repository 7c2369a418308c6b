package app

import (
	"context"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// timedLedger measures how long a ledger takes to answer, errors included. It adds nothing else.
type timedLedger struct {
	inner   call.Ledger
	metrics *Metrics
}

// timed returns the ledger with its time measured, and itself where nobody asks.
func timed(l call.Ledger, m *Metrics) call.Ledger {
	if m == nil {
		return l
	}
	return timedLedger{l, m}
}

// timedPeek measures a ledger's cheaper read in the same way.
func timedPeek(peek func(context.Context, string) (call.Call, error), m *Metrics) func(context.Context, string) (call.Call, error) {
	if m == nil || peek == nil {
		return peek
	}
	t := timedLedger{metrics: m}
	return func(ctx context.Context, id string) (call.Call, error) {
		defer t.begin()()
		return peek(ctx, id)
	}
}

// begin returns what is to be called at the end.
func (t timedLedger) begin() func() {
	start := t.metrics.clock.Now()
	return func() { t.metrics.ledgerTook(t.metrics.clock.Now().Sub(start)) }
}

// Create implements call.Ledger.
func (t timedLedger) Create(ctx context.Context, w call.Write) (call.Written, error) {
	defer t.begin()()
	return t.inner.Create(ctx, w)
}

// Get implements call.Ledger.
func (t timedLedger) Get(ctx context.Context, id string) (call.Call, error) {
	defer t.begin()()
	return t.inner.Get(ctx, id)
}

// Update implements call.Ledger.
func (t timedLedger) Update(ctx context.Context, w call.Write) (call.Written, error) {
	defer t.begin()()
	return t.inner.Update(ctx, w)
}

// Due implements call.Ledger.
func (t timedLedger) Due(ctx context.Context, now time.Time, limit int) ([]string, error) {
	defer t.begin()()
	return t.inner.Due(ctx, now, limit)
}

// Identity implements call.Ledger. It is asked once, before the first delivery, and is not measured.
func (t timedLedger) Identity(ctx context.Context) (call.LedgerIdentity, error) {
	return t.inner.Identity(ctx)
}
