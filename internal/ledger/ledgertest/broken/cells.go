package broken

import (
	"bytes"
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/ledgertest"
)

func cellDefects() []Defect {
	defect := func(name string, wrap func(ledgertest.Ledger, *memo) ledgertest.Ledger) Defect {
		return Defect{Name: name, Suite: "Cells", wrap: wrap}
	}
	alone := func(name string, wrap func(ledgertest.Ledger) ledgertest.Ledger) Defect {
		return defect(name, func(l ledgertest.Ledger, _ *memo) ledgertest.Ledger { return wrap(l) })
	}
	return []Defect{
		alone("a lost compare of a cell is answered as applied", func(l ledgertest.Ledger) ledgertest.Ledger { return &everyCellWins{l} }),
		alone("a lost compare hides the current cell", func(l ledgertest.Ledger) ledgertest.Ledger { return &hidesCell{l} }),
		alone("the compare and the set of a cell are two steps", func(l ledgertest.Ledger) ledgertest.Ledger {
			return &cellInTwoSteps{Ledger: l, cells: map[string]call.Cell{}}
		}),
		alone("reads of cells come from a cache that writes do not touch", func(l ledgertest.Ledger) ledgertest.Ledger {
			return &cachedCells{Ledger: l, cache: map[string]call.Cell{}}
		}),
		defect("now and then a read of a cell is one write behind", func(l ledgertest.Ledger, m *memo) ledgertest.Ledger {
			return &laggingCells{Ledger: l, memo: m, before: map[string]call.Cell{}}
		}),
		defect("the newest cell dies with its process", func(l ledgertest.Ledger, m *memo) ledgertest.Ledger { return &forgetsCell{l, m} }),
		alone("the data of a cell is cut", func(l ledgertest.Ledger) ledgertest.Ledger { return &cutsCells{l} }),
		alone("the expiry of a cell is kept in seconds", func(l ledgertest.Ledger) ledgertest.Ledger { return &coarseCells{l} }),
		alone("cells of any size and name are taken", func(l ledgertest.Ledger) ledgertest.Ledger { return &takesEverything{l} }),
		alone("cells share their bytes with their writer", func(l ledgertest.Ledger) ledgertest.Ledger {
			return &sharesCells{Ledger: l, cells: map[string][]byte{}}
		}),
		alone("a list of cells begins with the one it should come after", func(l ledgertest.Ledger) ledgertest.Ledger { return &listsAgain{l} }),
		alone("cells are listed without regard to case", func(l ledgertest.Ledger) ledgertest.Ledger { return &listsFolded{l} }),
		alone("the list of cells takes signs of the prefix for patterns", func(l ledgertest.Ledger) ledgertest.Ledger { return &listsPattern{l} }),
		alone("an expired cell is not there although nobody pruned it", func(l ledgertest.Ledger) ledgertest.Ledger { return &hidesExpired{l} }),
	}
}

// everyCellWins does what a write without its version in the condition does.
type everyCellWins struct{ ledgertest.Ledger }

func (l *everyCellWins) SetCell(ctx context.Context, c call.Cell) (call.Cell, bool, error) {
	now, ok, err := l.Ledger.SetCell(ctx, c)
	if err == nil && !ok {
		return c, true, nil
	}
	return now, ok, err
}

// hidesCell leaves the loser without the cell that won.
type hidesCell struct{ ledgertest.Ledger }

func (l *hidesCell) SetCell(ctx context.Context, c call.Cell) (call.Cell, bool, error) {
	now, ok, err := l.Ledger.SetCell(ctx, c)
	if err == nil && !ok {
		now = call.Cell{Name: c.Name}
	}
	return now, ok, err
}

// cellInTwoSteps compares under one lock and sets under another.
type cellInTwoSteps struct {
	ledgertest.Ledger

	mu    sync.Mutex
	cells map[string]call.Cell
}

func (l *cellInTwoSteps) Cell(_ context.Context, name string) (call.Cell, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.cells[name]
	c.Name = name
	return c, nil
}

func (l *cellInTwoSteps) SetCell(ctx context.Context, c call.Cell) (call.Cell, bool, error) {
	now, err := l.Cell(ctx, c.Name)
	if err != nil || now.Version != c.Version-1 {
		return now, false, err
	}
	for range 3 {
		runtime.Gosched() // where another one is compared
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cells[c.Name] = c
	return c, true, nil
}

// cachedCells keeps the first version it read.
type cachedCells struct {
	ledgertest.Ledger

	mu    sync.Mutex
	cache map[string]call.Cell
}

func (l *cachedCells) Cell(ctx context.Context, name string) (call.Cell, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c, known := l.cache[name]; known {
		return c, nil
	}
	c, err := l.Ledger.Cell(ctx, name)
	if err == nil {
		l.cache[name] = c
	}
	return c, err
}

// laggingCells reads from a replica that is one write behind, one time in five.
type laggingCells struct {
	ledgertest.Ledger

	memo   *memo
	mu     sync.Mutex
	before map[string]call.Cell
}

func (l *laggingCells) SetCell(ctx context.Context, c call.Cell) (call.Cell, bool, error) {
	before, readErr := l.Ledger.Cell(ctx, c.Name)
	now, ok, err := l.Ledger.SetCell(ctx, c)
	if ok && readErr == nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.before[c.Name] = before
	}
	return now, ok, err
}

