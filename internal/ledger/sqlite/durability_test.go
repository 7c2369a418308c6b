package sqlite_test

import (
	"database/sql"
	"net/url"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/sqlite"
)

// opened returns a database with settings of the test's choice, as a careless opener would.
func opened(t *testing.T, o sqlite.Options, pragmas ...string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+o.Path+"?"+url.Values{"_pragma": pragmas}.Encode())
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func TestOnlyDurableSettingsAreAccepted(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name    string
		pragmas []string
		durable bool
	}{
		{"WAL and FULL", []string{"journal_mode(WAL)", "synchronous(FULL)"}, true},
		{"WAL and EXTRA", []string{"journal_mode(WAL)", "synchronous(EXTRA)"}, true},
		{"WAL and NORMAL", []string{"journal_mode(WAL)", "synchronous(NORMAL)"}, false},
		{"WAL and OFF", []string{"journal_mode(WAL)", "synchronous(OFF)"}, false},
		{"rollback journal", []string{"journal_mode(DELETE)", "synchronous(FULL)"}, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := settings(t)
			l, err := sqlite.OpenDB(t.Context(), opened(t, o, c.pragmas...), opened(t, o, c.pragmas...), o)
			if !c.durable {
				refused(t, err, call.CodeConfiguration, "ledger.path")
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			create(t, l, "a")
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAFullDiskLosesNothingAndHalvesNothing(t *testing.T) {
	t.Parallel()
	o := settings(t)
	small := []string{"journal_mode(WAL)", "synchronous(FULL)", "max_page_count(60)"}
	l, err := sqlite.OpenDB(t.Context(), opened(t, o, small...), opened(t, o, small...), o)
	if err != nil {
		t.Fatal(err)
	}
	written := 0
	var full error
	for ; full == nil && written < 10_000; written++ {
		_, full = l.Create(t.Context(), accepted(t, hashed("row", written)))
	}
	written-- // the last one was refused
	refused(t, full, call.CodeLedgerUnavailable, "ledger.path")
	if rows := whole(t, l); rows != written || rows == 0 {
		t.Errorf("%d rows are there, %d were answered", rows, written)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	again := open(t, o) // the disk has room again
	if rows := whole(t, again); rows != written {
		t.Errorf("%d rows are there after reopening, %d were answered", rows, written)
	}
	create(t, again, hashed("row", written))
}

func TestCloseKeepsTheWaitingNotes(t *testing.T) {
	t.Parallel()
	o := settings(t)
	l := open(t, o)
	create(t, l, "a")
	note := call.Note{RowID: "a", Kind: call.NoteSuppressed, At: noon, Reason: "duplicate"}
	if err := l.Note(t.Context(), note); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	notes, err := open(t, o).Notes(t.Context(), "a")
	if err != nil || notes.Suppressed != 1 || len(notes.Kept) != 1 {
		t.Errorf("notes %+v, error %v, want the one given before the close", notes, err)
	}
}
