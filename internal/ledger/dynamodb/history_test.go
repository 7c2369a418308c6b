package dynamodb

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
)

// TestALongHistorySpillsAndStaysWhole makes 100 writes of one row and reads them back, also as a process that has met none of them.
func TestALongHistorySpillsAndStaysWhole(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	l := f.open(nil)
	writes := chain(t, "a", map[string]string{"language": "ja-JP"}, 100)
	for _, w := range writes {
		if written, err := send(t.Context(), l, w); err != nil || !written.Applied {
			t.Fatalf("version %d: applied %t, error %v", w.Row.Version, written.Applied, err)
		}
		if r, _ := l.records.get("a"); len(r.entries) > mostEntries {
			t.Fatalf("version %d: %d entries lie in the item", w.Row.Version, len(r.entries))
		}
	}
	stranger := f.open(nil)
	held(t, stranger, writes)
	for _, w := range []call.Write{writes[0], writes[20], writes[99]} { // spilled long ago, spilled, in the item
		if written, err := send(t.Context(), stranger, w); err != nil || !written.Applied || written.Row.Version != 100 {
			t.Errorf("the op of version %d is not known any more: applied %t, version %d, error %v", w.Row.Version, written.Applied, written.Row.Version, err)
		}
	}
	known := later(t, writes[99])
	known.Entry.Op = writes[3].Entry.Op
	if written, err := stranger.Update(t.Context(), known); err != nil || !written.Applied || written.Row.Version != 100 {
		t.Errorf("a spilled op on a fitting version: applied %t, version %d, error %v", written.Applied, written.Row.Version, err)
	}
}

// TestALargeRequestIsWrittenOnce counts what a side item costs and saves.
func TestALargeRequestIsWrittenOnce(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	l := f.open(nil)
	writes := chain(t, "a", incompressible(), 5)
	for i, w := range writes {
		if _, err := send(t.Context(), l, w); err != nil {
			t.Fatal(err)
		}
		want := map[string]int{"PutItem": 1}
		if i == 0 {
			want["PutItem"] = 2
		}
		if got := f.Taken(); !maps.Equal(got, want) {
			t.Errorf("version %d cost %v, want %v", i+1, got, want)
		}
		if size := wireSize(f.Items["a"]); size > unit {
			t.Errorf("version %d: the item has %d bytes", i+1, size)
		}
	}
	stranger := f.open(nil)
	if _, err := stranger.Get(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if got := f.Taken(); !maps.Equal(got, map[string]int{"GetItem": 2}) {
		t.Errorf("a read cost %v, want 2", got)
	}
	held(t, stranger, writes)
	f.Taken()
	if _, err := stranger.Update(t.Context(), later(t, writes[4])); err != nil {
		t.Fatal(err)
	}
	if got := f.Taken(); !maps.Equal(got, map[string]int{"PutItem": 1}) {
		t.Errorf("an update after a read cost %v, want 1 write", got)
	}
}

// TestAnUpdateOfAnUnknownRowReadsItFirst is what a process pays that has not met the row.
func TestAnUpdateOfAnUnknownRowReadsItFirst(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	writes := chain(t, "a", nil, 3)
	l := f.open(nil)
	for _, w := range writes[:2] {
		if _, err := send(t.Context(), l, w); err != nil {
			t.Fatal(err)
		}
	}
	stranger := f.open(nil)
	if _, err := send(t.Context(), stranger, writes[2]); err != nil {
		t.Fatal(err)
	}
	if got := f.Taken(); !maps.Equal(got, map[string]int{"GetItem": 1, "PutItem": 1}) {
		t.Errorf("the update cost %v, want a read and a write", got)
	}
	held(t, stranger, writes)
}

// TestManyNotesGoToFurtherItems passes the size of one notes item.
func TestManyNotesGoToFurtherItems(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	l := f.open(func(o *Options) { o.Suppressions = suppressionsAll })
	for n := range 2*mostTexts + 3 {
		kind := []call.NoteKind{call.NoteSuppressed, call.NoteConflict, call.NoteRefused}[n%3]
		if err := l.Note(t.Context(), call.Note{RowID: "a", Kind: kind, At: noon, Reason: fmt.Sprint(n), Fingerprint: fmt.Sprint(n)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Note(t.Context(), call.Note{RowID: "a", Kind: call.NoteConflict, At: noon, Fingerprint: "1"}); err != nil {
		t.Fatal(err)
	}
	notes, err := f.open(nil).Notes(t.Context(), "a")
	if err != nil || len(notes.Kept) != 2*mostTexts+3 || notes.Suppressed != (2*mostTexts+3+2)/3 {
		t.Fatalf("%d notes, %d suppressed, error %v", len(notes.Kept), notes.Suppressed, err)
	}
	for n, note := range notes.Kept {
		if note.Reason != fmt.Sprint(n) {
			t.Fatalf("note %d is %q", n, note.Reason)
		}
	}
	for pk := range f.Items {
		if strings.HasPrefix(pk, "#n#a") && len(f.Items[pk]["texts"].L) > mostTexts {
			t.Errorf("the item %s holds %d notes", pk, len(f.Items[pk]["texts"].L))
		}
	}
}

// TestAConflictStormStaysBounded: beyond its limit a conflict is refused as a note, so that the core logs it instead.
func TestAConflictStormStaysBounded(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	l := f.open(nil)
	var last error
	for n := range mostConflicts + 1 {
		last = l.Note(t.Context(), call.Note{RowID: "a", Kind: call.NoteConflict, At: noon, Fingerprint: fmt.Sprint(n)})
		if last != nil && n < mostConflicts {
			t.Fatalf("conflict %d: %v", n, last)
		}
	}
	if last == nil {
		t.Error("a row takes conflicts without end")
	}
}
