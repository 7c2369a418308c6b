package app

import (
	"context"
	"log/slog"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/trace"
)

// spannedLedger begins a span for each read and write of a ledger below the span of what it is for. It adds nothing else.
type spannedLedger struct {
	call.Ledger

	spans trace.Spans
}

// spannedEraser is a spannedLedger of a ledger that can erase.
type spannedEraser struct {
	spannedLedger
	call.Eraser
}

// spanned returns the ledger with spans, and itself where nobody asks for them.
func spanned(l call.Ledger, spans trace.Spans) call.Ledger {
	if spans == nil {
		return l
	}
	wrapped := spannedLedger{l, spans}
	if eraser, can := l.(call.Eraser); can {
		return spannedEraser{wrapped, eraser}
	}
	return wrapped
}

func (l spannedLedger) begin(ctx context.Context, name string) (context.Context, trace.End) {
	return l.spans.Begin(ctx, trace.Span{Name: name, Below: true})
}

// Create implements call.Ledger.
func (l spannedLedger) Create(ctx context.Context, w call.Write) (call.Written, error) {
	ctx, end := l.begin(ctx, "ledger create")
	written, err := l.Ledger.Create(ctx, w)
	end(failureOf(err), slog.Bool("ringonce.applied", written.Applied))
	return written, err
}

// Get implements call.Ledger.
func (l spannedLedger) Get(ctx context.Context, id string) (call.Call, error) {
	ctx, end := l.begin(ctx, "ledger read")
	c, err := l.Ledger.Get(ctx, id)
	end(failureOf(err))
	return c, err
}

// Update implements call.Ledger.
func (l spannedLedger) Update(ctx context.Context, w call.Write) (call.Written, error) {
	ctx, end := l.begin(ctx, "ledger update")
	written, err := l.Ledger.Update(ctx, w)
	end(failureOf(err), slog.String("ringonce.event", string(w.Entry.Kind)), slog.Bool("ringonce.applied", written.Applied))
	return written, err
}

// Due implements call.Ledger.
func (l spannedLedger) Due(ctx context.Context, now time.Time, limit int) ([]string, error) {
	ctx, end := l.begin(ctx, "ledger due")
	ids, err := l.Ledger.Due(ctx, now, limit)
	end(failureOf(err), slog.Int("ringonce.due", len(ids)))
	return ids, err
}
