package call_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

func TestCellsThatExpiredAreAllRemovedHoweverManyCame(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *call.Config) { c.Cells, _ = c.Journal.(call.Cells) })
	for n := range 12_000 {
		cell := call.Cell{Name: fmt.Sprintf("idempotency/%05d", n), Version: 1, Data: []byte("{}"), Expires: start.Add(time.Minute)}
		if _, ok, err := w.store.SetCell(t.Context(), cell); err != nil || !ok {
			t.Fatal(ok, err)
		}
	}
	w.clock.advance(24 * time.Hour)
	for range 4 {
		w.clock.advance(time.Minute)
		w.sweepOf(100)
	}
	left, err := w.store.ListCells(context.Background(), "idempotency/", "", 10)
	if err != nil || len(left) > 0 {
		t.Errorf("after four sweeps there are cells that expired a day ago: %v %v", left, err)
	}
}
