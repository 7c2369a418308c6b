package dynamodb

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb/tabletest"
)

const (
	canaryNumber    = "+12025550142"
	canaryRecipient = "canary-recipient"
)

// songs are texts of one recipient's calls that must not outlive their erasure.
func songs() []string {
	return []string{
		"2025550142", canaryRecipient, "canary-notification", "canary-token", "canary-attribute", "canary-fingerprint", "canary-asked",
		"canary-delivery", "canary-body", call.Naming{}.Recipient("", canaryRecipient),
	}
}

// sung makes the write that creates a row full of canaries, and the updates after it.
func sung(t *testing.T, id string, large bool, length int) []call.Write {
	t.Helper()
	attributes := map[string]string{"text": "canary-attribute"}
	if large {
		attributes["more"] = incompressible()["text"]
	}
	w, err := call.Begin(id).Write(call.Event{
		Kind: call.EventAccepted, At: noon, Due: noon, Delivery: &call.Arrival{Source: call.SourceSQS, ID: "canary-delivery-" + id},
		Opening: &call.Opening{
			Key:   call.Key{Kind: call.KindVoice, NotificationID: "canary-notification-" + id, RecipientID: canaryRecipient},
			Cause: call.CauseRequest, Destination: canaryNumber, Token: "canary-token-" + id, Fingerprint: "canary-fingerprint-" + id,
			AskedToken: "canary-asked-" + id, Attributes: attributes,
		},
	}, "op-"+id+"-1")
	if err != nil {
		t.Fatal(err)
	}
	w.Row.Pin = "canary-body " + canaryNumber
	writes := []call.Write{w}
	for len(writes) < length {
		writes = append(writes, later(t, writes[len(writes)-1]))
	}
	row := writes[len(writes)-1].Row
	last, err := row.Write(call.Event{Kind: call.EventContact, At: noon, ContactID: "contact-" + id}, "op-"+id+"-placed")
	if err != nil {
		t.Fatal(err)
	}
	return append(writes, last)
}

