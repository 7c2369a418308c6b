package memory_test

import (
	"context"
	"testing"

	"github.com/ringonce/ringonce/internal/ledger/ledgertest"
	"github.com/ringonce/ringonce/internal/ledger/memory"
)

// store opens every ledger on the data of the first one.
type store struct{ first *memory.Ledger }

func (s *store) Open(context.Context) (ledgertest.Ledger, error) { return s.first.Reopen(), nil }

func (s *store) Kill(l ledgertest.Ledger) {
	if m, ok := l.(*memory.Ledger); ok {
		m.Crash()
	}
}

func TestLedgerSitsTheExam(t *testing.T) {
	t.Parallel()
	ledgertest.Run(t, func() ledgertest.Store { return &store{memory.New(memory.Options{})} }, ledgertest.Lacks{})
}
