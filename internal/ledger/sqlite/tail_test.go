package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/sqlite"
)

// crashed makes rows a, b and c that no index knows, moves the token of c, and ends the ledger as a crash would.
func crashed(t *testing.T) sqlite.Options {
	t.Helper()
	o := settings(t)
	l := open(t, o)
	create(t, l, "a")
	create(t, l, "b")
	if _, err := l.Update(t.Context(), moved(t, create(t, l, "c"), "token-c2")); err != nil {
		t.Fatal(err)
	}
	l.Kill()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for _, index := range []string{"ids", "tokens", "contacts", "recipients", "key_spaces"} {
		if n := count(t, o, index); n != 0 {
			t.Fatalf("%s has %d keys: the crash came too late for this test", index, n)
		}
	}
	return o
}

// moved makes a write that gives a row another token.
func moved(t *testing.T, c call.Call, token string) call.Write {
	t.Helper()
	w := held(t, c)
	w.Row.Token = token
	return w
}

// breaches says which unique keys of the rows of crashed a ledger does not know.
func breaches(t *testing.T, l *sqlite.Ledger) (found []string) {
	t.Helper()
	for i, id := range []string{"a", "b", "c"} {
		if _, err := l.Get(t.Context(), id); err != nil {
			found = append(found, "row "+id+" is not found")
		}
		token := []string{"token-a", "token-b", "token-c2"}[i]
		other := accepted(t, "other-"+id)
		other.Row.Token = token
		if i == 0 { // an old row is after this token, new rows are after the others
			other = moved(t, create(t, l, "old"), token)
		}
		write := map[bool]func(context.Context, call.Write) (call.Written, error){true: l.Update, false: l.Create}[i == 0]
		if _, err := write(t.Context(), other); !errors.Is(err, call.ErrTokenTaken) {
			found = append(found, fmt.Sprintf("%s was taken (%v)", token, err))
		}
		again := accepted(t, id)
		again.Entry.Op += "-of-another"
		again.Row.Token = ""
		if written, err := l.Create(t.Context(), again); err != nil || written.Applied {
			found = append(found, fmt.Sprintf("row %s was made twice (%v)", id, err))
		}
	}
	return found
}

func TestAfterACrashBeforeTheCatchUpEveryKeyIsStillUnique(t *testing.T) {
	t.Parallel()
	o := crashed(t)
	l := open(t, o)
	if found := breaches(t, l); found != nil {
		t.Errorf("after a crash: %q", found)
	}
	if written, err := l.Create(t.Context(), accepted(t, "a")); err != nil || !written.Applied {
		t.Errorf("the same write as before the crash: applied %t, %v", written.Applied, err)
	}
	freed := accepted(t, "d")
	freed.Row.Token = "token-c"
	if _, err := l.Create(t.Context(), freed); err != nil {
		t.Errorf("a token that was given up: %v", err)
	}
}

// The planted defect: an opener that takes the indexes for complete, and so skips the catch-up.
func TestAnOpenerThatSkipsTheCatchUpIsNoticed(t *testing.T) {
	t.Parallel()
	o := crashed(t)
	raw(t, o, `UPDATE ledger SET indexed = high_water`)
	if found := breaches(t, open(t, o)); len(found) != 9 {
		t.Errorf("an opener without catch-up was reported for %q only", found)
	}
}

// The unique indexes have the last word: a key that leads elsewhere already is damage, whoever did it.
func TestAKeyOfTwoRowsPoisonsTheLedger(t *testing.T) {
	t.Parallel()
	for _, foreign := range []string{`INSERT INTO ids VALUES ('a', 77)`, `INSERT INTO tokens VALUES ('token-a', 77)`} {
		o := crashed(t)
		raw(t, o, foreign)
		_, err := sqlite.Open(t.Context(), o)
		refused(t, err, call.CodeLedgerUnavailable, "ledger.path")

		o = settings(t)
		l := open(t, o)
		create(t, l, "a")
		raw(t, o, foreign)
		_, err = l.ByContact(t.Context(), "contact")
		refused(t, err, call.CodeLedgerUnavailable, "ledger.path")
		_, err = l.Create(t.Context(), accepted(t, "b"))
		refused(t, err, call.CodeLedgerUnavailable, "ledger.path")
	}
	o := crashed(t)
	raw(t, o, `UPDATE calls SET token = 'token-a' WHERE id = 'b'`)
	_, err := sqlite.Open(t.Context(), o)
	refused(t, err, call.CodeLedgerUnavailable, "ledger.path")
}

func TestAReaderBesideFindsRowsBeforeAndAfterTheCatchUp(t *testing.T) {
	t.Parallel()
	o := settings(t)
	writer := open(t, o)
	beside := o
	beside.ReadOnly = true
	reader := open(t, beside)
	create(t, writer, "a")
	for _, indexed := range []int{0, 1} {
		if n := count(t, o, "ids"); n != indexed {
			t.Fatalf("%d ids are indexed, want %d", n, indexed)
		}
		if c, err := reader.Get(t.Context(), "a"); err != nil || c.ID != "a" {
			t.Errorf("get with %d indexed: %v", indexed, err)
		}
		if entries, err := reader.History(t.Context(), "a"); err != nil || len(entries) != 1 {
			t.Errorf("history with %d indexed: %d entries, %v", indexed, len(entries), err)
		}
		if _, err := reader.Get(t.Context(), "b"); !errors.Is(err, call.ErrNotFound) {
			t.Errorf("get of no row: %v, want ErrNotFound", err)
		}
		if _, err := writer.ByContact(t.Context(), "none"); !errors.Is(err, call.ErrNotFound) {
			t.Errorf("by contact: %v", err)
		}
	}
}

// A row moves from the tail to the index while it is read. It must not be missed on the way.
func TestAnAnsweredRowIsFoundDuringTheCatchUp(t *testing.T) {
	t.Parallel()
	l := open(t, settings(t))
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for n := range 100 {
				id := fmt.Sprintf("row-%d-%d", g, n)
				create(t, l, id)
				for range 10 {
					if _, err := l.Get(t.Context(), id); err != nil {
						t.Errorf("get of an answered row: %v", err)
					}
				}
				if _, err := l.ByContact(t.Context(), "none"); !errors.Is(err, call.ErrNotFound) {
					t.Errorf("by contact: %v", err)
				}
			}
		})
	}
	wg.Wait()
}

// count returns how many rows a table of the file has, as of now.
func count(t *testing.T, o sqlite.Options, table string) (rows int) {
	t.Helper()
	db := opened(t, o)
	if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&rows); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return rows
}