func (l *laggingCells) Cell(ctx context.Context, name string) (call.Cell, error) {
	if l.memo.count("cell")%5 == 4 {
		l.mu.Lock()
		defer l.mu.Unlock()
		if c, known := l.before[name]; known {
			return c, nil
		}
	}
	return l.Ledger.Cell(ctx, name)
}

// forgetsCell answered before the newest cell was durable.
type forgetsCell struct {
	ledgertest.Ledger

	memo *memo
}

func (l *forgetsCell) SetCell(ctx context.Context, c call.Cell) (call.Cell, bool, error) {
	now, ok, err := l.Ledger.SetCell(ctx, c)
	if ok {
		l.memo.wrote(c.Name)
	}
	return now, ok, err
}

func (l *forgetsCell) Cell(ctx context.Context, name string) (call.Cell, error) {
	if name == l.memo.lastBeforeRestart() {
		return call.Cell{Name: name}, nil
	}
	return l.Ledger.Cell(ctx, name)
}

// cutsCells keeps text only, up to a NUL.
type cutsCells struct{ ledgertest.Ledger }

func (l *cutsCells) SetCell(ctx context.Context, c call.Cell) (call.Cell, bool, error) {
	c.Data, _, _ = bytes.Cut(c.Data, []byte{0})
	return l.Ledger.SetCell(ctx, c)
}

// coarseCells knows no nanoseconds.
type coarseCells struct{ ledgertest.Ledger }

func (l *coarseCells) SetCell(ctx context.Context, c call.Cell) (call.Cell, bool, error) {
	if !c.Expires.IsZero() {
		c.Expires = c.Expires.Truncate(time.Second)
	}
	return l.Ledger.SetCell(ctx, c)
}

// takesEverything answers what no other store could take.
type takesEverything struct{ ledgertest.Ledger }

func (l *takesEverything) SetCell(ctx context.Context, c call.Cell) (call.Cell, bool, error) {
	now, ok, err := l.Ledger.SetCell(ctx, c)
	if call.CodeOf(err) == call.CodeFieldValue {
		return c, true, nil
	}
	return now, ok, err
}

// sharesCells keeps the slice that it was given.
type sharesCells struct {
	ledgertest.Ledger

	mu    sync.Mutex
	cells map[string][]byte
}

func (l *sharesCells) SetCell(ctx context.Context, c call.Cell) (call.Cell, bool, error) {
	now, ok, err := l.Ledger.SetCell(ctx, c)
	if ok {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.cells[c.Name] = c.Data
	}
	return now, ok, err
}

func (l *sharesCells) Cell(ctx context.Context, name string) (call.Cell, error) {
	c, err := l.Ledger.Cell(ctx, name)
	l.mu.Lock()
	defer l.mu.Unlock()
	if data, mine := l.cells[name]; mine && c.Version > 0 {
		c.Data = data
	}
	return c, err
}

// listsAgain compares names with >= where the promise says "after".
type listsAgain struct{ ledgertest.Ledger }

func (l *listsAgain) ListCells(ctx context.Context, prefix, after string, limit int) ([]call.Cell, error) {
	found, err := l.Ledger.ListCells(ctx, prefix, after, limit)
	if err != nil || after == "" || limit == 0 || !strings.HasPrefix(after, prefix) {
		return found, err
	}
	first, err := l.Ledger.Cell(ctx, after)
	if err != nil || first.Version == 0 {
		return found, err
	}
	return append([]call.Cell{first}, found...)[:min(len(found)+1, limit)], nil
}

// listsFolded orders names as people do.
type listsFolded struct{ ledgertest.Ledger }

func (l *listsFolded) ListCells(ctx context.Context, prefix, after string, limit int) ([]call.Cell, error) {
	found, err := l.Ledger.ListCells(ctx, prefix, after, limit)
	slices.SortStableFunc(found, func(a, b call.Cell) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	return found, err
}

// listsPattern finds by LIKE, for which an underscore is any letter.
type listsPattern struct{ ledgertest.Ledger }

func (l *listsPattern) ListCells(ctx context.Context, prefix, after string, limit int) ([]call.Cell, error) {
	like, _, _ := strings.Cut(prefix, "_")
	found, err := l.Ledger.ListCells(ctx, like, after, limit)
	return slices.DeleteFunc(found, func(c call.Cell) bool { return len(c.Name) < len(prefix) }), err
}

// hidesExpired takes what may be removed for removed, so that a writer who knows its version loses against nobody.
type hidesExpired struct{ ledgertest.Ledger }

func (l *hidesExpired) Cell(ctx context.Context, name string) (call.Cell, error) {
	c, err := l.Ledger.Cell(ctx, name)
	if !c.Expires.IsZero() && c.Expires.Before(time.Date(2026, 11, 29, 3, 0, 0, 0, time.UTC)) {
		return call.Cell{Name: name}, err
	}
	return c, err
}
