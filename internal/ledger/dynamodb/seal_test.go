package dynamodb

import (
	"bytes"
	"encoding/base64"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb/tabletest"
)

// sealedRows writes two calls with a side item, spilled history and notes, all encrypted, and returns the table.
func sealedRows(t *testing.T) (*fake, map[string][]call.Write) {
	t.Helper()
	f := newFake(t)
	l := f.open(func(o *Options) { encrypted(o); o.Suppressions = suppressionsAll })
	rows := map[string][]call.Write{}
	for _, id := range []string{"a", "b"} {
		rows[id] = chain(t, id, incompressible(), 47)
		for _, w := range rows[id] {
			if written, err := send(t.Context(), l, w); err != nil || !written.Applied {
				t.Fatalf("row %s, version %d: applied %t, error %v", id, w.Row.Version, written.Applied, err)
			}
		}
		if err := l.Note(t.Context(), call.Note{RowID: id, Kind: call.NoteSuppressed, At: noon, Reason: "of " + id}); err != nil {
			t.Fatal(err)
		}
	}
	return f, rows
}

// whole reads everything of a row as a process that has met none of it.
func whole(t *testing.T, f *fake, id string) error {
	t.Helper()
	l := f.open(func(o *Options) { o.ReadOnly = true })
	_, getErr := l.Get(t.Context(), id)
	_, peekErr := l.Peek(t.Context(), id)
	_, historyErr := l.History(t.Context(), id)
	_, notesErr := l.Notes(t.Context(), id)
	return errors.Join(getErr, peekErr, historyErr, notesErr)
}

// with changes one attribute of a copy of an item.
func with(it tabletest.Item, name string, v tabletest.Value) tabletest.Item {
	it = maps.Clone(it)
	it[name] = v
	return it
}

// TestABlobOpensInItsPlaceAlone swaps every kind of blob with its like of another call, version or number (reliability-security.md D5).
func TestABlobOpensInItsPlaceAlone(t *testing.T) {
	t.Parallel()
	f, rows := sealedRows(t)
	sideA, sideB := sideKey("a", *f.Items["a"][attrSide].S), sideKey("b", *f.Items["b"][attrSide].S)
	older := f.Backup()
	superseded := ""
	for pk := range older {
		if side, ok := strings.CutPrefix(pk, "#s#a#"); ok && pk != sideA {
			superseded = side
		}
	}
	if _, err := f.open(encrypted).Update(t.Context(), later(t, rows["a"][46])); err != nil {
		t.Fatal(err)
	}
	for name, swap := range map[string]func(){
		"nothing":                       func() {},
		"the row of another call":       func() { f.Items["a"] = with(f.Items["a"], attrData, f.Items["b"][attrData]) },
		"an older version of the row":   func() { f.Items["a"] = with(f.Items["a"], attrData, older["a"][attrData]) },
		"another version number":        func() { f.Items["a"] = with(f.Items["a"], attrVersion, older["a"][attrVersion]) },
		"another head":                  func() { f.Items["a"] = with(f.Items["a"], attrHead, older["a"][attrHead]) },
		"another side item":             func() { f.Items["a"] = with(f.Items["a"], attrSide, f.Items["b"][attrSide]) },
		"a superseded side item":        func() { f.Items["a"] = with(f.Items["a"], attrSide, tabletest.Value{S: &superseded}) },
		"the side item of another call": func() { f.Items[sideA] = with(f.Items[sideA], attrData, f.Items[sideB][attrData]) },
		"the row as a side item":        func() { f.Items[sideA] = with(f.Items[sideA], attrData, f.Items["a"][attrData]) },
		"the history of another call":   func() { f.Items["#h#a#0"] = with(f.Items["#h#a#0"], attrData, f.Items["#h#b#0"][attrData]) },
		"older history in another order": func() {
			f.Items["#h#a#0"] = with(f.Items["#h#a#0"], attrData, f.Items["#h#a#1"][attrData])
		},
		"the notes of another call": func() { f.Items["#n#a"] = with(f.Items["#n#a"], attrTexts, f.Items["#n#b"][attrTexts]) },
	} {
		before := f.Backup()
		swap()
		err := whole(t, f, "a")
		if opens := name == "nothing"; (err == nil) != opens || errors.Is(err, call.ErrNotFound) || (!opens && !errors.Is(err, errDamaged)) {
			t.Errorf("%s: %v", name, err)
		}
		f.Items = before
	}
}

// TestEveryChangedBitOfABlobIsRefused changes each bit of every kind of blob, that of its data key's id included.
func TestEveryChangedBitOfABlobIsRefused(t *testing.T) {
	t.Parallel()
	f, _ := sealedRows(t)
	l := f.open(encrypted)
	it, err := l.fetch(t.Context(), "a", "read")
	if err != nil {
		t.Fatal(err)
	}
	good := binaryOf(it[attrData])
	if _, err := l.open(t.Context(), placeOf(it), blob(good)); err != nil {
		t.Fatalf("the blob as it was: %v", err)
	}
	for i := range good {
		for bit := range 8 {
			bad := bytes.Clone(good)
			bad[i] ^= 1 << bit
			plain, err := l.open(t.Context(), placeOf(it), blob(bad))
			if err == nil || errors.Is(err, call.ErrNotFound) {
				t.Fatalf("byte %d, bit %d: read as %d bytes, error %v", i, bit, len(plain), err)
			}
		}
		if _, err := l.open(t.Context(), placeOf(it), blob(good[:i])); err == nil {
			t.Fatalf("cut to %d bytes it is read", i)
		}
	}
}

// frozenSealed is a blob of format 2 as a program of November 2026 wrote it, for frozenPlace under a key of 32 bytes 7.
const frozenSealed = "Ag4N5FT1UlJdWFc2NpEa97RZJYHrtaHvuq6nAd5pXcTQEQJ6EsULcdq323CrPnJNEFaTiP2y"

var frozenPlace = place{kind: kindRow, pk: "frozen", version: 3, head: []byte("head"), side: "side"}

// TestABlobOfFormat2IsReadForEver decrypts a blob that is never written again by this program.
func TestABlobOfFormat2IsReadForEver(t *testing.T) {
	t.Parallel()
	l := newFake(t).open(encrypted)
	id := keyID("table", "master", 20000, 0)
	if _, err := l.hold(id, bytes.Repeat([]byte{7}, 32)); err != nil {
		t.Fatal(err)
	}
	stored, err := base64.StdEncoding.DecodeString(frozenSealed)
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := l.open(t.Context(), frozenPlace, blob(stored)); err != nil || string(plain) != "+12025550100" {
		t.Errorf("it reads as %q, error %v", plain, err)
	}
}

// TestTwoSealsOfOneContentDiffer holds that no nonce is used again.
func TestTwoSealsOfOneContentDiffer(t *testing.T) {
	t.Parallel()
	l := newFake(t).open(encrypted)
	seen := map[string]bool{}
	for range 1000 {
		sealed, err := l.seal(t.Context(), frozenPlace, []byte("same"))
		if err != nil {
			t.Fatal(err)
		}
		nonce := string(sealed[1+keyIDSize:][:12])
		if seen[nonce] {
			t.Fatal("a nonce came twice")
		}
		seen[nonce] = true
	}
}
