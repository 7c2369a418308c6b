package app_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/emf/emftest"
)

// TestTheTimeOfCellsIsMeasured compares a sweep after four operations of cells with one after none.
func TestTheTimeOfCellsIsMeasured(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMeter(t, nil)
		asked := func() int {
			return len(m.invoke(sweepDocument)[emftest.Series{Name: "LedgerLatency", Function: "ringonce-calls"}])
		}
		asked()
		idle := asked()
		cells := m.app.Engine.Cells
		if _, ok, err := cells.SetCell(t.Context(), call.Cell{Name: "counter", Version: 1, Expires: time.Unix(1, 0)}); err != nil || !ok {
			t.Errorf("set: ok %t, %v", ok, err)
		}
		c, err := cells.Cell(t.Context(), "counter")
		list, listErr := cells.ListCells(t.Context(), "", "", 10)
		removed, pruneErr := cells.PruneCells(t.Context(), time.Unix(2, 0), 10)
		if err != nil || listErr != nil || pruneErr != nil || c.Version != 1 || len(list) != 1 || removed != 1 {
			t.Errorf("version %d, %d listed, %d removed: %v, %v, %v", c.Version, len(list), removed, err, listErr, pruneErr)
		}
		if busy := asked(); busy != idle+4 {
			t.Errorf("%d operations were measured, want %d", busy, idle+4)
		}
	})
}
