//go:build integration

package postgres_test

import (
	"errors"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/pgtest"
)

func TestAnIDThatPostgreSQLCannotReadSpoilsNoOtherQuestion(t *testing.T) {
	t.Parallel()
	l := open(t, settings(t, pgtest.Start(t)))
	create(t, l, "a")
	for _, odd := range []string{"b\x00", "b\xff"} {
		errs := l.AskTogether("a", odd, "absent")
		if errs[0] != nil || !errors.Is(errs[1], call.ErrNotFound) || !errors.Is(errs[2], call.ErrNotFound) {
			t.Errorf("%q: %v", odd, errs)
		}
		if _, err := l.Get(t.Context(), odd); !errors.Is(err, call.ErrNotFound) {
			t.Errorf("%q alone: %v", odd, err)
		}
	}
}
