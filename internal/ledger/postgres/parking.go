package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/postgres/queries"
)

// Park implements [call.Parking].
func (l *Ledger) Park(ctx context.Context, p call.Parked) (fresh bool, err error) {
	if err := l.writable(ctx); err != nil {
		return false, err
	}
	body, err := json.Marshal(p)
	if err != nil {
		return false, fmt.Errorf("encode the parked record %s: %w", p.ID, err)
	}
	kept, err := l.queries.Park(ctx, queries.ParkParams{ID: p.ID, Body: body, Document: p.Document})
	return kept > 0 && err == nil, l.failed(explain(err, "park a record"))
}

// Parked implements [call.Parking].
func (l *Ledger) Parked(ctx context.Context, id string) (call.Parked, error) {
	if err := l.usable(ctx); err != nil {
		return call.Parked{}, err
	}
	row, err := l.queries.ParkedRecord(ctx, id)
	if err != nil {
		return call.Parked{}, l.absent(err, "parked record", id, "read a parked record")
	}
	p, err := parkedOf(row.Body)
	p.Document = row.Document
	return p, err
}

func parkedOf(body []byte) (p call.Parked, err error) {
	if err = json.Unmarshal(body, &p); err != nil {
		err = undecodable(err)
	}
	return p, err
}

// ListParked implements [call.Parking].
func (l *Ledger) ListParked(ctx context.Context, limit int) ([]call.Parked, error) {
	if err := l.usable(ctx); err != nil {
		return nil, err
	}
	bodies, err := l.queries.ListParked(ctx, most(limit))
	if err != nil {
		return nil, l.failed(explain(err, "list its parked records"))
	}
	var waiting []call.Parked
	for _, body := range bodies {
		p, err := parkedOf(body)
		if err != nil {
			return nil, err
		}
		waiting = append(waiting, p)
	}
	return waiting, nil
}

// CloseParked implements [call.Parking]. Of two ends at once the first stays: the second finds nothing that waits.
func (l *Ledger) CloseParked(ctx context.Context, id string, end call.ParkedEnd, at time.Time) error {
	if err := l.writable(ctx); err != nil {
		return err
	}
	p, err := l.Parked(ctx, id)
	if err != nil || p.Closed != "" {
		return err
	}
	p.Closed, p.ClosedAt = end, at
	body, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("encode the parked record %s: %w", id, err)
	}
	_, err = l.queries.CloseParked(ctx, queries.CloseParkedParams{Body: body, ID: id})
	return l.failed(explain(err, "close a parked record"))
}
