package broken

import (
	"context"
	"slices"
	"sync"

	"github.com/ringonce/ringonce/internal/ledger/ledgertest"
)

// Defect is one way for a driver to be wrong.
type Defect struct {
	Name  string
	Suite string // of the exam that must notice
	wrap  func(ledgertest.Ledger, *memo) ledgertest.Ledger
}

// Open returns an opener whose ledgers have the defect, on the stores of a sound one.
func (d Defect) Open(sound ledgertest.Opener) ledgertest.Opener {
	return func() ledgertest.Store { return &store{Store: sound(), defect: d, memo: &memo{seen: map[string]int{}}} }
}

// Defects returns every defect, at least one for each suite.
func Defects() []Defect {
	return slices.Concat(writeDefects(), linearizableDefects(), crashDefects(), readDefects(), noteListDefects(), erasureDefects(), parkingDefects(), cellDefects(), pruneDefects(), waitingDefects())
}

// store opens sound ledgers and wraps them.
type store struct {
	ledgertest.Store

	defect Defect
	memo   *memo
}

// Open implements [ledgertest.Store].
func (s *store) Open(ctx context.Context) (ledgertest.Ledger, error) {
	l, err := s.Store.Open(ctx)
	if err != nil {
		return nil, err
	}
	s.memo.restart()
	return &handle{Ledger: s.defect.wrap(l, s.memo), sound: l}, nil
}

// Kill implements [ledgertest.Store].
func (s *store) Kill(l ledgertest.Ledger) {
	if h, ok := l.(*handle); ok {
		l = h.sound
	}
	s.Store.Kill(l)
}

// handle remembers the sound ledger, which is the one that its store knows how to kill.
type handle struct {
	ledgertest.Ledger

	sound ledgertest.Ledger
}

// memo is what the wrappers of one store know: they share it over restarts.
type memo struct {
	mu     sync.Mutex
	seen   map[string]int
	last   string // the newest row written
	starts int
	kept   *attic
}

func (m *memo) restart() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.starts++
}

// count returns how often the name was counted before.
func (m *memo) count(name string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen[name]++
	return m.seen[name] - 1
}

func (m *memo) wrote(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.last = id
}

// lastBeforeRestart returns the newest row, once the ledger was restarted.
func (m *memo) lastBeforeRestart() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.starts < 2 {
		return ""
	}
	return m.last
}
