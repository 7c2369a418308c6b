package broken

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/ledgertest"
)

func linearizableDefects() []Defect {
	defect := func(name string, wrap func(ledgertest.Ledger, *memo) ledgertest.Ledger) Defect {
		return Defect{Name: name, Suite: "Linearizable", wrap: wrap}
	}
	return []Defect{
		defect("reads come from a cache that writes do not touch", func(l ledgertest.Ledger, _ *memo) ledgertest.Ledger {
			return &staleReads{Ledger: l, cache: map[string]call.Call{}}
		}),
		defect("now and then a read is one write behind", func(l ledgertest.Ledger, m *memo) ledgertest.Ledger {
			return &lagging{Ledger: l, memo: m, before: map[string]call.Call{}}
		}),
		defect("what is due is told as of the write before", func(l ledgertest.Ledger, _ *memo) ledgertest.Ledger {
			return &lateList{Ledger: l, due: map[string]time.Time{}}
		}),
		defect("the compare and the set are two steps", func(l ledgertest.Ledger, _ *memo) ledgertest.Ledger {
			return &twoSteps{Ledger: l, rows: map[string]twoStepsRow{}}
		}),
		defect("a lost compare is answered as applied", func(l ledgertest.Ledger, _ *memo) ledgertest.Ledger { return &everyoneWins{l} }),
		defect("a known op is not recognized", func(l ledgertest.Ledger, m *memo) ledgertest.Ledger { return &forgetsOps{l, m} }),
		defect("a known op is applied again", func(l ledgertest.Ledger, m *memo) ledgertest.Ledger { return &repeatsOps{l, m} }),
		defect("a lost compare hides the current row", func(l ledgertest.Ledger, _ *memo) ledgertest.Ledger { return &hidesWinner{l} }),
	}
}

// lagging reads from a replica that is one write behind, one time in five.
type lagging struct {
	ledgertest.Ledger

	memo   *memo
	mu     sync.Mutex
	before map[string]call.Call
}

func (l *lagging) Update(ctx context.Context, w call.Write) (call.Written, error) {
	before, readErr := l.Ledger.Get(ctx, w.Row.ID)
	written, err := l.Ledger.Update(ctx, w)
	if err == nil && written.Applied && readErr == nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.before[w.Row.ID] = before
	}
	return written, err
}

func (l *lagging) Get(ctx context.Context, id string) (call.Call, error) {
	if l.memo.count("get")%5 == 4 {
		l.mu.Lock()
		defer l.mu.Unlock()
		if c, known := l.before[id]; known {
			return c, nil
		}
	}
	return l.Ledger.Get(ctx, id)
}

// lateList moves a row in its list of due rows with the write after.
type lateList struct {
	ledgertest.Ledger

	mu  sync.Mutex
	due map[string]time.Time
}

func (l *lateList) Update(ctx context.Context, w call.Write) (call.Written, error) {
	before, readErr := l.Ledger.Get(ctx, w.Row.ID)
	written, err := l.Ledger.Update(ctx, w)
	if err == nil && written.Applied && readErr == nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.due[w.Row.ID] = before.DueAt()
	}
	return written, err
}

func (l *lateList) Due(ctx context.Context, now time.Time, limit int) ([]string, error) {
	ids, err := l.Ledger.Due(ctx, now, limit)
	l.mu.Lock()
	defer l.mu.Unlock()
	var listed []string
	for _, id := range ids {
		if due, moved := l.due[id]; !moved || !due.After(now) {
			listed = append(listed, id)
		}
	}
	return listed, err
}

// twoSteps compares under one lock and sets under another, as a driver that reads, looks and writes does.
type twoSteps struct {
	ledgertest.Ledger

	mu   sync.Mutex
	rows map[string]twoStepsRow
}

type twoStepsRow struct {
	call call.Call
	ops  map[string]bool
}

func (l *twoSteps) Get(_ context.Context, id string) (call.Call, error) {
	row, known := l.row(id)
	if !known {
		return call.Call{}, fmt.Errorf("row %s: %w", id, call.ErrNotFound)
	}
	return row.call, nil
}

func (l *twoSteps) Due(_ context.Context, now time.Time, _ int) ([]string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var ids []string
	for id, row := range l.rows {
		if due := row.call.DueAt(); !due.IsZero() && !due.After(now) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

func (l *twoSteps) Create(_ context.Context, w call.Write) (call.Written, error) {
	row, known := l.row(w.Row.ID)
	if known {
		return call.Written{Applied: row.ops[w.Entry.Op], Row: row.call}, nil
	}
	return l.set(w, row), nil
}

func (l *twoSteps) Update(_ context.Context, w call.Write) (call.Written, error) {
	row, known := l.row(w.Row.ID)
	switch {
	case !known:
		return call.Written{}, fmt.Errorf("row %s: %w", w.Row.ID, call.ErrNotFound)
	case row.ops[w.Entry.Op] || row.call.Version != w.Row.Version-1:
		return call.Written{Applied: row.ops[w.Entry.Op], Row: row.call}, nil
	}
	return l.set(w, row), nil
}

func (l *twoSteps) row(id string) (row twoStepsRow, known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	row, known = l.rows[id]
	return row, known
}

func (l *twoSteps) set(w call.Write, before twoStepsRow) call.Written {
	for range 3 {
		runtime.Gosched() // where another one is compared
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	after := twoStepsRow{call: w.Row, ops: map[string]bool{w.Entry.Op: true}}
	for op := range before.ops {
		after.ops[op] = true
	}
	l.rows[w.Row.ID] = after
	return call.Written{Applied: true, Row: w.Row}
}
