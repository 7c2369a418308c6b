package ledgertest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

func noteList() Suite {
	return Suite{Name: "NoteList", cases: []exercise{
		{name: "all notes are listed newest first, with their rows, without gap or repeat", run: notesListed},
		{name: "the note that was kept last comes first, whatever its row is", run: notesAcross, skip: func(l Lacks) bool { return l.NoteOrder }},
		{name: "a list shows only the kinds, key spaces and times that are asked for", run: notesChosen},
		{name: "a page goes on where it ended, whatever came meanwhile", run: notesMoving},
		{name: "a long list of which little is asked for comes to its end", run: notesRare},
		{name: "a note shows its row as it is now", run: notesWithRowNow},
		{name: "a note of a forgotten row, or of none, is not listed", run: notesOfNobody},
		{name: "a page holds 100 notes unless the filter says otherwise", run: notesDefault},
		{name: "a foreign cursor is refused", run: notesCursor},
	}}
}

// refusedBy makes a note that every ledger keeps by default.
func refusedBy(row string, n int) call.Note {
	return call.Note{RowID: row, Kind: call.NoteRefused, At: start.Add(time.Duration(n) * time.Second), Reason: fmt.Sprintf("%s:%d", row, n)}
}

// keepNote gives a note and waits until it is kept, so that the order is that of the calls.
func (x *exam) keepNote(n call.Note) {
	x.Helper()
	x.mustNote(n)
	x.mustNotes(n.RowID)
}

// notesOf walks a whole list and returns the reasons of its notes.
func (x *exam) notesOf(f call.NoteFilter) (reasons []string) {
	x.Helper()
	for pages := 0; ; pages++ {
		page, next, err := x.ListNotes(x.ctx, f)
		if err != nil || pages > 1000 {
			x.Fatalf("list notes: %v after %d pages", err, pages)
		}
		if f.Limit > 0 && len(page) > f.Limit {
			x.Errorf("a page of %d notes, want at most %d", len(page), f.Limit)
		}
		for _, n := range page {
			if n.Row.ID != n.Note.RowID {
				x.Errorf("a note of %s comes with the row %q", n.Note.RowID, n.Row.ID)
			}
			reasons = append(reasons, n.Note.Reason)
		}
		if next == "" {
			return reasons
		}
		f.Cursor = next
	}
}

func (x *exam) listsNotes(f call.NoteFilter, want ...string) {
	x.Helper()
	for _, limit := range []int{0, 1, 2, 3, 7} {
		f.Limit = limit
		if got := x.notesOf(f); !slices.Equal(got, want) {
			x.Errorf("notes of %v in %q from %s until %s by %d: %v, want %v", f.Kinds, f.KeySpaces, f.Since, f.Until, limit, got, want)
		}
	}
}

func notesListed(x *exam) {
	var want []string
	for i, row := range []string{"a", "b", "c", "d"} {
		x.mustCreate(x.first(row))
		for n := range i { // none of the first
			note := refusedBy(row, 10*i+n)
			x.keepNote(note)
			want = append(want, note.Reason)
		}
	}
	slices.Reverse(want)
	x.listsNotes(call.NoteFilter{}, want...)
	x.restart()
	x.listsNotes(call.NoteFilter{}, want...)
}

func notesAcross(x *exam) {
	var want []string
	for _, row := range []string{"a", "b", "c"} {
		x.mustCreate(x.first(row))
	}
	for n, row := range []string{"c", "a", "b", "a", "c", "b"} {
		note := refusedBy(row, n)
		x.keepNote(note)
		want = append(want, note.Reason)
	}
	slices.Reverse(want)
	x.listsNotes(call.NoteFilter{}, want...)
}

func notesChosen(x *exam) {
	for i, space := range []string{"alerts", "", "Alerts", "alerts"} {
		row := fmt.Sprintf("row-%d", i)
		x.mustCreate(x.inSpace(row, space))
		x.keepNote(refusedBy(row, 2*i))
		conflict := refusedBy(row, 2*i+1)
		conflict.Kind, conflict.Fingerprint = call.NoteConflict, "other"
		x.keepNote(conflict)
	}
	at := func(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }
	for want, f := range map[string]call.NoteFilter{
		"row-3:7 row-3:6 row-2:5 row-2:4 row-1:3 row-1:2 row-0:1 row-0:0": {Kinds: []call.NoteKind{call.NoteRefused, call.NoteConflict}},
		"row-3:6 row-2:4 row-1:2 row-0:0":                                 {Kinds: []call.NoteKind{call.NoteRefused}},
		"row-3:7 row-3:6 row-0:1 row-0:0":                                 {KeySpaces: []string{"alerts"}},
		"row-3:7 row-2:5 row-0:1":                                         {KeySpaces: []string{"Alerts", "nobody", "alerts"}, Kinds: []call.NoteKind{call.NoteConflict}},
		"":                                                                {Kinds: []call.NoteKind{call.NoteSuppressed}},
		"row-3:7 row-3:6 row-2:5":                                         {Since: at(5)},
		"row-1:2 row-0:1 row-0:0":                                         {Until: at(3)},
		"row-2:4 row-1:3":                                                 {Since: at(3), Until: at(5)},
		"row-2:5 row-2:4":                                                 {Keep: func(n call.RowNote) bool { return n.Row.ID == "row-2" }},
	} {
		x.listsNotes(f, strings.Fields(want)...)
	}
	x.keepNote(refusedBy("row-3", int(-2*call.NoteSlack/time.Second))) // of a clock that was behind: what is asked for may end there, and is never longer
	if got := x.notesOf(call.NoteFilter{Since: start}); slices.Contains(got, fmt.Sprintf("row-3:%d", int(-2*call.NoteSlack/time.Second))) {
		x.Errorf("notes since the start: %v", got)
	}
}

