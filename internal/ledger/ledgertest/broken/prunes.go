package broken

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/ledgertest"
)

func pruneDefects() []Defect {
	defect := func(name string, wrap func(ledgertest.Ledger, *graves) ledgertest.Ledger) Defect {
		return Defect{Name: name, Suite: "Cells", wrap: func(l ledgertest.Ledger, _ *memo) ledgertest.Ledger {
			return wrap(l, &graves{versions: map[string]int64{}})
		}}
	}
	return []Defect{
		defect("a pruned cell goes on with its version", func(l ledgertest.Ledger, g *graves) ledgertest.Ledger { return &goesOn{l, g} }),
		defect("prune looks first and removes later", func(l ledgertest.Ledger, g *graves) ledgertest.Ledger { return &prunesLate{l, g} }),
		defect("prune removes what never expires", func(l ledgertest.Ledger, g *graves) ledgertest.Ledger { return &prunesAll{l, g} }),
		defect("prune removes more than was asked for", func(l ledgertest.Ledger, _ *graves) ledgertest.Ledger { return &prunesMore{l} }),
		defect("prune removes nothing", func(l ledgertest.Ledger, _ *graves) ledgertest.Ledger { return &prunesNothing{l} }),
		defect("a write of a cell counts as one of a call", func(l ledgertest.Ledger, _ *graves) ledgertest.Ledger { return &countsCells{Ledger: l} }),
	}
}

// graves remembers cells that are to be taken for removed: up to which version.
type graves struct {
	mu       sync.Mutex
	versions map[string]int64
}

func (g *graves) bury(c call.Cell) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.versions[c.Name] = c.Version
}

func (g *graves) has(c call.Cell) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return c.Version > 0 && c.Version <= g.versions[c.Name]
}

// expired returns the cells that a sound ledger would prune.
func expired(ctx context.Context, l ledgertest.Ledger, now time.Time, also func(call.Cell) bool) (found []call.Cell, err error) {
	all, err := l.ListCells(ctx, "", "", 10_000)
	for _, c := range all {
		if !c.Expires.IsZero() && c.Expires.Before(now) || also != nil && also(c) {
			found = append(found, c)
		}
	}
	return found, err
}

// goesOn removes the data alone.
type goesOn struct {
	ledgertest.Ledger

	graves *graves
}

func (l *goesOn) PruneCells(ctx context.Context, now time.Time, limit int) (removed int, err error) {
	found, err := expired(ctx, l.Ledger, now, nil)
	for _, c := range found {
		if removed == limit || err != nil {
			break
		}
		c.Version, c.Data, c.Expires = c.Version+1, nil, time.Time{}
		if _, ok, setErr := l.SetCell(ctx, c); setErr != nil || ok {
			removed, err = removed+1, setErr
		}
	}
	return removed, err
}

// prunesLate removes what was expired when it looked, also when it was renewed meanwhile.
type prunesLate struct {
	ledgertest.Ledger

	graves *graves
}

func (l *prunesLate) PruneCells(ctx context.Context, now time.Time, limit int) (int, error) {
	found, err := expired(ctx, l.Ledger, now, nil)
	if err != nil {
		return 0, err
	}
	for try := 0; try < mostTurns && !l.renewed(ctx, found); try++ {
		runtime.Gosched()
	}
	removed, err := l.Ledger.PruneCells(ctx, now, limit)
	for _, c := range found {
		if current, readErr := l.Ledger.Cell(ctx, c.Name); readErr == nil && current.Version > c.Version {
			l.graves.bury(current)
		}
	}
	return removed, err
}

// mostTurns bounds how long the broken prune waits for another one to renew what it has found.
const mostTurns = 2000

func (l *prunesLate) renewed(ctx context.Context, found []call.Cell) bool {
	for _, c := range found {
		if current, err := l.Ledger.Cell(ctx, c.Name); err == nil && current.Version > c.Version {
			return true
		}
	}
	return len(found) == 0
}

func (l *prunesLate) Cell(ctx context.Context, name string) (call.Cell, error) {
	c, err := l.Ledger.Cell(ctx, name)
	if l.graves.has(c) {
		c = call.Cell{Name: name}
	}
	return c, err
}

// prunesAll takes no expiry for one long ago.
type prunesAll struct {
	ledgertest.Ledger

	graves *graves
}

func (l *prunesAll) PruneCells(ctx context.Context, now time.Time, limit int) (int, error) {
	found, err := expired(ctx, l.Ledger, now, func(c call.Cell) bool { return c.Expires.IsZero() })
	if err != nil {
		return 0, err
	}
	for _, c := range found {
		if c.Expires.IsZero() {
			l.graves.bury(c)
		}
	}
	return l.Ledger.PruneCells(ctx, now, limit)
}

func (l *prunesAll) Cell(ctx context.Context, name string) (call.Cell, error) {
	c, err := l.Ledger.Cell(ctx, name)
	if l.graves.has(c) {
		c = call.Cell{Name: name}
	}
	return c, err
}

// prunesMore knows no limit.
type prunesMore struct{ ledgertest.Ledger }

func (l *prunesMore) PruneCells(ctx context.Context, now time.Time, _ int) (int, error) {
	return l.Ledger.PruneCells(ctx, now, 10_000)
}

// prunesNothing leaves it to a time to live that the store does not have.
type prunesNothing struct{ ledgertest.Ledger }

func (*prunesNothing) PruneCells(context.Context, time.Time, int) (int, error) { return 0, nil }

// countsCells would let a cell move the witness, and a restored ledger look younger than it is.
type countsCells struct {
	ledgertest.Ledger

	mu    sync.Mutex
	count int64
}

func (l *countsCells) SetCell(ctx context.Context, c call.Cell) (call.Cell, bool, error) {
	now, ok, err := l.Ledger.SetCell(ctx, c)
	if ok {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.count++
	}
	return now, ok, err
}

func (l *countsCells) Identity(ctx context.Context) (call.LedgerIdentity, error) {
	identity, err := l.Ledger.Identity(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	identity.HighWater += l.count
	return identity, err
}