func forgetting(t *testing.T, row call.Call) call.Write {
	t.Helper()
	event, err := call.Forgotten(row, row.ID, noon.Add(time.Hour), "kim", "request 7")
	if err != nil {
		t.Fatal(err)
	}
	w, err := row.Write(event, "op-"+row.ID+"-forget")
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// remains returns the songs that are still in the table, in the clear, in a blob or in an encrypted one, and in which items.
func remains(t testing.TB, l *Ledger, items map[string]tabletest.Item) (found []string) {
	t.Helper()
	for pk, it := range items {
		text, err := json.Marshal(it)
		if err != nil {
			t.Fatal(err)
		}
		content := pk + string(text)
		for _, v := range append(it[attrTexts].L, it[attrData]) {
			if len(v.B) == 0 {
				continue
			}
			plain, err := l.open(t.Context(), placed(pk, it), blob(v.B))
			if err != nil {
				t.Fatalf("item %s: %v", pk, err)
			}
			content += string(plain)
		}
		for _, song := range songs() {
			if strings.Contains(content, song) {
				found = append(found, song+" in "+pk)
			}
		}
	}
	slices.Sort(found)
	return found
}

// placed returns where the blobs of an item belong.
func placed(pk string, it tabletest.Item) place {
	switch {
	case strings.HasPrefix(pk, "#s#"):
		return place{kind: kindSide, pk: pk}
	case strings.HasPrefix(pk, "#h#"):
		return place{kind: kindSpill, pk: pk}
	case strings.HasPrefix(pk, "#n#"):
		id, _, _ := strings.Cut(strings.TrimPrefix(pk, "#n#"), "#")
		return place{kind: kindNote, pk: noteKey(id, 0)}
	}
	return place{kindRow, pk, it.N(attrVersion), it[attrHead].B, it.S(attrSide)}
}

// choir writes rows of every shape with notes, among a row of another recipient, and returns the erasures.
func choir(t *testing.T, l *Ledger) (erasures []call.Write) {
	t.Helper()
	for i, shape := range []struct {
		large  bool
		length int
	}{{false, 1}, {true, 3}, {true, mostEntries + spillEntries + 3}} {
		writes := sung(t, fmt.Sprintf("row-%d", i), shape.large, shape.length)
		for _, w := range writes {
			if written, err := send(t.Context(), l, w); err != nil || !written.Applied {
				t.Fatalf("applied %t, error %v", written.Applied, err)
			}
		}
		row := writes[len(writes)-1].Row
		for n := range mostTexts*i + 3 {
			note := call.Note{RowID: row.ID, Kind: call.NoteRefused, At: noon, Reason: "canary-notification", Delivery: &call.Arrival{ID: "canary-delivery"}}
			if n == 0 {
				note.Kind, note.Fingerprint = call.NoteConflict, "canary-fingerprint"
			}
			if err := l.Note(t.Context(), note); err != nil {
				t.Fatal(err)
			}
		}
		erasures = append(erasures, forgetting(t, row))
	}
	if _, err := l.Create(t.Context(), accepted(t, "other", incompressible())); err != nil {
		t.Fatal(err)
	}
	return erasures
}

// rehearsed returns what makes a fresh table with the items that choir wrote: it is the same each time.
func rehearsed(t *testing.T) (fresh func() (*fake, *Ledger), erasures []call.Write) {
	t.Helper()
	f := newFake(t)
	erasures = choir(t, f.open(func(o *Options) { o.UniqueTokens = true }))
	items := f.Backup()
	return func() (*fake, *Ledger) {
		f := newFake(t)
		l := f.open(func(o *Options) { o.UniqueTokens = true })
		f.Items = maps.Clone(items)
		return f, l
	}, erasures
}

// forget does what the core does.
func forget(t *testing.T, l *Ledger, erasures []call.Write) {
	t.Helper()
	var ids []string
	for _, w := range erasures {
		written, err := l.Erase(t.Context(), w)
		for try := 1; try < 3 && err != nil; try++ {
			written, err = l.Erase(t.Context(), w)
		}
		if err != nil || !written.Applied {
			t.Fatalf("erase %s: applied %t, error %v", w.Row.ID, written.Applied, err)
		}
		ids = append(ids, w.Row.ID)
	}
	scrub(t, l, ids...)
}

func scrub(t *testing.T, l *Ledger, ids ...string) {
	t.Helper()
	recipient := call.Naming{}.Recipient("", canaryRecipient)
	err := l.Scrub(t.Context(), recipient, ids)
	for try := 1; try < 3 && err != nil; try++ {
		err = l.Scrub(t.Context(), recipient, ids)
	}
	if err != nil {
		t.Fatalf("scrub: %v", err)
	}
}

func TestNothingOfAForgottenRecipientIsLeftInTheTable(t *testing.T) {
	t.Parallel()
	for name, tune := range map[string]func(*Options){"in the clear": func(o *Options) { o.UniqueTokens = true }, "encrypted": func(o *Options) {
		o.UniqueTokens = true
		encrypted(o)
	}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nothingLeft(t, tune)
		})
	}
}

