package dynamodb

import (
	"bytes"
	"errors"
	"maps"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb/tabletest"
)

func setCell(t *testing.T, l *Ledger, c call.Cell) {
	t.Helper()
	if _, ok, err := l.SetCell(t.Context(), c); err != nil || !ok {
		t.Fatalf("set version %d of cell %s: ok %t, %v", c.Version, c.Name, ok, err)
	}
}

// TestOperationsOfCells counts the requests of cells at the client, as docs/dynamodb.md shows them.
func TestOperationsOfCells(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	l := f.open(nil)
	cost := func(what string, want map[string]int, act func() error) {
		t.Helper()
		if err := act(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if got := f.Taken(); !maps.Equal(got, want) {
			t.Errorf("%s cost %v, want %v", what, got, want)
		}
	}
	set := func(version int64) func() error {
		return func() error {
			_, _, err := l.SetCell(t.Context(), call.Cell{Name: "cap/one", Version: version, Data: []byte("{}"), Expires: noon})
			return err
		}
	}
	cost("a first write", map[string]int{"PutItem": 1}, set(1))
	cost("a further write", map[string]int{"PutItem": 1}, set(2))
	cost("a lost compare", map[string]int{"PutItem": 1}, set(2))
	cost("a read", map[string]int{"GetItem": 1}, func() error { _, err := l.Cell(t.Context(), "cap/one"); return err })
	cost("a page", map[string]int{"Query": 1, "BatchGetItem": 1}, func() error { _, err := l.ListCells(t.Context(), "cap/", "", 10); return err })
	cost("nothing to prune", map[string]int{"Query": 1}, func() error { _, err := l.PruneCells(t.Context(), noon, 10); return err })
	cost("a pruned cell", map[string]int{"Query": 1, "PutItem": 1}, func() error { _, err := l.PruneCells(t.Context(), noon.Add(time.Hour), 10); return err })
}

// TestACellThatIsRenewedWithinTheHourMovesNoIndex holds what makes a further write one unit: entries of indexes that stay as they are cost
// nothing.
func TestACellThatIsRenewedWithinTheHourMovesNoIndex(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	l := f.open(nil)
	index := func() string {
		it := f.Items[cellKey("cap/one")]
		return strings.Join([]string{it.S(attrGroup), *it[attrCreated].N, it.S(attrShard), *it[attrDue].N}, " ")
	}
	setCell(t, l, call.Cell{Name: "cap/one", Version: 1, Expires: noon.Add(time.Minute)})
	before := index()
	setCell(t, l, call.Cell{Name: "cap/one", Version: 2, Expires: noon.Add(time.Hour - 1)})
	if after := index(); after != before {
		t.Errorf("the entries of the indexes moved from %s to %s", before, after)
	}
	setCell(t, l, call.Cell{Name: "cap/one", Version: 3, Expires: noon.Add(time.Hour)})
	if after := index(); after == before {
		t.Error("the entry of the index stays although the cell expires an hour later: it would be asked for again and again")
	}
}

// TestAPrunedCellLeavesItsBareKey says what is left: nothing of the ledger is ever deleted.
func TestAPrunedCellLeavesItsBareKey(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	l := f.open(nil)
	setCell(t, l, call.Cell{Name: "cap/one", Version: 1, Data: []byte("secret"), Expires: noon})
	if removed, err := l.PruneCells(t.Context(), noon.Add(time.Hour), 10); err != nil || removed != 1 {
		t.Fatalf("pruned %d, %v", removed, err)
	}
	if it := f.Items[cellKey("cap/one")]; len(it) != 1 {
		t.Errorf("left: %v", it)
	}
}

func TestACellIsSealedInItsPlace(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	l := f.open(encrypted)
	secret := []byte("a list of what nobody may read")
	setCell(t, l, call.Cell{Name: "a", Version: 1, Data: secret, Expires: noon})
	setCell(t, l, call.Cell{Name: "b", Version: 1, Data: secret, Expires: noon})
	sound := f.Backup()[cellKey("a")]
	if bytes.Contains(sound[attrData].B, secret[:8]) || sound[attrData].B[0] != sealedFormat {
		t.Error("the data of a cell lies in clear")
	}
	other := f.Backup()[cellKey("b")]
	for what, spoil := range map[string]func(tabletest.Item){
		"the data of another cell": func(it tabletest.Item) { it[attrData] = other[attrData] },
		"another version":          func(it tabletest.Item) { it[attrVersion] = value(2) },
		"another expiry":           func(it tabletest.Item) { it[attrExpires] = value(noon.Add(time.Hour).UnixNano()) },
		"no expiry":                func(it tabletest.Item) { delete(it, attrExpires) },
		"no data":                  func(it tabletest.Item) { delete(it, attrData) },
	} {
		spoiled := maps.Clone(sound)
		spoil(spoiled)
		f.Items[cellKey("a")] = spoiled
		if c, err := l.Cell(t.Context(), "a"); err == nil || errors.Is(err, call.ErrNotFound) {
			t.Errorf("%s: read as %+v, %v", what, c, err)
		}
		if _, ok, err := l.SetCell(t.Context(), call.Cell{Name: "a", Version: 1}); ok || err == nil {
			t.Errorf("%s: a lost compare was answered: %v", what, err)
		}
	}
	f.Items[cellKey("a")] = sound
	if c, err := l.Cell(t.Context(), "a"); err != nil || !bytes.Equal(c.Data, secret) {
		t.Errorf("the sound cell: %+v, %v", c, err)
	}
}

func value(n int64) tabletest.Value {
	digits := strconv.FormatInt(n, 10)
	return tabletest.Value{N: &digits}
}

// TestAWriteOfACellSurvivesEveryFate sends a counter through every way in which one request can fail, and reads again as a caller does.
func TestAWriteOfACellSurvivesEveryFate(t *testing.T) {
	t.Parallel()
	for fate := tabletest.LostFirst; fate <= tabletest.Doubled; fate++ {
		f := newFake(t)
		l := f.open(nil)
		setCell(t, l, call.Cell{Name: "counter", Version: 1, Data: []byte("1")})
		fired := false
		f.Shake(false, func(op, _ string) tabletest.Fate {
			if op != "PutItem" || fired {
				return tabletest.Answered
			}
			fired = true
			return fate
		})
		next := call.Cell{Name: "counter", Version: 2, Data: []byte("2")}
		now, ok, err := l.SetCell(t.Context(), next)
		applied := fate != tabletest.LostFirst && fate != tabletest.Broken
		if err != nil || !ok {
			if now, err = l.Cell(t.Context(), "counter"); err != nil {
				t.Fatal(err)
			}
		}
		if (now.Version == 2) != applied || (applied && string(now.Data) != "2") {
			t.Errorf("fate %d: version %d is there with %q", fate, now.Version, now.Data)
		}
		setCell(t, l, call.Cell{Name: "counter", Version: now.Version + 1, Data: []byte("next")})
	}
}

func TestATableThatWentBackTakesNoCell(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	l := f.open(nil)
	setCell(t, l, call.Cell{Name: "counter", Version: 1, Expires: noon})
	f.ID = "restored"
	o := f.on()
	o.AllowRecovery = true
	back, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := back.Cell(t.Context(), "counter"); err != nil || c.Version != 1 {
		t.Errorf("cell %+v, %v", c, err)
	}
	if _, ok, err := back.SetCell(t.Context(), call.Cell{Name: "counter", Version: 2}); ok || !errors.Is(err, call.ErrWentBack) {
		t.Errorf("set: ok %t, %v, want ErrWentBack", ok, err)
	}
	if _, err := back.PruneCells(t.Context(), noon.AddDate(1, 0, 0), 10); !errors.Is(err, call.ErrWentBack) {
		t.Errorf("prune: %v, want ErrWentBack", err)
	}
}
