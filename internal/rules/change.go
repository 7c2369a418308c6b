package rules

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// changeTries bounds how often one cell is tried that others write at the same time: each lost compare means that somebody else got on.
const changeTries = 200

// errorTries bounds how often a cell is tried whose store answers an error.
const errorTries = 3

var errContended = errors.New("the cell never takes the write")

// readCell decodes a cell; one that does not exist is the zero value.
func readCell[T any](ctx context.Context, cells call.Cells, name string) (T, call.Cell, error) {
	var value T
	cell, err := cells.Cell(ctx, name)
	if err != nil {
		return value, cell, fmt.Errorf("read the cell %s: %w", name, err)
	}
	value, err = decodeCell[T](cell)
	return value, cell, err
}

func decodeCell[T any](cell call.Cell) (T, error) {
	var value T
	if cell.Version == 0 || len(cell.Data) == 0 {
		return value, nil
	}
	if err := json.Unmarshal(cell.Data, &value); err != nil {
		return value, fmt.Errorf("decode the cell %s: %w", cell.Name, err)
	}
	return value, nil
}

// changeCell changes a cell by compare-and-set. apply is called with what the cell holds, again after each lost compare and each error, and
// says whether there is something to write and until when the cell is needed; zero means for ever. An error of the store is ambiguous, so
// apply recognizes what an earlier try of its own has done. Its own error ends the change.
func changeCell[T any](ctx context.Context, cells call.Cells, name string, apply func(*T) (write bool, expires time.Time, err error)) error {
	_, err := changeKnown(ctx, cells, call.Cell{Name: name}, apply)
	return err
}

// changeKnown is changeCell for who knows what the cell held last: that is tried first, without a read, unless its version is zero. It returns what the
// cell holds now as far as that is known.
func changeKnown[T any](ctx context.Context, cells call.Cells, known call.Cell, apply func(*T) (write bool, expires time.Time, err error)) (now call.Cell, err error) {
	name, cell := known.Name, known
	var value T
	if known.Version > 0 {
		value, err = decodeCell[T](known)
	} else {
		value, cell, err = readCell[T](ctx, cells, name)
	}
	failures := 0
	for range changeTries {
		if err == nil {
			var write, ok bool
			var expires time.Time
			if write, expires, err = apply(&value); err != nil || !write {
				return cell, err
			}
			if cell, ok, err = setCell(ctx, cells, name, cell.Version+1, value, expires); err == nil && ok {
				return cell, nil
			}
		}
		if err != nil {
			if failures++; failures >= errorTries || ctx.Err() != nil {
				return call.Cell{Name: name}, err
			}
			value, cell, err = readCell[T](ctx, cells, name)
			continue
		}
		value, err = decodeCell[T](cell)
	}
	return call.Cell{Name: name}, fmt.Errorf("change the cell %s: %w", name, errContended)
}

func setCell[T any](ctx context.Context, cells call.Cells, name string, version int64, value T, expires time.Time) (call.Cell, bool, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return call.Cell{}, false, fmt.Errorf("encode the cell %s: %w", name, err)
	}
	now, ok, err := cells.SetCell(ctx, call.Cell{Name: name, Version: version, Data: data, Expires: expires})
	if err != nil {
		return now, false, fmt.Errorf("write the cell %s: %w", name, err)
	}
	return now, ok, nil
}
