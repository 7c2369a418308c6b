package ledgertest_test

import (
	"context"
	"slices"
	"testing"

	"github.com/ringonce/ringonce/internal/ledger/ledgertest"
	"github.com/ringonce/ringonce/internal/ledger/ledgertest/broken"
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

func sound() ledgertest.Store { return &store{memory.New(memory.Options{})} }

func TestEveryDefectFailsItsSuite(t *testing.T) {
	t.Parallel()
	suites := ledgertest.Suites()
	for _, defect := range broken.Defects() {
		t.Run(defect.Suite+": "+defect.Name, func(t *testing.T) {
			t.Parallel()
			i := slices.IndexFunc(suites, func(s ledgertest.Suite) bool { return s.Name == defect.Suite })
			if i < 0 {
				t.Fatalf("the defect names the suite %q, which the exam does not have", defect.Suite)
			}
			var failed []string
			for range 5 { // a defect that is a race need not show each time
				if failed = ledgertest.Examine(t.Context(), suites[i], defect.Open(sound)); len(failed) > 0 {
					break
				}
			}
			if len(failed) == 0 {
				t.Error("the broken ledger passed the suite")
			}
			t.Logf("noticed by: %q", failed)
		})
	}
}

func TestEverySuiteHasADefect(t *testing.T) {
	t.Parallel()
	defects := broken.Defects()
	for _, suite := range ledgertest.Suites() {
		if !slices.ContainsFunc(defects, func(d broken.Defect) bool { return d.Suite == suite.Name }) {
			t.Errorf("no broken ledger is meant to fail the suite %s", suite.Name)
		}
	}
}

func TestASoundLedgerFailsNothing(t *testing.T) {
	t.Parallel()
	for _, suite := range ledgertest.Suites() {
		if failed := ledgertest.Examine(t.Context(), suite, sound); len(failed) > 0 {
			t.Errorf("%s: a sound ledger failed %q", suite.Name, failed)
		}
	}
}
