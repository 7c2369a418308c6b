package dynamodb

import (
	"maps"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
)

// TestAPageOfNotesIsReadInBatches counts what the list costs where nothing is written for it (docs/dynamodb.md).
func TestAPageOfNotesIsReadInBatches(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	l := f.open(nil)
	standing(t, l, 60)
	list := func(want int, taken map[string]int) {
		t.Helper()
		f.Taken()
		page, next, err := l.ListNotes(t.Context(), call.NoteFilter{})
		if err != nil || len(page) != want || next != "" {
			t.Fatalf("%d notes, next %q, %v", len(page), next, err)
		}
		if got := f.Taken(); !maps.Equal(got, taken) {
			t.Errorf("%d notes beside 60 calls take %v, want %v", want, got, taken)
		}
	}
	list(0, map[string]int{"Query": 2, "BatchGetItem": 1}) // a page of the fake's has 50
	for _, row := range []string{"row-003", "row-043"} {
		if err := l.Note(t.Context(), call.Note{RowID: row, Kind: call.NoteRefused}); err != nil {
			t.Fatal(err)
		}
	}
	list(2, map[string]int{"Query": 2, "BatchGetItem": 2})
}
