package twoperson

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/call"
)

// Desk keeps orders in cells. All members are required.
type Desk struct {
	Cells  call.Cells
	Clock  call.Clock
	Random io.Reader // of ids
}

// cellPrefix is of the names of the cells.
const cellPrefix = "twoperson/"

// kept is how long an order can be looked up after its day.
const kept = 90 * 24 * time.Hour

const tries = 5

// Propose keeps a new order and returns it.
func (d Desk) Propose(ctx context.Context, who access.Principal, action string, calls []string, reason string) (Order, error) {
	var id [10]byte
	if _, err := io.ReadFull(d.Random, id[:]); err != nil {
		return Order{}, fmt.Errorf("twoperson: no randomness for an id: %w", err)
	}
	o, err := Propose(who, hex.EncodeToString(id[:]), action, calls, reason, d.Clock.Now())
	if err != nil {
		return Order{}, err
	}
	return d.move(ctx, o.ID, func(now Order) (Order, error) {
		if now.ID != "" && now.Digest() != o.Digest() {
			return now, refuse(call.CodeConflict, "id", "An order of this id exists.", "Propose it again.")
		}
		return o, nil
	})
}

// Confirm confirms an order. Of two confirmations at once one wins, and the other is told that the order is not pending any more.
func (d Desk) Confirm(ctx context.Context, who access.Principal, id, seen string) (Order, error) {
	return d.decide(ctx, who, id, Confirmed, func(o Order, now time.Time) (Order, error) { return o.Confirm(who, seen, now) })
}

// Withdraw gives an order up.
func (d Desk) Withdraw(ctx context.Context, who access.Principal, id string) (Order, error) {
	return d.decide(ctx, who, id, Withdrawn, func(o Order, now time.Time) (Order, error) { return o.Withdraw(who, now) })
}

// decide moves an order once. A decision whose answer was lost is found again by its instant.
func (d Desk) decide(ctx context.Context, who access.Principal, id string, to State, how func(Order, time.Time) (Order, error)) (Order, error) {
	at := d.Clock.Now().UTC()
	return d.move(ctx, id, func(o Order) (Order, error) {
		if o.ID == "" {
			return o, errNoOrder()
		}
		if o.State == to && o.Second == who.Name && o.Decided.Equal(at) {
			return o, nil
		}
		return how(o, at)
	})
}

// Finish marks a confirmed order as carried out. Doing so twice changes nothing.
func (d Desk) Finish(ctx context.Context, id string) (Order, error) {
	return d.move(ctx, id, func(o Order) (Order, error) {
		if o.ID == "" {
			return o, errNoOrder()
		}
		return o.finish()
	})
}

// Order returns an order.
func (d Desk) Order(ctx context.Context, id string) (Order, error) {
	o, _, err := d.read(ctx, id)
	if err == nil && o.ID == "" {
		return o, errNoOrder()
	}
	return o, err
}

// List returns at most limit orders after an id, in the order of their ids, which are random.
func (d Desk) List(ctx context.Context, after string, limit int) ([]Order, error) {
	if after != "" {
		after = cellPrefix + after
	}
	cells, err := d.Cells.ListCells(ctx, cellPrefix, after, limit)
	if err != nil {
		return nil, err //nolint:wrapcheck // of the port, in its own words
	}
	all := make([]Order, 0, len(cells))
	for _, cell := range cells {
		o, err := orderOf(cell)
		if err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	return all, nil
}

// move reads, decides and writes until nobody was faster. An error of a write is ambiguous, so the cell is read again.
func (d Desk) move(ctx context.Context, id string, decide func(Order) (Order, error)) (Order, error) {
	var failed error
	for range tries {
		o, version, err := d.read(ctx, id)
		if err != nil {
			return Order{}, err
		}
		next, err := decide(o)
		if err != nil {
			return o, err
		}
		data, err := json.Marshal(next)
		if err != nil {
			return o, fmt.Errorf("twoperson: %w", err)
		}
		_, ok, err := d.Cells.SetCell(ctx, call.Cell{Name: cellPrefix + id, Version: version + 1, Data: data, Expires: next.At.Add(Lasts + kept)})
		if failed = err; err == nil && ok {
			return next, nil
		}
	}
	if failed != nil {
		return Order{}, failed
	}
	return Order{}, refuse(call.CodeConflict, "id", "Others decide on this order at the same time.", "Look at it again.")
}

func (d Desk) read(ctx context.Context, id string) (Order, int64, error) {
	if len(id) > 64 || call.CheckCellPart(id) != nil || id == "" {
		return Order{}, 0, errNoOrder()
	}
	cell, err := d.Cells.Cell(ctx, cellPrefix+id)
	if err != nil {
		return Order{}, 0, err //nolint:wrapcheck // of the port, in its own words
	}
	if cell.Version == 0 {
		return Order{}, 0, nil
	}
	o, err := orderOf(cell)
	return o, cell.Version, err
}

func orderOf(cell call.Cell) (Order, error) {
	var o Order
	if err := json.Unmarshal(cell.Data, &o); err != nil {
		return Order{}, refuse(call.CodeBreach, "id", "An order in the ledger cannot be read.", "Keep a copy of the ledger and report it.")
	}
	return o, nil
}

func errNoOrder() error {
	return refuse(call.CodeNotFound, "id", "There is no order of this id.", "List the orders.")
}
