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

// Propose keeps a new order and returns it. The same question under the same id finds the order of before, as it stands: fresh is false then, also for the
// rest of a proposal whose answer was lost. Another question under its id is a conflict.
func (d Desk) Propose(ctx context.Context, who access.Principal, w Wish) (o Order, fresh bool, err error) {
	if w.ID == "" {
		var id [10]byte
		if _, err := io.ReadFull(d.Random, id[:]); err != nil {
			return Order{}, false, fmt.Errorf("twoperson: no randomness for an id: %w", err)
		}
		w.ID = hex.EncodeToString(id[:])
	}
	made, err := Propose(who, w, d.Clock.Now())
	if err != nil {
		return Order{}, false, err
	}
	o, err = d.move(ctx, made.ID, func(now Order) (Order, error) {
		switch {
		case now.ID == "":
			fresh = true
			return made, nil
		case now.Digest() == made.Digest():
			return now, nil
		case now.Ask == "" || now.Ask != made.Ask:
			return now, refuse(call.CodeConflict, "id", "An order of this id asks for something else.", "Choose another id, or leave it out.")
		}
		fresh = false
		return now, nil
	})
	return o, fresh && err == nil, err
}

// Known returns the order of an id as it stands, and false when there is none. Another question than it was made of is a conflict.
func (d Desk) Known(ctx context.Context, id, ask string) (Order, bool, error) {
	o, _, err := d.read(ctx, id)
	if err == nil && o.ID != "" && o.Ask != ask {
		err = refuse(call.CodeConflict, "id", "An order of this id asks for something else.", "Choose another id, or leave it out.")
	}
	return o, err == nil && o.ID != "", err
}

// Confirm confirms an order. Of two confirmations at once one wins, and the other is told that the order is not pending any more.
func (d Desk) Confirm(ctx context.Context, who access.Principal, id, seen string) (Order, error) {
	return d.decide(ctx, who, id, Confirmed, func(o Order, now time.Time) (Order, error) { return o.Confirm(who, seen, now) })
}

// Withdraw gives an order up.
func (d Desk) Withdraw(ctx context.Context, who access.Principal, id, why string) (Order, error) {
	return d.decide(ctx, who, id, Withdrawn, func(o Order, now time.Time) (Order, error) { return o.Withdraw(who, why, now) })
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

// Finish marks a confirmed order as carried out, with a code for each of its calls. Doing so twice changes nothing.
func (d Desk) Finish(ctx context.Context, id string, results []string) (Order, error) {
	return d.move(ctx, id, func(o Order) (Order, error) {
		if o.ID == "" {
			return o, errNoOrder()
		}
		return o.finish(results)
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
		if err != nil || next.same(o) {
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

// same reports whether a decision changed nothing, so that nothing is to be written.
func (o Order) same(other Order) bool {
	return o.ID == other.ID && o.State == other.State && o.Second == other.Second && o.Decided.Equal(other.Decided) && len(o.Results) == len(other.Results) && o.Lease == other.Lease
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
