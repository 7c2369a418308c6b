package river_test

import (
	"context"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/wake/river"
)

// TestHintsAreAnsweredWhileEndpointsHang tells more than there are workers of any kind, and none of it ends.
func TestHintsAreAnsweredWhileEndpointsHang(t *testing.T) {
	t.Parallel()
	const tells = 40
	h := newHeard()
	hanging, release := make(chan struct{}, tells), make(chan struct{})
	hints := open(t, "", river.Options{Woken: h.woken, Tell: func(context.Context, string) (bool, error) {
		hanging <- struct{}{}
		<-release
		return false, nil
	}})
	for range tells {
		if err := hints.Notice(t.Context(), "row-1"); err != nil {
			t.Fatal(err)
		}
	}
	if err := hints.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range river.Tellers {
		<-hanging
	}
	if err := hints.Wake(t.Context(), "row-2", time.Now()); err != nil {
		t.Fatal(err)
	}
	if row := h.wait(t); row != "row-2" {
		t.Errorf("woken: %s", row)
	}
	close(release)
	for range tells - river.Tellers {
		<-hanging
	}
	stop(t, hints)
}
