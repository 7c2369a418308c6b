package call

import (
	"context"
	"fmt"
	"time"
)

const (
	// MaxCellBytes bounds the data of a cell, so that every ledger can hold it (an item of DynamoDB: 400 KB).
	MaxCellBytes = 64 << 10
	// MaxCellName bounds the name of a cell, in bytes.
	MaxCellName = 255
)

// Cell is a small record that belongs to no call: a counter of rings, a switch, an entry of the do-not-call list.
type Cell struct {
	Name    string    // of printable ASCII, at most MaxCellName bytes; it holds no id of a person in clear
	Version int64     // 1 is the first; 0 stands for a cell that does not exist
	Data    []byte    // at most MaxCellBytes
	Expires time.Time // from then on it may be removed; zero means never
}

// Cells keeps cells by compare-and-set and holds no policy. What it reads and writes by name is durable and linearizable as a [Ledger] is.
// An error of another code than CodeFieldValue is ambiguous: the caller reads the cell again. No promise rests on cells: a ledger that was restored from a
// backup has the cells of the backup. They are no calls: they count for no high-water, and forgetting a recipient does not touch them.
// Implementations are safe for concurrent use and keep nothing of the data that they are given, nor what they return.
type Cells interface {
	// Cell returns a cell, also one that has expired and is still there. One that does not exist comes back with its name and nothing else.
	Cell(ctx context.Context, name string) (Cell, error)
	// SetCell writes the cell if the version in the store is c.Version-1, and refuses what Cell.Check does. A lost compare comes back with ok
	// false and the current cell. A write whose answer was lost is not recognized when it is sent again: it loses against itself.
	SetCell(ctx context.Context, c Cell) (now Cell, ok bool, err error)
	// ListCells returns at most limit cells whose names begin with prefix and come after the name after, in the order of their bytes. Which
	// cells there are it may tell late; each one is as a read of it would show it.
	ListCells(ctx context.Context, prefix, after string, limit int) ([]Cell, error)
	// PruneCells removes at most limit cells that expired before now, and returns how many; those of the last hour it may leave for later. A
	// cell that was removed does not exist any more: its next version is 1. One that was renewed meanwhile is not removed.
	PruneCells(ctx context.Context, now time.Time, limit int) (int, error)
}

// The years of Cell.Expires lie between these: drivers keep times as unix nanoseconds.
const (
	firstExpiry = 1970
	lastExpiry  = 2261
)

// Check returns an *Error of CodeFieldValue for a cell that no store may take.
func (c Cell) Check() error {
	if err := CheckCellName(c.Name); err != nil {
		return err
	}
	switch year := c.Expires.UTC().Year(); {
	case c.Version < 1:
		return badCell("The version of a cell is %d.", "Write the version after the one that was read; 1 is the first.", c.Version)
	case len(c.Data) > MaxCellBytes:
		return badCell("A cell holds at most %d bytes.", "Keep less in it, or use several.", MaxCellBytes)
	case !c.Expires.IsZero() && (year < firstExpiry || year > lastExpiry):
		return badCell("A cell expires in the year %d.", "Give a time of the years 1970 to 2261, or none.", year)
	}
	return nil
}

// CheckCellName returns an *Error of CodeFieldValue for a name that no cell may have.
func CheckCellName(name string) error {
	if name == "" {
		return badCell("A cell has no name.", "Give it one.")
	}
	return CheckCellPart(name)
}

// CheckCellPart is [CheckCellName] for the beginning of a name, which may be empty.
func CheckCellPart(part string) error {
	if len(part) > MaxCellName {
		return badCell("The name of a cell has %d bytes.", "Give it at most 255.", len(part))
	}
	for i := range len(part) {
		if part[i] < ' ' || part[i] > '~' {
			return badCell("The name of a cell has the byte 0x%02x.", "Use printable ASCII.", part[i])
		}
	}
	return nil
}

// badCell makes the error; it shows no name, in case somebody put an id into it.
func badCell(format, fix string, args ...any) error {
	return &Error{Code: CodeFieldValue, Field: "cell", Message: fmt.Sprintf(format, args...), Fix: fix}
}
