package sqlite_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/sqlite"
)

// inSpace makes the write that creates a row in a key space.
func inSpace(t testing.TB, id, keySpace string) call.Write {
	t.Helper()
	w, err := call.Begin(id).Write(call.Event{Kind: call.EventAccepted, At: noon, Due: noon, Opening: &call.Opening{
		Key:   call.Key{KeySpace: keySpace, Kind: call.KindVoice, NotificationID: "notification-" + id, RecipientID: "recipient"},
		Cause: call.CauseRequest, Destination: "+12025550101", Token: "token-" + id,
	}}, "op-"+id)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// listedIn returns the ids of the rows of a key space.
func listedIn(t testing.TB, l *sqlite.Ledger, keySpace string) string {
	t.Helper()
	page, _, err := l.List(t.Context(), call.Filter{KeySpaces: call.InSpaces(keySpace)})
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]string, len(page))
	for i, c := range page {
		ids[i] = c.ID
	}
	return strings.Join(ids, " ")
}

// ofThree opens a ledger with a row in each of two key spaces and in the unnamed one.
func ofThree(t *testing.T, o sqlite.Options) *sqlite.Ledger {
	t.Helper()
	l, err := sqlite.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for id, space := range map[string]string{"a": "one", "b": "other", "c": ""} {
		if _, err := l.Create(t.Context(), inSpace(t, id, space)); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

func TestRowsOfACrashAreListedByKeySpace(t *testing.T) {
	t.Parallel()
	o := settings(t)
	l := ofThree(t, o)
	l.Kill()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if n := count(t, o, "key_spaces"); n != 0 {
		t.Fatalf("%d keys are in the index: the crash came too late for this test", n)
	}
	if got := listedIn(t, open(t, o), "one"); got != "a" {
		t.Errorf("listed %q, want a", got)
	}
}

func TestRowsFromBeforeTheMigrationAreListedByKeySpace(t *testing.T) {
	t.Parallel()
	o := settings(t)
	if err := ofThree(t, o).Close(); err != nil {
		t.Fatal(err)
	}
	db := opened(t, o)
	for _, text := range []string{"DROP TABLE key_spaces", "DROP INDEX calls_state", "DROP INDEX calls_parked", "ALTER TABLE calls DROP COLUMN parked", "DELETE FROM goose_db_version WHERE version_id >= 6"} {
		if _, err := db.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	l := open(t, o)
	if got := listedIn(t, l, "one") + listedIn(t, l, "other"); got != "ab" {
		t.Errorf("listed %q, want a and b", got)
	}
	if n := count(t, o, "key_spaces"); n != 2 {
		t.Errorf("%d keys in the index, want 2: the unnamed key space is not in it", n)
	}
	if found, err := l.Inspect(t.Context()); err != nil || len(found) != 0 {
		t.Errorf("inspect: %v, %v", found, err)
	}
}

func TestAnInspectionFindsAWrongIndexOfKeySpaces(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"DELETE FROM key_spaces WHERE call = (SELECT number FROM calls WHERE id = 'a')", "UPDATE key_spaces SET key_space = 'elsewhere'"} {
		o := settings(t)
		if err := ofThree(t, o).Close(); err != nil {
			t.Fatal(err)
		}
		db := opened(t, o)
		if _, err := db.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if found, err := open(t, o).Inspect(t.Context()); err != nil || len(found) == 0 {
			t.Errorf("%s: inspect found %v, %v", text, found, err)
		}
	}
}

// BenchmarkListKeySpace lists the 10 calls of a rare key space among 100,000: by the index, and as a list of all calls that is looked through.
func BenchmarkListKeySpace(b *testing.B) {
	l := benchLedger(b)
	const total, rare = 100_000, 10
	var wg sync.WaitGroup
	for g := range 64 {
		wg.Go(func() {
			for n := g; n < total; n += 64 {
				space := "busy"
				if n%(total/rare) == 0 {
					space = "rare"
				}
				if _, err := l.Create(b.Context(), inSpace(b, fmt.Sprintf("row-%d", n), space)); err != nil {
					b.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for name, f := range map[string]call.Filter{"by the index": {KeySpaces: []string{"rare"}, Limit: 200}, "looked through": {Limit: 200}} {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				found, f := 0, f
				for more := true; more; {
					page, next, err := l.List(b.Context(), f)
					if err != nil {
						b.Fatal(err)
					}
					for _, c := range page {
						if c.Key.KeySpace == "rare" {
							found++
						}
					}
					f.Cursor, more = next, next != ""
				}
				if found != rare {
					b.Fatalf("%d calls of the rare key space", found)
				}
			}
		})
	}
}

// TestAReaderBesideAnotherProcessListsItsNewestCallsByKeySpace: the other one writes its indexes behind its calls, and nobody can make it catch up.
func TestAReaderBesideAnotherProcessListsItsNewestCallsByKeySpace(t *testing.T) {
	t.Parallel()
	o := settings(t)
	l := ofThree(t, o)
	defer func() { _ = l.Close() }()
	o.ReadOnly = true
	reader, err := sqlite.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reader.Close() }()
	if got := listedIn(t, reader, "other"); got != "b" {
		t.Errorf("listed %q", got)
	}
	all := ""
	for f := (call.Filter{KeySpaces: []string{"one"}, Limit: 1}); ; {
		page, next, err := reader.List(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range page {
			all += c.ID
		}
		if f.Cursor = next; next == "" {
			break
		}
	}
	if all != "a" {
		t.Errorf("page by page %q", all)
	}
}
