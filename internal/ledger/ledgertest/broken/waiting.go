package broken

import (
	"context"
	"errors"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/ledgertest"
)

var errNoPages = errors.New("broken: the ledger below finds no parked calls")

func waitingDefects() []Defect {
	of := func(d parkedDefect) func(ledgertest.Ledger, *memo) ledgertest.Ledger {
		return func(l ledgertest.Ledger, _ *memo) ledgertest.Ledger { return &strayPages{l, d} }
	}
	return []Defect{
		{Name: "the last of a page of parked calls comes again", Suite: "Waiting", wrap: of(pageRepeats)},
		{Name: "all that wait count as parked", Suite: "Waiting", wrap: of(allWait)},
		{Name: "every place is the beginning", Suite: "Waiting", wrap: of(oneBeginning)},
	}
}

// ParkedCalls implements [call.ParkedCalls].
func (h *handle) ParkedCalls(ctx context.Context, after string, limit int) ([]string, string, error) {
	if l, ok := h.Ledger.(call.ParkedCalls); ok {
		return l.ParkedCalls(ctx, after, limit)
	}
	if l, ok := h.sound.(call.ParkedCalls); ok {
		return l.ParkedCalls(ctx, after, limit)
	}
	return nil, "", errNoPages
}

// ParkedFrom implements [call.ParkedCalls].
func (h *handle) ParkedFrom(ctx context.Context, share float64) (string, error) {
	if l, ok := h.Ledger.(call.ParkedCalls); ok {
		return l.ParkedFrom(ctx, share)
	}
	if l, ok := h.sound.(call.ParkedCalls); ok {
		return l.ParkedFrom(ctx, share)
	}
	return "", errNoPages
}

type parkedDefect int

const (
	pageRepeats parkedDefect = iota
	allWait
	oneBeginning
)

// strayPages finds parked calls wrongly.
type strayPages struct {
	ledgertest.Ledger

	defect parkedDefect
}

func (l *strayPages) ParkedCalls(ctx context.Context, after string, limit int) ([]string, string, error) {
	sound, ok := l.Ledger.(call.ParkedCalls)
	if !ok {
		return nil, "", errNoPages
	}
	if l.defect == allWait {
		ids, _, err := l.Unfinished(ctx, "", limit)
		return ids, "", err
	}
	ids, next, err := sound.ParkedCalls(ctx, after, limit)
	if l.defect == pageRepeats && len(ids) > 1 && next != "" {
		_, next, err = sound.ParkedCalls(ctx, after, limit-1)
	}
	return ids, next, err
}

func (l *strayPages) ParkedFrom(ctx context.Context, share float64) (string, error) {
	sound, ok := l.Ledger.(call.ParkedCalls)
	if !ok {
		return "", errNoPages
	}
	if l.defect == oneBeginning {
		share = 0
	}
	return sound.ParkedFrom(ctx, share)
}
