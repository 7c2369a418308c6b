package ledgertest

import (
	"fmt"
	"reflect"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// firstTexts is how many suppressions the default setting keeps with their text (protocol.md section 8).
const firstTexts = 20

func journal() Suite {
	counts := func(l Lacks) bool { return l.Suppressions }
	return Suite{Name: "Journal", cases: []exercise{
		{name: "a note comes back as it was", run: noteComesBack},
		{name: "a row without notes has none", run: noNotes},
		{name: "every suppression is counted, the first 20 are kept", run: suppressionsCounted, skip: counts},
		{name: "suppressions at once are all counted", run: suppressionsAtOnce, skip: counts},
		{name: "a conflict is kept once for each row and fingerprint", run: conflictOnce},
		{name: "notes are kept oldest first", run: func(x *exam) { x.notesInOrder(call.NoteConflict, call.NoteRefused, call.NoteRefused) }},
		{name: "suppressions are kept in their place among them", skip: counts, run: func(x *exam) {
			x.notesInOrder(call.NoteSuppressed, call.NoteConflict, call.NoteRefused, call.NoteSuppressed, call.NoteRefused)
		}},
		{name: "the newest beat wins", run: newestBeat},
		{name: "a beat of a clock that was ahead is corrected", run: correctedBeat},
		{name: "notes change no row", run: notesChangeNothing},
	}}
}

func (x *exam) mustNote(n call.Note) {
	x.Helper()
	if err := x.Note(x.ctx, n); err != nil {
		x.Fatalf("note: %v", err)
	}
}

func (x *exam) mustNotes(id string) call.Notes {
	x.Helper()
	if err := x.Flush(x.ctx); err != nil {
		x.Fatalf("flush: %v", err)
	}
	notes, err := x.Notes(x.ctx, id)
	if err != nil {
		x.Fatalf("notes of %s: %v", id, err)
	}
	return notes
}

func noteComesBack(x *exam) {
	want := call.Note{
		RowID: "a", Kind: call.NoteConflict, At: start, Reason: "同じ鍵", Fingerprint: "other",
		Delivery: &call.Arrival{Source: call.SourceEventBridge, Producer: "rule", ID: "1", Origin: "2", ReceiveCount: 3, Replay: "archive"},
	}
	x.mustNote(want)
	notes := x.mustNotes("a")
	if len(notes.Kept) != 1 || !reflect.DeepEqual(notes.Kept[0], want) {
		x.Errorf("notes: %+v, want %+v", notes.Kept, want)
	}
	if notes.Suppressed != 0 {
		x.Errorf("a conflict was counted as %d suppressions", notes.Suppressed)
	}
}

func noNotes(x *exam) {
	x.mustCreate(x.first("a"))
	x.mustNote(call.Note{RowID: "b", Kind: call.NoteSuppressed, At: start})
	if notes := x.mustNotes("a"); notes.Suppressed != 0 || len(notes.Kept) != 0 {
		x.Errorf("notes: %+v, want none", notes)
	}
	if beat, err := x.LastBeat(x.ctx); err != nil || !beat.IsZero() {
		x.Errorf("last beat of a new ledger: %s, %v, want zero", beat, err)
	}
}

func suppressed(row string, n int) call.Note {
	return call.Note{RowID: row, Kind: call.NoteSuppressed, At: start.Add(time.Duration(n) * time.Second), Reason: fmt.Sprintf("delivery %d", n)}
}

func suppressionsCounted(x *exam) {
	for n := range firstTexts + 15 {
		x.mustNote(suppressed("a", n))
		if n == 12 {
			x.mustNotes("a") // in two flushes
		}
	}
	notes := x.mustNotes("a")
	if notes.Suppressed != firstTexts+15 || len(notes.Kept) != firstTexts {
		x.Fatalf("%d counted and %d kept, want %d and %d", notes.Suppressed, len(notes.Kept), firstTexts+15, firstTexts)
	}
	for n, kept := range notes.Kept {
		if !reflect.DeepEqual(kept, suppressed("a", n)) {
			x.Errorf("kept note %d: %+v, want %+v", n, kept, suppressed("a", n))
		}
	}
}

func suppressionsAtOnce(x *exam) {
	race(func(i int) {
		for n := range 10 {
			if err := x.Note(x.ctx, suppressed(fmt.Sprintf("row-%d", n%2), i)); err != nil {
				x.Errorf("note: %v", err)
			}
		}
	})
	for _, row := range []string{"row-0", "row-1"} {
		if notes := x.mustNotes(row); notes.Suppressed != 5*rivals || len(notes.Kept) != firstTexts {
			x.Errorf("%s: %d counted and %d kept, want %d and %d", row, notes.Suppressed, len(notes.Kept), 5*rivals, firstTexts)
		}
	}
}

func conflictOnce(x *exam) {
	for round := range 3 {
		for _, row := range []string{"a", "b"} {
			for _, fingerprint := range []string{"one", "two"} {
				x.mustNote(call.Note{RowID: row, Kind: call.NoteConflict, At: start.Add(time.Duration(round) * time.Hour), Fingerprint: fingerprint})
			}
		}
		if round == 1 {
			x.mustNotes("a")
		}
	}
	for _, row := range []string{"a", "b"} {
		notes := x.mustNotes(row)
		if len(notes.Kept) != 2 {
			x.Fatalf("%s: %d conflicts kept, want 2", row, len(notes.Kept))
		}
		for _, kept := range notes.Kept {
			if !kept.At.Equal(start) {
				x.Errorf("%s: the conflict of %s was kept, want the first one", row, kept.At)
			}
		}
	}
}

func (x *exam) notesInOrder(kinds ...call.NoteKind) {
	x.Helper()
	for n, kind := range kinds {
		x.mustNote(call.Note{RowID: "a", Kind: kind, At: start.Add(time.Duration(n) * time.Second), Fingerprint: "other"})
	}
	notes := x.mustNotes("a")
	if len(notes.Kept) != len(kinds) {
		x.Fatalf("%d notes kept, want %d", len(notes.Kept), len(kinds))
	}
	for n, kept := range notes.Kept {
		if kept.Kind != kinds[n] || !kept.At.Equal(start.Add(time.Duration(n)*time.Second)) {
			x.Errorf("note %d is %s of %s, want %s", n, kept.Kind, kept.At, kinds[n])
		}
	}
}

func newestBeat(x *exam) {
	for _, minutes := range []int{1, 3, 2} {
		if err := x.Beat(x.ctx, start.Add(time.Duration(minutes)*time.Minute)); err != nil {
			x.Fatalf("beat: %v", err)
		}
	}
	want := start.Add(3 * time.Minute)
	if beat, err := x.LastBeat(x.ctx); err != nil || !beat.Equal(want) {
		x.Errorf("last beat: %s, %v, want %s", beat, err, want)
	}
}

// correctedBeat is the story of a sweeper whose clock is hours ahead and is repaired: the beats after it count again.
func correctedBeat(x *exam) {
	for _, step := range []struct{ beat, want time.Duration }{
		{3 * time.Hour, 3 * time.Hour},
		{0, 0},
		{-time.Minute, 0},
		{call.HeartbeatTime, call.HeartbeatTime},
		{0, call.HeartbeatTime}, // not more than it is ahead
		{-time.Nanosecond, -time.Nanosecond},
		{time.Minute, time.Minute},
	} {
		if err := x.Beat(x.ctx, start.Add(step.beat)); err != nil {
			x.Fatalf("beat: %v", err)
		}
		if beat, err := x.LastBeat(x.ctx); err != nil || !beat.Equal(start.Add(step.want)) {
			x.Errorf("last beat after one of %s: %s, %v, want %s", start.Add(step.beat), beat, err, start.Add(step.want))
		}
	}
}

func notesChangeNothing(x *exam) {
	a := x.first("a")
	x.mustCreate(a)
	before := x.identity()
	x.mustNote(suppressed("a", 1))
	x.mustNote(call.Note{RowID: "a", Kind: call.NoteConflict, At: start, Fingerprint: "other"})
	if err := x.Beat(x.ctx, start); err != nil {
		x.Errorf("beat: %v", err)
	}
	x.mustNotes("a")
	x.holds("a", a)
	if after := x.identity(); after.HighWater != before.HighWater {
		x.Errorf("notes moved the high-water from %d to %d", before.HighWater, after.HighWater)
	}
}
