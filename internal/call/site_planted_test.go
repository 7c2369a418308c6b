package call_test

import (
	"context"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/ledgertest"
)

// noOps is a ledger that does not recognize its own ops: what it was sent before is somebody else's.
type noOps struct {
	ledgertest.Ledger

	seen map[string]bool
}

func (l noOps) Create(ctx context.Context, w call.Write) (call.Written, error) {
	return l.disown(w)(l.Ledger.Create(ctx, w))
}

func (l noOps) Update(ctx context.Context, w call.Write) (call.Written, error) {
	return l.disown(w)(l.Ledger.Update(ctx, w))
}

func (l noOps) Erase(ctx context.Context, w call.Write) (call.Written, error) {
	return l.disown(w)(l.Ledger.Erase(ctx, w))
}

func (l noOps) disown(w call.Write) func(call.Written, error) (call.Written, error) {
	return func(written call.Written, err error) (call.Written, error) {
		if written.Applied && l.seen[w.Entry.Op] {
			written.Applied = false
		}
		l.seen[w.Entry.Op] = true
		return written, err
	}
}

// repeats is a ledger that takes a known op for a new one and writes it after the newest version.
type repeats struct {
	ledgertest.Ledger

	seen map[string]bool
}

func (l repeats) Update(ctx context.Context, w call.Write) (call.Written, error) {
	if !l.seen[w.Entry.Op] {
		l.seen[w.Entry.Op] = true
		return l.Ledger.Update(ctx, w)
	}
	c, err := l.Get(ctx, w.Row.ID)
	if err != nil {
		return call.Written{}, err
	}
	event, err := w.Entry.Event()
	if err != nil {
		return call.Written{}, err
	}
	again, err := c.Write(event, w.Entry.Op+"-again")
	if err != nil {
		return call.Written{}, err
	}
	return l.Ledger.Update(ctx, again)
}

func TestALedgerWithoutTheOpCheckIsNoticed(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(ledgertest.Ledger) ledgertest.Ledger{
		"a known op is somebody else's": func(l ledgertest.Ledger) ledgertest.Ledger { return noOps{l, map[string]bool{}} },
		"a known op is applied again":   func(l ledgertest.Ledger) ledgertest.Ledger { return repeats{l, map[string]bool{}} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, wrong := ambiguous(t, onMemory, spoil, everyWrite, 4)
			if len(wrong) == 0 {
				t.Error("nobody noticed")
			}
			t.Logf("%d differences, the first: %s", len(wrong), wrong[:min(1, len(wrong))])
		})
	}
}
