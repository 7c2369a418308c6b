package sqlite

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

const (
	insertParked = `INSERT INTO parked (id, waits, body, document) VALUES (?, 1, ?, ?)`
	selectParked = `SELECT body, document FROM parked WHERE id = ?`
	listParked   = `SELECT body FROM parked WHERE waits = 1 ORDER BY number LIMIT ?`
	closeParked  = `UPDATE parked SET waits = 0, body = ?, document = NULL WHERE id = ?`
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
	_, err = l.wait(ctx, &job{kind: jobAct, act: func(w prepare, _ *record) error {
		_, known, err := w.parked(p.ID)
		if fresh = !known; known || err != nil {
			return err
		}
		_, err = w.exec(insertParked, p.ID, body, p.Document)
		return err
	}})
	return fresh && err == nil, err
}

// Parked implements [call.Parking].
func (l *Ledger) Parked(ctx context.Context, id string) (p call.Parked, err error) {
	err = l.read(ctx, "read a parked record", func(r prepare) error {
		var known bool
		if p, known, err = r.parked(id); err == nil && !known {
			err = fmt.Errorf("parked record %s: %w", id, call.ErrNotFound)
		}
		return err
	})
	return p, err
}

// parked reads a record; known is false when there is none of this id.
func (p prepare) parked(id string) (found call.Parked, known bool, err error) {
	err = p.each(func(row []driver.Value) error {
		known = true
		found, err = parkedOf(row[0])
		found.Document = append([]byte(nil), bytesOf(row[1])...)
		return err
	}, selectParked, id)
	return found, known, err
}

func parkedOf(body driver.Value) (p call.Parked, err error) {
	if err = json.Unmarshal(bytesOf(body), &p); err != nil {
		err = undecodable(err)
	}
	return p, err
}

// ListParked implements [call.Parking].
func (l *Ledger) ListParked(ctx context.Context, limit int) (waiting []call.Parked, err error) {
	err = l.read(ctx, "list its parked records", func(r prepare) error {
		return r.each(func(row []driver.Value) error {
			p, err := parkedOf(row[0])
			waiting = append(waiting, p)
			return err
		}, listParked, int64(max(limit, 0)))
	})
	return waiting, err
}

// CloseParked implements [call.Parking].
func (l *Ledger) CloseParked(ctx context.Context, id string, end call.ParkedEnd, at time.Time) error {
	if err := l.writable(ctx); err != nil {
		return err
	}
	known := false
	_, err := l.wait(ctx, &job{kind: jobAct, act: func(w prepare, _ *record) error {
		var p call.Parked
		var err error
		if p, known, err = w.parked(id); err != nil || !known || p.Closed != "" {
			return err
		}
		p.Closed, p.ClosedAt = end, at
		body, err := json.Marshal(p)
		if err != nil {
			return err
		}
		_, err = w.exec(closeParked, body, id)
		return err
	}})
	if err == nil && !known {
		return fmt.Errorf("parked record %s: %w", id, call.ErrNotFound)
	}
	return err
}
