//go:build integration

package postgres_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/postgres"
	"github.com/ringonce/ringonce/internal/pgtest"
)

// TestRowsHaveOneRoomForNotesOfAllProcesses has two processes write notes of several rows in the same statements: what one has kept leaves the other
// so much less, and nobody keeps a conflict twice.
func TestRowsHaveOneRoomForNotesOfAllProcesses(t *testing.T) {
	t.Parallel()
	dsn := func(s *pgtest.Server) string { return s.DSN(s.Schema(t), "") }(pgtest.Start(t))
	rows := []string{"a", "b", "c"}
	first := map[string]int{"a": 15, "b": 4} // notes of the first process; the second one gives 15 of each row
	want := map[string]string{"a": "28 20 1", "b": "18 18 1", "c": "14 14 1"}
	var processes []*postgres.Ledger
	for range 2 {
		processes = append(processes, open(t, at(t, dsn)))
	}
	for _, id := range rows {
		create(t, processes[0], id)
	}
	for p, l := range processes {
		for n := range 15 {
			for _, id := range rows {
				if p == 0 && n >= first[id] {
					continue
				}
				note := call.Note{RowID: id, Kind: call.NoteSuppressed, At: noon.Add(time.Duration(15*p+n) * time.Second), Reason: fmt.Sprintf("%s of %d", id, p)}
				if n == 7 {
					note.Kind, note.Fingerprint = call.NoteConflict, "other"
				}
				if err := l.Note(t.Context(), note); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := l.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range rows {
		notes, err := processes[0].Notes(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		conflicts, last := 0, time.Time{}
		for _, n := range notes.Kept {
			if n.Kind == call.NoteConflict {
				conflicts++
			}
			if n.RowID != id || !n.At.After(last) {
				t.Errorf("%s: out of its place: %v", id, n)
			}
			last = n.At
		}
		if got := fmt.Sprint(notes.Suppressed, len(notes.Kept)-conflicts, conflicts); got != want[id] {
			t.Errorf("%s: suppressions, kept, conflicts: %s, want %s", id, got, want[id])
		}
	}
}
