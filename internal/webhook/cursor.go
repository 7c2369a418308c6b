package webhook

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// cursor is how far an endpoint was told of a call, and until when one process is telling it.
type cursor struct {
	Seq   int64 `json:"seq"`
	Until int64 `json:"until,omitempty"` // Unix nanoseconds; zero when nobody tells
}

const (
	// leaseTime is how long a process has a call's endpoint for itself: longer than one request may take.
	leaseTime = time.Minute
	// cursorTime is how long a cursor is kept after it last moved.
	cursorTime = 90 * 24 * time.Hour
)

// ErrBusy means that another process, or another goroutine of this one, tells the same call. It is tried again.
var ErrBusy = errors.New("the call is being told by another process")

// cellPrefix is of the cells of cursors.
const cellPrefix = "hook/"

func cellOf(endpoint, row string) string {
	sum := sha256.Sum256([]byte(endpoint + "\x00" + row))
	return cellPrefix + hex.EncodeToString(sum[:16])
}

// position is a cursor with the cell it lies in.
type position struct {
	cells call.Cells
	cell  call.Cell
	cursor
}

func read(ctx context.Context, cells call.Cells, name string) (position, error) {
	cell, err := cells.Cell(ctx, name)
	if err != nil {
		return position{}, fmt.Errorf("read how far a producer was told: %w", err)
	}
	p := position{cells: cells, cell: cell}
	if len(cell.Data) > 0 {
		if err := json.Unmarshal(cell.Data, &p.cursor); err != nil {
			return position{}, fmt.Errorf("read how far a producer was told: %w", err)
		}
	}
	return p, nil
}

// write moves the cursor, if nobody has moved it since it was read.
func (p *position) write(ctx context.Context, next cursor, now time.Time) error {
	data, err := json.Marshal(next)
	if err != nil {
		return fmt.Errorf("encode how far a producer was told: %w", err)
	}
	cell, ok, err := p.cells.SetCell(ctx, call.Cell{Name: p.cell.Name, Version: p.cell.Version + 1, Data: data, Expires: now.Add(cursorTime)})
	switch {
	case err != nil:
		return fmt.Errorf("write how far a producer was told: %w", err)
	case !ok:
		return ErrBusy
	}
	p.cell, p.cursor = cell, next
	return nil
}

// release ends the lease and keeps how far was told. Where the cursor was moved back meanwhile it stays there, and ErrBusy says that there is more to tell:
// without that nobody could begin before the lease ends.
func (p *position) release(ctx context.Context, now time.Time) error {
	held := p.Until
	err := p.write(ctx, cursor{Seq: p.Seq}, now)
	for range backTries {
		if !errors.Is(err, ErrBusy) {
			return err
		}
		moved, readErr := read(ctx, p.cells, p.cell.Name)
		if readErr != nil || moved.Until != held {
			return errors.Join(err, readErr)
		}
		if err = moved.write(ctx, cursor{Seq: moved.Seq}, now); err == nil {
			return ErrBusy
		}
	}
	return err
}
