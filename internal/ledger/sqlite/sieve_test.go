package sqlite_test

import (
	"errors"
	"strconv"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/sqlite"
)

func TestASieveNeverTakesAKnownKeyForNew(t *testing.T) {
	t.Parallel()
	const keys = 100_000
	s := sqlite.NewSieve(keys)
	for n := range keys {
		s.Add("known-" + strconv.Itoa(n))
	}
	mistaken := 0
	for n := range keys {
		if s.Lacks("known-" + strconv.Itoa(n)) {
			t.Fatalf("known key %d is taken for new", n)
		}
		if !s.Lacks("new-" + strconv.Itoa(n)) {
			mistaken++
		}
	}
	if mistaken > keys/1000 {
		t.Errorf("%d of %d new keys are taken for known", mistaken, keys)
	}
	s.Add("one too many")
	for _, key := range []string{"known-1", "one too many", "new-1"} {
		if s.Lacks(key) {
			t.Errorf("a sieve that is full takes %s for new", key)
		}
	}
}

func TestALedgerTooLargeForItsSievesStaysUnique(t *testing.T) {
	t.Parallel()
	o := settings(t)
	l := open(t, o)
	create(t, l, "a")
	l.FillSieves()
	again := accepted(t, "a")
	again.Entry.Op = "op-of-another"
	for _, state := range []string{"in the tail", "in the index"} {
		if written, err := l.Create(t.Context(), again); err != nil || written.Applied {
			t.Errorf("a row %s was made twice (%v)", state, err)
		}
		thief := accepted(t, "thief")
		thief.Row.Token = "token-a"
		if _, err := l.Create(t.Context(), thief); !errors.Is(err, call.ErrTokenTaken) {
			t.Errorf("the token of a row %s was taken: %v", state, err)
		}
		if _, err := l.Get(t.Context(), "thief"); !errors.Is(err, call.ErrNotFound) {
			t.Errorf("get of no row: %v", err)
		}
		if _, err := l.ByContact(t.Context(), "none"); !errors.Is(err, call.ErrNotFound) {
			t.Errorf("by contact: %v", err)
		}
	}
	create(t, l, "b")
}
