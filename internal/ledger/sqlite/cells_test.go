package sqlite_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/sqlite"
)

func setCell(t testing.TB, l *sqlite.Ledger, c call.Cell) {
	t.Helper()
	if _, ok, err := l.SetCell(t.Context(), c); err != nil || !ok {
		t.Fatalf("set version %d of cell %s: ok %t, %v", c.Version, c.Name, ok, err)
	}
}

func TestAReaderSeesCellsAndWritesNone(t *testing.T) {
	t.Parallel()
	o := settings(t)
	writer := open(t, o)
	o.ReadOnly = true
	reader := open(t, o)
	setCell(t, writer, call.Cell{Name: "pause/all", Version: 1, Data: []byte("x")})
	if c, err := reader.Cell(t.Context(), "pause/all"); err != nil || c.Version != 1 || string(c.Data) != "x" {
		t.Errorf("cell %+v, %v", c, err)
	}
	if list, err := reader.ListCells(t.Context(), "pause/", "", 10); err != nil || len(list) != 1 {
		t.Errorf("list %+v, %v", list, err)
	}
	if _, ok, err := reader.SetCell(t.Context(), call.Cell{Name: "pause/all", Version: 2}); ok || err == nil {
		t.Errorf("a reader wrote a cell: ok %t, %v", ok, err)
	}
	if _, err := reader.PruneCells(t.Context(), noon, 10); err == nil {
		t.Error("a reader pruned")
	}
}

// No promise rests on cells, so a restore that lost cells alone is not noticed: their writes do not move the witness. This test says so.
func TestARestoreThatLostCellsAloneIsNotNoticed(t *testing.T) {
	t.Parallel()
	o := settings(t)
	used(t, o, "a")
	old := backedUp(t, o)
	l, err := sqlite.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for version := range int64(5) {
		setCell(t, l, call.Cell{Name: "counter", Version: version + 1})
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	put(t, o.Path, old.ledger)
	again := open(t, o)
	if c, err := again.Cell(t.Context(), "counter"); err != nil || c.Version != 0 {
		t.Errorf("cell %+v, %v", c, err)
	}
}

func TestALedgerThatWentBackReadsCellsAndWritesNone(t *testing.T) {
	t.Parallel()
	o := settings(t)
	l, err := sqlite.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	setCell(t, l, call.Cell{Name: "counter", Version: 1, Expires: noon})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	old := backedUp(t, o)
	used(t, o, "a")
	put(t, o.Path, old.ledger)
	o.AllowRecovery = true
	back := open(t, o)
	if c, err := back.Cell(t.Context(), "counter"); err != nil || c.Version != 1 {
		t.Errorf("cell %+v, %v", c, err)
	}
	if _, ok, err := back.SetCell(t.Context(), call.Cell{Name: "counter", Version: 2}); ok || !errors.Is(err, call.ErrWentBack) {
		t.Errorf("set: ok %t, %v, want ErrWentBack", ok, err)
	}
	if _, err := back.PruneCells(t.Context(), noon.AddDate(1, 0, 0), 10); !errors.Is(err, call.ErrWentBack) {
		t.Errorf("prune: %v, want ErrWentBack", err)
	}
	if err := back.BeginRecovery(t.Context(), call.Recovery{Backup: noon, Restored: noon}); err != nil {
		t.Fatal(err)
	}
	setCell(t, back, call.Cell{Name: "counter", Version: 2})
}

// The file is inspected as a whole; cells must not make it look damaged, nor hide damage.
func TestCellsAreNoBreachOfTheFile(t *testing.T) {
	t.Parallel()
	l := open(t, settings(t))
	create(t, l, "a")
	setCell(t, l, call.Cell{Name: "counter", Version: 1, Data: bytes.Repeat([]byte{0}, call.MaxCellBytes)})
	create(t, l, "b")
	if found, err := l.Inspect(t.Context()); err != nil || len(found) > 0 {
		t.Errorf("breaches %v, %v", found, err)
	}
}
