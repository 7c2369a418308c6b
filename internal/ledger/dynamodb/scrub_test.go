package dynamodb

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb/tabletest"
)

// lateFact erases a row whose next write spills its first entry, and returns a process that does not know it yet, with a fact for it.
func lateFact(t *testing.T, f *fake, tune func(*Options)) (stale *Ledger, late call.Write) {
	t.Helper()
	stale = f.open(tune)
	writes := sung(t, "row", false, mostEntries-1)
	for _, w := range writes {
		if _, err := send(t.Context(), stale, w); err != nil {
			t.Fatal(err)
		}
	}
	row := writes[mostEntries-1].Row
	late, err := row.Write(call.Event{Kind: call.EventContact, At: noon, ContactID: "late"}, "op-late")
	if err != nil {
		t.Fatal(err)
	}
	forget(t, f.open(tune), []call.Write{forgetting(t, row)})
	if found := remains(t, stale, f.Items); len(found) > 0 {
		t.Fatalf("after the erasure: %q", found)
	}
	return stale, late
}

// TestWhatALateWriteLeavesBesideAForgottenRowIsFound lets a process that does not know of an erasure write a spill item, with the request in it,
// and fail before it learns of the erasure, or while it takes the item back. The next run finds it.
func TestWhatALateWriteLeavesBesideAForgottenRowIsFound(t *testing.T) {
	t.Parallel()
	for name, tune := range map[string]func(*Options){"in clear": nil, "encrypted": encrypted} {
		for stop, breaks := range map[string]func(pk string, puts int) bool{
			"the write of the row never comes through": func(pk string, _ int) bool { return isRow(pk) },
			"the item is never taken back":             func(pk string, puts int) bool { return !isRow(pk) && puts > 1 },
		} {
			f := newFake(t)
			stale, late := lateFact(t, f, tune)
			puts := 0
			f.Faults = func(op, pk string) tabletest.Fate {
				if op == "PutItem" {
					if puts++; breaks(pk, puts) {
						return tabletest.LostFirst
					}
				}
				return tabletest.Answered
			}
			if _, err := stale.Update(t.Context(), late); err == nil {
				t.Fatalf("%s, %s: the late fact came to its end", name, stop)
			}
			f.Faults = nil
			if found := remains(t, stale, f.Items); len(found) == 0 {
				t.Fatalf("%s, %s: nothing is left, so the next run proves nothing", name, stop)
			}
			scrub(t, f.open(tune))
			if found := remains(t, stale, f.Items); len(found) > 0 {
				t.Errorf("%s, %s: %q is left", name, stop, found)
			}
		}
	}
}

// TestAScrubLeavesTheHistoryOfALivingRow: spill items are found by the recipient index, and only those of forgotten rows are overwritten.
func TestAScrubLeavesTheHistoryOfALivingRow(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	l := f.open(nil)
	writes := sung(t, "row", true, mostEntries+spillEntries)
	for _, w := range writes {
		if _, err := send(t.Context(), l, w); err != nil {
			t.Fatal(err)
		}
	}
	scrub(t, f.open(func(o *Options) { o.Clock = &handClock{now: noon.Add(10 * orphanAge)} }), "row")
	held(t, f.open(nil), writes)
	delete(f.Items, "row") // what is beside a row that never came to be is taken when it is old
	scrub(t, f.open(func(o *Options) { o.Clock = &handClock{now: noon.Add(orphanAge - 10*time.Hour)} }))
	if found := remains(t, l, f.Items); len(found) == 0 {
		t.Error("a young orphan is overwritten: its row may be on its way")
	}
	scrub(t, f.open(func(o *Options) { o.Clock = &handClock{now: noon.Add(2 * orphanAge)} }))
	if found := remains(t, l, f.Items); len(found) > 0 {
		t.Errorf("an old orphan is left: %q", found)
	}
}

// TestOneRowThatCannotBeScrubbedStopsNoOther breaks what one row is read or overwritten by: everything of the others is gone, and the error says
// which row is not.
func TestOneRowThatCannotBeScrubbedStopsNoOther(t *testing.T) {
	t.Parallel()
	recipient := call.Naming{}.Recipient("", canaryRecipient)
	fresh, erasures := rehearsed(t)
	for name, broken := range map[string]func(op, pk string) bool{
		"its row cannot be read":          func(op, pk string) bool { return op == "GetItem" && pk == "row-0" },
		"its notes cannot be overwritten": func(op, pk string) bool { return op == "PutItem" && pk == noteKey("row-0", 0) },
		"a row beside cannot be read":     func(op, pk string) bool { return op == "GetItem" && pk == "living" },
	} {
		f, l := fresh()
		living := sung(t, "living", true, 1)[0]
		if _, err := l.Create(t.Context(), living); err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, w := range erasures {
			if _, err := l.Erase(t.Context(), w); err != nil {
				t.Fatal(err)
			}
			ids = append(ids, w.Row.ID)
		}
		f.Faults = func(op, pk string) tabletest.Fate {
			if broken(op, pk) {
				return tabletest.Broken
			}
			return tabletest.Answered
		}
		next := f.open(nil)
		culprit := "row-0"
		if strings.HasPrefix(name, "a row") {
			culprit = "living"
		}
		if err := next.Scrub(t.Context(), recipient, ids); err == nil || !strings.Contains(err.Error(), culprit) || errors.Is(err, call.ErrNotFound) {
			t.Errorf("%s: error %v", name, err)
		}
		left := slices.DeleteFunc(remains(t, l, f.Items), func(s string) bool { return strings.Contains(s, culprit) || strings.Contains(s, "living") })
		if len(left) > 0 {
			t.Errorf("%s: of the others %q is left", name, left)
		}
		f.Faults = nil
		if scrub(t, next, ids...); len(slices.DeleteFunc(remains(t, l, f.Items), func(s string) bool { return strings.Contains(s, "living") })) > 0 {
			t.Errorf("%s: the next run does not finish", name)
		}
	}
}