func nothingLeft(t *testing.T, tune func(*Options)) {
	f := newFake(t)
	l := f.open(tune)
	erasures := choir(t, l)
	// A request whose create lost leaves a side item that no row names.
	again := sung(t, "row-1", true, 1)[0]
	again.Row.Attributes["text"] = "canary-attribute, but another"
	again.Entry.Op = "op-of-another-process"
	stranger := f.open(tune)
	if written, err := stranger.Create(t.Context(), again); err != nil || written.Applied {
		t.Fatalf("the second create: applied %t, error %v", written.Applied, err)
	}
	if found := remains(t, l, f.Items); len(found) < len(songs()) {
		t.Fatalf("before the erasure only these sing: %q", found)
	}
	for _, w := range erasures {
		if _, err := l.Erase(t.Context(), w); err != nil {
			t.Fatal(err)
		}
	}
	for _, beside := range []string{"#s#", "#h#", "#n#"} {
		if !slices.ContainsFunc(remains(t, l, f.Items), func(s string) bool { return strings.Contains(s, " in "+beside) }) {
			t.Errorf("before the scrub no %s item sings, so the scrub proves nothing", beside)
		}
	}
	forget(t, l, erasures)
	if found := remains(t, l, f.Items); len(found) > 0 {
		t.Errorf("after the erasure: %q", found)
	}
	for _, w := range erasures {
		held(t, f.open(tune), []call.Write{w})
	}
	if _, err := f.open(tune).Get(t.Context(), "other"); err != nil {
		t.Errorf("the row of another recipient: %v", err)
	}
	// Redeliveries, stale processes and late notes bring nothing back.
	for _, late := range []*Ledger{l, stranger, f.open(tune)} {
		if written, err := late.Create(t.Context(), again); err != nil || written.Applied || !written.Row.IsForgotten() {
			t.Errorf("a redelivery: applied %t, error %v", written.Applied, err)
		}
		for n, kind := range []call.NoteKind{call.NoteConflict, call.NoteRefused} {
			for i := range erasures {
				note := call.Note{RowID: fmt.Sprintf("row-%d", i), Kind: kind, Fingerprint: fmt.Sprint("canary-fingerprint", n), Delivery: &call.Arrival{ID: "canary-delivery"}}
				if err := late.Note(t.Context(), note); err != nil {
					t.Errorf("a late note: %v", err)
				}
			}
		}
	}
	if found := remains(t, l, f.Items); len(found) > 0 {
		t.Errorf("after redeliveries: %q", found)
	}
}

// TestAnErasureIsFinishedWhateverBreaks breaks each write of an erasure and its scrub, one after the other, in every way; and, for one that
// does not come through, kills the process and lets the next one forget again.
func TestAnErasureIsFinishedWhateverBreaks(t *testing.T) {
	t.Parallel()
	fresh, erasures := rehearsed(t)
	for _, fate := range []tabletest.Fate{tabletest.LostFirst, tabletest.LostAfter, tabletest.Throttled, tabletest.Broken, tabletest.BrokenLie, tabletest.Silence, tabletest.Doubled} {
		for site := 0; ; site++ {
			f, l := fresh()
			seen := 0
			f.Faults = func(op, _ string) tabletest.Fate {
				if op != "PutItem" {
					return tabletest.Answered
				}
				if seen++; seen == site+1 {
					return fate
				}
				return tabletest.Answered
			}
			forget(t, l, erasures)
			if found := remains(t, l, f.Items); len(found) > 0 {
				t.Fatalf("fault %d at write site %d: %q is left", fate, site, found)
			}
			for _, w := range erasures {
				held(t, l, []call.Write{w})
			}
			if seen <= site {
				if site < 12 {
					t.Fatalf("only %d write sites were met", site)
				}
				break
			}
		}
	}
}

