package dynamodb

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb/tabletest"
)

// rolledOut writes two calls in clear by a process without a master key, and goes on with the first by one that has it.
func rolledOut(t *testing.T) (f *fake, old *Ledger, sealed, clear []call.Write) {
	t.Helper()
	f = newFake(t)
	old = f.open(func(o *Options) { o.Suppressions = suppressionsAll })
	rows := [][]call.Write{chain(t, "sealed", map[string]string{"secret": "canary-attribute"}, 3), chain(t, "clear", nil, 3)}
	for _, writes := range rows {
		for _, w := range writes[:2] {
			if _, err := send(t.Context(), old, w); err != nil {
				t.Fatal(err)
			}
		}
	}
	rolled := f.open(func(o *Options) { encrypted(o); o.Suppressions = suppressionsAll })
	if _, err := send(t.Context(), rolled, rows[0][2]); err != nil {
		t.Fatal(err)
	}
	if err := rolled.Note(t.Context(), call.Note{RowID: "sealed", Kind: call.NoteSuppressed, At: noon}); err != nil {
		t.Fatal(err)
	}
	return f, old, rows[0], rows[1]
}

// refusedForKey reports an error that says which setting is missing.
func refusedForKey(err error) bool {
	shown, ok := errors.AsType[*call.Error](err)
	return ok && errors.Is(err, errKeyless) && shown.Field == "ledger.kms_key" && shown.Code == call.CodeLedgerUnavailable && shown.Fix != ""
}

// TestAProcessWithoutTheKeyWritesNothingAfterItMetAnEncryptedCall is a deployment that turns encryption on, in which a process of the
// configuration of before goes on. However it meets an encrypted call, it can still be read, and writes nothing back in clear.
func TestAProcessWithoutTheKeyWritesNothingAfterItMetAnEncryptedCall(t *testing.T) {
	t.Parallel()
	for name, meet := range map[string]func(l *Ledger, sealed []call.Write) error{
		"get":            func(l *Ledger, _ []call.Write) error { return second(l.Get(t.Context(), "sealed")) },
		"peek":           func(l *Ledger, _ []call.Write) error { return second(l.Peek(t.Context(), "sealed")) },
		"history":        func(l *Ledger, _ []call.Write) error { return second(l.History(t.Context(), "sealed")) },
		"notes":          func(l *Ledger, _ []call.Write) error { return second(l.Notes(t.Context(), "sealed")) },
		"a page":         func(l *Ledger, _ []call.Write) error { _, _, err := l.List(t.Context(), call.Filter{}); return err },
		"a duplicate":    func(l *Ledger, s []call.Write) error { return second(l.Create(t.Context(), other(s[0]))) },
		"a lost compare": func(l *Ledger, s []call.Write) error { return second(l.Update(t.Context(), other(s[2]))) },
		"every row": func(l *Ledger, _ []call.Write) error {
			return l.Each(t.Context(), func(call.Call, []call.Entry) error { return nil })
		},
	} {
		f, old, sealed, clear := rolledOut(t)
		if err := meet(old, sealed); err != nil {
			t.Errorf("%s: %v, want it to be read", name, err)
		}
		before := f.Backup()
		next := later(t, sealed[2])
		for what, err := range map[string]error{
			"an update of it": second(old.Update(t.Context(), next)), "a fact for it": second(old.Update(t.Context(), placing(t, sealed[2].Row))),
			"a create": second(old.Create(t.Context(), accepted(t, "new", nil))), "an update of a row in clear": second(old.Update(t.Context(), clear[2])),
			"a note": old.Note(t.Context(), call.Note{RowID: "clear", Kind: call.NoteSuppressed}), "a heartbeat": old.Beat(t.Context(), noon),
			"an erasure": second(old.Erase(t.Context(), next)), "a scrub": old.Scrub(t.Context(), "recipient", []string{"sealed"}),
		} {
			if !refusedForKey(err) {
				t.Errorf("%s, and then %s: %v, want a refusal that names ledger.kms_key", name, what, err)
			}
		}
		if after := f.Backup(); !reflect.DeepEqual(before, after) || len(f.clear(t, "canary-attribute")) > 0 {
			t.Errorf("%s: something was written: %q", name, f.clear(t, "canary-attribute"))
		}
		held(t, old, sealed)
	}
}