func notesMoving(x *exam) {
	var want []string
	for i := range 5 {
		row := fmt.Sprintf("row-%d", i)
		x.mustCreate(x.first(row))
		for n := range 2 {
			x.keepNote(refusedBy(row, 2*i+n))
			want = append(want, refusedBy(row, 2*i+n).Reason)
		}
	}
	slices.Reverse(want)
	var got []string
	f := call.NoteFilter{Limit: 3}
	for n := 0; ; n++ {
		page, next, err := x.ListNotes(x.ctx, f)
		if err != nil || n > 1000 {
			x.Fatalf("list notes: %v after %d pages", err, n)
		}
		for _, p := range page {
			got = append(got, p.Note.Reason)
		}
		if f.Cursor = next; next == "" {
			break
		}
		row := fmt.Sprintf("new-%d", n)
		x.mustCreate(x.first(row))
		x.keepNote(refusedBy(row, 100+n))
		x.keepNote(refusedBy("row-4", 200+n)) // of a row that was shown whole, or in part
	}
	if !slices.Equal(got, want) {
		x.Errorf("notes beside new ones: %v, want %v", got, want)
	}
}

func notesRare(x *exam) {
	many := 520 // more than DynamoDB has in one item, and than a page looks through
	if x.lacks.Speed {
		many = 20
	}
	x.mustCreate(x.inSpace("rare", "rare"))
	x.mustNote(refusedBy("rare", 0))
	x.mustNotes("rare")
	x.mustCreate(x.inSpace("many", "other"))
	for n := range many {
		x.mustNote(refusedBy("many", n+1))
	}
	x.mustNotes("many")
	if got := x.notesOf(call.NoteFilter{KeySpaces: []string{"rare"}, Limit: 1}); !slices.Equal(got, []string{"rare:0"}) {
		x.Errorf("notes of a rare key space: %v", got)
	}
	if got := x.notesOf(call.NoteFilter{}); len(got) != many+1 || got[0] != fmt.Sprintf("many:%d", many) {
		x.Errorf("%d notes from %s on, want %d", len(got), strings.Join(got[:min(1, len(got))], ""), many+1)
	}
}

func notesWithRowNow(x *exam) {
	a := x.first("a")
	x.mustCreate(a)
	x.keepNote(refusedBy("a", 1))
	placed := x.placed(a.Row, "contact-a", "op-2")
	x.mustUpdate(placed)
	page, _, err := x.ListNotes(x.ctx, call.NoteFilter{})
	if err != nil || len(page) != 1 {
		x.Fatalf("list notes: %d, %v", len(page), err)
	}
	x.same("the row of the note", page[0].Row, placed.Row)
}

func notesOfNobody(x *exam) {
	x.keepNote(refusedBy("nobody", 0))
	writes := x.ended("a")
	x.keepNote(refusedBy("a", 1))
	x.mustCreate(x.first("b"))
	x.keepNote(refusedBy("b", 2))
	x.listsNotes(call.NoteFilter{}, "b:2", "a:1")
	x.mustErase(x.forgotten(writes[1].Row, "op-forget"))
	x.keepNote(refusedBy("a", 3))
	x.listsNotes(call.NoteFilter{}, "b:2")
	x.restart()
	x.listsNotes(call.NoteFilter{}, "b:2")
}

func notesDefault(x *exam) {
	x.mustCreate(x.first("a"))
	for n := range 101 {
		x.mustNote(refusedBy("a", n))
	}
	x.mustNotes("a")
	page, cursor, err := x.ListNotes(x.ctx, call.NoteFilter{})
	if err != nil || len(page) != 100 || cursor == "" {
		x.Errorf("list notes: %d, cursor %q, error %v", len(page), cursor, err)
	}
}

func notesCursor(x *exam) {
	x.mustCreate(x.first("a"))
	x.keepNote(refusedBy("a", 0))
	for _, cursor := range []string{"elsewhere", "elsewhere.1", "-1", "."} {
		if _, _, err := x.ListNotes(x.ctx, call.NoteFilter{Cursor: cursor}); call.CodeOf(err) != call.CodeFieldValue {
			x.Errorf("list with the foreign cursor %q: %v, want code %s", cursor, err, call.CodeFieldValue)
		}
	}
}
