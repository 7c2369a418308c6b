package call

import (
	"context"
	"time"
)

// MaxCellBytes bounds the data of a cell, so that every ledger can hold it (an item of DynamoDB: 400 KB).
const MaxCellBytes = 64 << 10

// Cell is a small record that belongs to no call: a counter of rings, a switch, an entry of the do-not-call list.
type Cell struct {
	Name    string    // of printable ASCII, at most 255 bytes; it holds no id of a person in clear
	Version int64     // 1 is the first; 0 stands for a cell that does not exist
	Data    []byte    // at most MaxCellBytes
	Expires time.Time // from then on it may be removed; zero means never
}

// Cells keeps cells by compare-and-set and holds no policy. It is durable and linearizable as a [Ledger] is. An error is ambiguous: the
// caller reads the cell again. Implementations are safe for concurrent use.
type Cells interface {
	// Cell returns a cell. One that does not exist comes back with its name and nothing else.
	Cell(ctx context.Context, name string) (Cell, error)
	// SetCell writes the cell if the version in the store is c.Version-1. A lost compare comes back with ok false and the current cell.
	SetCell(ctx context.Context, c Cell) (now Cell, ok bool, err error)
	// ListCells returns at most limit cells whose names begin with prefix and come after the name after, in the order of their bytes.
	ListCells(ctx context.Context, prefix, after string, limit int) ([]Cell, error)
	// PruneCells removes at most limit cells that expired before now, and returns how many. A cell that was removed does not exist any more.
	PruneCells(ctx context.Context, now time.Time, limit int) (int, error)
}