// TestAnUpdateThatMeetsAnEncryptedCallDoesNotWriteIt has not met the call before: what it reads to make the update from is encrypted.
func TestAnUpdateThatMeetsAnEncryptedCallDoesNotWriteIt(t *testing.T) {
	t.Parallel()
	for name, w := range map[string]func(row call.Call) call.Write{
		"a decision": func(row call.Call) call.Write { return later(t, call.Write{Row: row}) }, "a fact": func(row call.Call) call.Write { return placing(t, row) },
	} {
		f, old, sealed, _ := rolledOut(t)
		if err := second(old.Update(t.Context(), w(sealed[2].Row))); !refusedForKey(err) {
			t.Errorf("%s: %v, want a refusal that names ledger.kms_key", name, err)
		}
		held(t, f.open(encrypted), sealed)
	}
}

// TestANoteThatMeetsEncryptedNotesIsNotWritten: a note that finds no room in an item reads it.
func TestANoteThatMeetsEncryptedNotesIsNotWritten(t *testing.T) {
	t.Parallel()
	f, old, _, _ := rolledOut(t)
	first := noteKey("sealed", 0)
	f.change(first, attrTexts, tabletest.Value{L: slices.Repeat(f.Items[first][attrTexts].L, mostTexts)})
	if err := old.Note(t.Context(), call.Note{RowID: "sealed", Kind: call.NoteRefused, Reason: "canary-note"}); !refusedForKey(err) {
		t.Errorf("%v, want a refusal that names ledger.kms_key", err)
	}
	if found := f.clear(t, "canary-note"); len(found) > 0 {
		t.Errorf("%q", found)
	}
}

// TestAProcessWithoutTheKeyStillRecordsWhatItDialed: the contact of a dial that was on its way when the key was met missing goes into its
// row, which is in clear already; without it the call would be sent again.
func TestAProcessWithoutTheKeyStillRecordsWhatItDialed(t *testing.T) {
	t.Parallel()
	f, old, _, clear := rolledOut(t)
	if _, err := old.Get(t.Context(), "sealed"); err != nil {
		t.Fatal(err)
	}
	w := placing(t, clear[1].Row)
	if written, err := old.Update(t.Context(), w); err != nil || !written.Applied {
		t.Errorf("applied %t, error %v", written.Applied, err)
	}
	held(t, f.open(encrypted), []call.Write{clear[0], clear[1], w})
	if err := second(old.Update(t.Context(), later(t, w))); !refusedForKey(err) {
		t.Errorf("a decision after it: %v", err)
	}
}

// TestAProcessWithoutTheKeyRingsNobody delivers to a process that meets its first encrypted call: a duplicate is answered, and a new request
// goes back to its source.
func TestAProcessWithoutTheKeyRingsNobody(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	dials := 0
	tune := func(core *call.Config) {
		if inner, ok := core.Dialer.(telephone); ok {
			core.Dialer = countingTelephone{inner, &dials}
		}
	}
	old := f.open(nil)
	worker := engineOn(t, old, tune)
	if out := engineOn(t, f.open(encrypted), tune).Place(t.Context(), delivery(t, 0)); out.Met != call.MetPlaced || dials != 1 {
		t.Fatalf("%s, %d dials", out.Met, dials)
	}
	if out := worker.Place(t.Context(), delivery(t, 0)); out.Ack != call.AckDone || dials != 1 {
		t.Errorf("a duplicate is %s, %d dials: %s", out.Met, dials, out.Message)
	}
	out := worker.Place(t.Context(), delivery(t, 1))
	if out.Met != call.MetUnavailable || out.Ack != call.AckRetry || out.Code != call.CodeLedgerUnavailable || out.Fix == "" || dials != 1 {
		t.Errorf("a new request is %s (%v, %s), %d dials: %s", out.Met, out.Ack, out.Code, dials, out.Message)
	}
}

// other is the same write by another process.
func other(w call.Write) call.Write {
	w.Entry.Op += "-other"
	return w
}

// placing makes the write of a contact id.
func placing(t *testing.T, row call.Call) call.Write {
	t.Helper()
	w, err := row.Write(call.Event{Kind: call.EventContact, At: noon, ContactID: "contact"}, "op-placed")
	if err != nil {
		t.Fatal(err)
	}
	return w
}