// TestAProcessThatDiesInAnErasureIsFinishedByTheNext kills the process after each write.
func TestAProcessThatDiesInAnErasureIsFinishedByTheNext(t *testing.T) {
	t.Parallel()
	recipient := call.Naming{}.Recipient("", canaryRecipient)
	fresh, erasures := rehearsed(t)
	for site := 1; ; site++ {
		f, l := fresh()
		seen := 0
		f.Faults = func(op, _ string) tabletest.Fate {
			if op == "PutItem" {
				seen++
			}
			if seen > site {
				return tabletest.LostFirst
			}
			return tabletest.Answered
		}
		died := false
		for _, w := range erasures {
			_, err := l.Erase(t.Context(), w)
			died = died || err != nil
		}
		died = died || l.Scrub(t.Context(), recipient, []string{"row-0", "row-1", "row-2"}) != nil
		f.Faults = nil
		next := f.open(func(o *Options) { o.UniqueTokens = true })
		ids, err := next.ByRecipient(t.Context(), recipient, 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range erasures {
			row, err := next.Get(t.Context(), w.Row.ID)
			if err != nil {
				t.Fatal(err)
			}
			if !row.IsForgotten() {
				forget(t, next, []call.Write{forgetting(t, row)})
			}
		}
		scrub(t, next, ids...)
		if found := remains(t, l, f.Items); len(found) > 0 {
			t.Fatalf("dead after write %d: %q is left", site, found)
		}
		if !died {
			if site < 12 {
				t.Fatalf("only %d write sites were met", site)
			}
			return
		}
	}
}

// TestAScrubMeetsALateFact lets a fact come between the erasure and the end of its scrub, from a process that still knows the row as unscrubbed.
func TestAScrubMeetsALateFact(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	l := f.open(nil)
	erasure := choir(t, l)[1]
	if _, err := l.Erase(t.Context(), erasure); err != nil {
		t.Fatal(err)
	}
	stale := f.open(nil)
	if _, err := stale.Get(t.Context(), erasure.Row.ID); err != nil {
		t.Fatal(err)
	}
	scrub(t, l, erasure.Row.ID)
	late, err := erasure.Row.Write(call.Event{Kind: call.EventContact, At: noon, ContactID: "late"}, "op-late")
	if err != nil {
		t.Fatal(err)
	}
	written, err := stale.Update(t.Context(), late)
	for try := 0; try < 3 && err == nil && !written.Applied; try++ {
		written, err = stale.Update(t.Context(), late)
	}
	if err != nil || !written.Applied {
		t.Fatalf("the late fact: applied %t, error %v", written.Applied, err)
	}
	held(t, f.open(nil), []call.Write{erasure, late})
	only := map[string]tabletest.Item{erasure.Row.ID: f.Items[erasure.Row.ID]}
	if found := remains(t, l, only); len(found) > 0 {
		t.Errorf("the late fact brought back %q", found)
	}
}

// TestWhatAnErasureCosts counts it, for docs/dynamodb.md.
func TestWhatAnErasureCosts(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	l := f.open(nil)
	writes := sung(t, "a", false, 1)
	for _, w := range writes {
		if _, err := send(t.Context(), l, w); err != nil {
			t.Fatal(err)
		}
	}
	f.Taken()
	forget(t, l, []call.Write{forgetting(t, writes[len(writes)-1].Row)})
	if got := f.Taken(); !maps.Equal(got, map[string]int{"PutItem": 3, "GetItem": 1, "Query": 1}) {
		t.Errorf("an erasure cost %v", got)
	}
}

// TestAReaderThatIsOvertakenReadsAgain overwrites the side item between the two reads of a row.
func TestAReaderThatIsOvertakenReadsAgain(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	l := f.open(nil)
	erasure := choir(t, l)[1]
	old := f.Items[erasure.Row.ID]
	forget(t, l, []call.Write{erasure})
	now := f.Items[erasure.Row.ID]
	f.Items[erasure.Row.ID] = old
	f.Faults = func(op, pk string) tabletest.Fate {
		if op == "GetItem" && strings.HasPrefix(pk, "#s#") {
			f.Items[erasure.Row.ID] = now
		}
		return tabletest.Answered
	}
	row, err := f.open(nil).Get(t.Context(), erasure.Row.ID)
	if err != nil || !row.IsForgotten() {
		t.Errorf("the row is %v, error %v", row, err)
	}
	f.Items[erasure.Row.ID] = old
	records, err := f.open(nil).loadAll(t.Context(), []string{erasure.Row.ID})
	if err != nil || len(records) != 1 || !records[0].row.IsForgotten() {
		t.Errorf("%d records, error %v", len(records), err)
	}
	if _, err := f.open(func(o *Options) { o.ReadOnly = true }).Erase(t.Context(), erasure); !errors.Is(err, errReadOnly) {
		t.Errorf("a read-only ledger erases: %v", err)
	}
}
