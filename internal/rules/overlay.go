package rules

import (
	"context"
	"sync"

	"github.com/ringonce/ringonce/internal/call"
)

// overlay is cells whose writes land beside those of a ledger: what is rehearsed on it changes nothing.
type overlay struct {
	call.Cells

	mu      sync.Mutex
	written map[string]call.Cell
}

// Cell implements [call.Cells].
func (o *overlay) Cell(ctx context.Context, name string) (call.Cell, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if c, ok := o.written[name]; ok {
		return c, nil
	}
	return o.Cells.Cell(ctx, name)
}

// SetCell implements [call.Cells].
func (o *overlay) SetCell(ctx context.Context, c call.Cell) (now call.Cell, ok bool, err error) {
	now, err = o.Cell(ctx, c.Name)
	if err != nil || now.Version != c.Version-1 {
		return now, false, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.written[c.Name] = c
	return c, true, nil
}
