package memory

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// Park implements [call.Parking].
func (l *Ledger) Park(ctx context.Context, p call.Parked) (fresh bool, err error) {
	if err := l.usable(ctx); err != nil {
		return false, err
	}
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	if _, known := l.store.parked[p.ID]; known {
		return false, nil
	}
	p.Document = slices.Clone(p.Document)
	l.store.parked[p.ID] = p
	return true, nil
}

// Parked implements [call.Parking].
func (l *Ledger) Parked(ctx context.Context, id string) (call.Parked, error) {
	if err := l.usable(ctx); err != nil {
		return call.Parked{}, err
	}
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	p, known := l.store.parked[id]
	if !known {
		return call.Parked{}, fmt.Errorf("parked record %s: %w", id, call.ErrNotFound)
	}
	p.Document = slices.Clone(p.Document)
	return p, nil
}

// ListParked implements [call.Parking].
func (l *Ledger) ListParked(ctx context.Context, limit int) ([]call.Parked, error) {
	if err := l.usable(ctx); err != nil {
		return nil, err
	}
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	var waiting []call.Parked
	for _, p := range l.store.parked {
		if p.Closed == "" {
			p.Document = nil
			waiting = append(waiting, p)
		}
	}
	slices.SortFunc(waiting, func(a, b call.Parked) int { return a.At.Compare(b.At) })
	return waiting[:min(len(waiting), max(limit, 0))], nil
}

// CloseParked implements [call.Parking].
func (l *Ledger) CloseParked(ctx context.Context, id string, end call.ParkedEnd, at time.Time) error {
	if err := l.usable(ctx); err != nil {
		return err
	}
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	p, known := l.store.parked[id]
	if !known {
		return fmt.Errorf("parked record %s: %w", id, call.ErrNotFound)
	}
	if p.Closed == "" {
		p.Closed, p.ClosedAt, p.Document = end, at, nil
		l.store.parked[id] = p
	}
	return nil
}
