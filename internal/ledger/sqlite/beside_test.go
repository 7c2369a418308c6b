package sqlite_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/sqlite"
)

func TestBesideARunningProcessCellsAreWrittenAndNoRow(t *testing.T) {
	t.Parallel()
	o := settings(t)
	running := open(t, o)
	if _, err := sqlite.Open(t.Context(), o); !errors.Is(err, call.ErrInUse) {
		t.Fatalf("a second process: %v", err)
	}
	o.ReadOnly, o.Cells = true, true
	beside := open(t, o)
	setCell(t, beside, call.Cell{Name: "switches", Version: 1, Data: []byte("paused")})
	if c, err := running.Cell(t.Context(), "switches"); err != nil || string(c.Data) != "paused" {
		t.Errorf("the running process reads %+v, %v", c, err)
	}
	setCell(t, running, call.Cell{Name: "switches", Version: 2, Data: []byte("resumed")})
	now, ok, err := beside.SetCell(t.Context(), call.Cell{Name: "switches", Version: 2, Data: []byte("lost")})
	if ok || err != nil || string(now.Data) != "resumed" {
		t.Errorf("what came second: ok %t, %+v, %v", ok, now, err)
	}
	if now, ok, err = beside.SetCell(t.Context(), call.Cell{Name: "switches", Version: 1}); ok || err != nil || now.Version != 2 {
		t.Errorf("a cell that was there already: ok %t, %+v, %v", ok, now, err)
	}
	if _, err := beside.Create(t.Context(), accepted(t, "a")); err == nil {
		t.Error("it wrote a row")
	}
	if _, err := beside.PruneCells(t.Context(), noon, 1); err == nil {
		t.Error("it pruned")
	}
}

// Both write at once, each in its own connection: every write of both is there, and none is refused because of the other.
func TestWritersOfRowsAndOfCellsBesideThemWaitForEachOther(t *testing.T) {
	t.Parallel()
	o := settings(t)
	running := open(t, o)
	o.ReadOnly, o.Cells = true, true
	beside := open(t, o)
	const each = 50
	var both sync.WaitGroup
	both.Go(func() {
		for n := range each {
			if _, err := running.Create(t.Context(), accepted(t, fmt.Sprintf("row-%d", n))); err != nil {
				t.Errorf("row %d: %v", n, err)
			}
		}
	})
	both.Go(func() {
		for n := range int64(each) {
			if _, ok, err := beside.SetCell(t.Context(), call.Cell{Name: "counter", Version: n + 1}); !ok || err != nil {
				t.Errorf("version %d: ok %t, %v", n+1, ok, err)
			}
		}
	})
	both.Wait()
	identity, err := running.Identity(t.Context())
	if c, cellErr := running.Cell(t.Context(), "counter"); err != nil || cellErr != nil || identity.HighWater != each || c.Version != each {
		t.Errorf("%d rows and version %d: %v, %v", identity.HighWater, c.Version, err, cellErr)
	}
}
