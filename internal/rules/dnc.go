package rules

import (
	"context"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// DoNotCall is the list of numbers that are never rung: one cell each, under an HMAC of its digits.
type DoNotCall struct {
	cells call.Cells
	names CellNames
}

// NewDoNotCall returns the list in a ledger's cells.
func NewDoNotCall(cells call.Cells, names CellNames) *DoNotCall {
	return &DoNotCall{cells: cells, names: names}
}

// DoNotCallEntry says why a number is not rung.
type DoNotCallEntry struct {
	Number  string    `json:"number"` // masked: what an operator recognizes it by
	Reason  string    `json:"reason"`
	Source  string    `json:"source"` // who said so: key-press, operator, import, ...
	By      string    `json:"by"`
	At      time.Time `json:"at"`
	Removed *Removal  `json:"removed,omitempty"` // the number may be rung again
}

// Removal says why a number may be rung again.
type Removal struct {
	Reason string    `json:"reason"`
	By     string    `json:"by"`
	At     time.Time `json:"at"`
}

const doNotCallKind = "dnc"

// Add puts a number on the list. It acts on the next dial. It is false when the number is there already: the first entry stays.
func (d *DoNotCall) Add(ctx context.Context, number call.Phone, e DoNotCallEntry) (fresh bool, err error) {
	if err := d.names.CheckSecret(ctx, d.cells); err != nil {
		return false, err
	}
	// First the mark that there is a list, so that no process looks past it.
	err = changeCell(ctx, d.cells, switchesCell, func(s *Switches) (bool, time.Time, error) {
		was := s.Listed
		s.Listed = true
		return !was, time.Time{}, nil
	})
	if err != nil {
		return false, err
	}
	e.Number, e.Removed = number.String(), nil
	err = changeCell(ctx, d.cells, d.name(number), func(now *DoNotCallEntry) (bool, time.Time, error) {
		if now.listed() {
			fresh = now.At.Equal(e.At) && now.By == e.By && now.Reason == e.Reason // our own, whose answer was lost
			return false, time.Time{}, nil
		}
		*now, fresh = e, true
		return true, time.Time{}, nil
	})
	return fresh, err
}

// Remove lets a number be rung again. It is false when it is not on the list. The entry stays and says so.
func (d *DoNotCall) Remove(ctx context.Context, number call.Phone, r Removal) (removed bool, err error) {
	err = changeCell(ctx, d.cells, d.name(number), func(now *DoNotCallEntry) (bool, time.Time, error) {
		if !now.listed() {
			removed = now.Removed != nil && now.Removed.At.Equal(r.At) && now.Removed.By == r.By
			return false, time.Time{}, nil
		}
		now.Removed, removed = &r, true
		return true, time.Time{}, nil
	})
	return removed, err
}

// Check returns the entry of a number, and whether it is on the list.
func (d *DoNotCall) Check(ctx context.Context, number call.Phone) (e DoNotCallEntry, listed bool, err error) {
	e, _, err = readCell[DoNotCallEntry](ctx, d.cells, d.name(number))
	return e, err == nil && e.listed(), err
}

// List returns at most limit entries, also removed ones, and where the next page begins; empty at the end. Their order tells nothing.
func (d *DoNotCall) List(ctx context.Context, after string, limit int) (entries []DoNotCallEntry, next string, err error) {
	cells, err := d.cells.ListCells(ctx, doNotCallKind+"/", after, limit)
	if err != nil {
		return nil, "", err
	}
	for _, cell := range cells {
		e, err := decodeCell[DoNotCallEntry](cell)
		if err != nil {
			return nil, "", err
		}
		entries, next = append(entries, e), cell.Name
	}
	if len(cells) < limit {
		next = ""
	}
	return entries, next, nil
}

func (d *DoNotCall) name(number call.Phone) string {
	return d.names.of(doNotCallKind, digits(number.Wire()))
}

func (e DoNotCallEntry) listed() bool { return !e.At.IsZero() && e.Removed == nil }

// refusal says why the number is not rung.
func (e DoNotCallEntry) refusal(number call.Phone) *call.Error {
	why := strings.TrimSuffix(e.Reason, ".")
	if e.Source != "" {
		why += " (" + e.Source + ")"
	}
	return &call.Error{
		Code: call.CodeDoNotCall, Field: "destinationPhoneNumber",
		Message: "The number " + number.String() + " is on the do-not-call list: " + why + ".",
		Fix:     "If the person wants to be called again, remove it: ringonce dnc rm.",
	}
}
