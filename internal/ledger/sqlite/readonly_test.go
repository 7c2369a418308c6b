package sqlite_test

import (
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

func TestAReaderSeesWhatTheWriterAnsweredAndWritesNothing(t *testing.T) {
	t.Parallel()
	o := settings(t)
	writer := open(t, o)
	c := create(t, writer, "a")
	o.ReadOnly = true
	reader := open(t, o)
	for i, id := range []string{"b", "c"} {
		create(t, writer, id)
		if _, err := reader.Get(t.Context(), id); err != nil {
			t.Errorf("get %s: %v", id, err)
		}
		if identity, err := reader.Identity(t.Context()); err != nil || identity.HighWater != int64(i+2) {
			t.Errorf("identity %+v, %v, want high-water %d", identity, err, i+2)
		}
	}
	if err := writer.Beat(t.Context(), noon); err != nil {
		t.Fatal(err)
	}
	if err := writer.Note(t.Context(), call.Note{RowID: "a", Kind: call.NoteSuppressed, At: noon}); err != nil {
		t.Fatal(err)
	}
	if err := writer.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if beat, err := reader.LastBeat(t.Context()); err != nil || !beat.Equal(noon) {
		t.Errorf("last beat %s, %v", beat, err)
	}
	if notes, err := reader.Notes(t.Context(), "a"); err != nil || notes.Suppressed != 1 {
		t.Errorf("notes %+v, %v", notes, err)
	}
	_, createErr := reader.Create(t.Context(), accepted(t, "d"))
	_, updateErr := reader.Update(t.Context(), held(t, c))
	for what, err := range map[string]error{
		"create": createErr, "update": updateErr, "note": reader.Note(t.Context(), call.Note{RowID: "a", Kind: call.NoteSuppressed}),
		"beat": reader.Beat(t.Context(), noon.Add(time.Hour)), "begin": reader.BeginRecovery(t.Context(), call.Recovery{}),
		"close the recovery": reader.CloseRecovery(t.Context()),
	} {
		if err == nil {
			t.Errorf("%s on a reader was answered", what)
		}
	}
}

func TestSuppressionsAreKeptAsConfigured(t *testing.T) {
	t.Parallel()
	for setting, kept := range map[string]int{"off": 0, "first-20": 20, "all": 50, "": 20} {
		o := settings(t)
		o.Suppressions = setting
		l := open(t, o)
		for n := range 50 {
			if err := l.Note(t.Context(), call.Note{RowID: "a", Kind: call.NoteSuppressed, At: noon.Add(time.Duration(n))}); err != nil {
				t.Fatal(err)
			}
			if n%7 == 0 {
				if err := l.Flush(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		notes, err := l.Notes(t.Context(), "a")
		if err != nil || notes.Suppressed != 50 || len(notes.Kept) != kept {
			t.Errorf("suppressions %q: %d counted, %d kept, error %v, want 50 and %d", setting, notes.Suppressed, len(notes.Kept), err, kept)
		}
	}
}

func TestMoreNotesThanWaitAtOnceAreAllCounted(t *testing.T) {
	t.Parallel()
	o := settings(t)
	l := open(t, o)
	const rows = 6000 // more than may wait
	for n := range rows {
		if err := l.Note(t.Context(), call.Note{RowID: hashed("row", n), Kind: call.NoteSuppressed, At: noon}); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, o)
	for n := 0; n < rows; n += 97 {
		if notes, err := again.Notes(t.Context(), hashed("row", n)); err != nil || notes.Suppressed != 1 {
			t.Fatalf("notes of row %d: %+v, %v", n, notes, err)
		}
	}
}
