//go:build integration

package postgres_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/postgres"
	"github.com/ringonce/ringonce/internal/pgtest"
)

func TestProcessesThatStartAtOnceMakeOneLedger(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	o := settings(t, server)
	ids := make([]string, 4)
	var wg sync.WaitGroup
	for i := range ids {
		mine := own(t, o)
		wg.Go(func() {
			l, err := postgres.Open(t.Context(), mine)
			if err != nil {
				t.Errorf("open: %v", err)
				return
			}
			identity, err := l.Identity(t.Context())
			ids[i] = identity.ID
			if err := errors.Join(err, l.Close()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, id := range ids {
		if id == "" || id != ids[0] {
			t.Errorf("the processes made %v", ids)
		}
	}
}

// The rule of docs/postgres.md: an older program goes on while a newer schema says that it may.
func TestANewerSchemaIsUsedAsLongAsItSaysSo(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	schema := server.Schema(t)
	o := at(t, server.DSN(schema, ""))
	used(t, o, "a")
	server.Exec(t, "INSERT INTO "+schema+".goose_db_version (version_id, is_applied) VALUES (99, true)")
	used(t, o, "b")
	server.Exec(t, "UPDATE "+schema+".ledger SET needs = 99")
	for _, readOnly := range []bool{false, true} {
		o.ReadOnly = readOnly
		_, err := postgres.Open(t.Context(), o)
		refused(t, err, call.CodeConfiguration, "ledger.driver")
		if !errors.Is(err, call.ErrNewerRow) {
			t.Errorf("open: %v, want ErrNewerRow", err)
		}
	}
}

// The role that docs/postgres.md describes for the processes: it reads and writes rows, and makes nothing.
func TestARoleThatOwnsNothingIsEnoughOnceTheTablesAreThere(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	schema := server.Schema(t)
	dsn := server.DSN(schema, "")
	used(t, at(t, dsn), "a")
	rights := "SELECT, INSERT, UPDATE, DELETE"
	if pgtest.Major() >= 17 {
		rights += ", MAINTAIN"
	}
	for _, statement := range []string{
		"CREATE ROLE worker LOGIN PASSWORD 'not-a-secret'",
		"GRANT USAGE ON SCHEMA " + schema + " TO worker",
		"GRANT " + rights + " ON ALL TABLES IN SCHEMA " + schema + " TO worker",
	} {
		server.Exec(t, statement)
	}
	l := open(t, at(t, strings.Replace(dsn, pgtest.Role+":", "worker:", 1)))
	row := create(t, l, "b")
	if err := l.Note(t.Context(), call.Note{RowID: "b", Kind: call.NoteSuppressed, At: noon}); err != nil {
		t.Error(err)
	}
	if notes, err := l.Notes(t.Context(), "b"); err != nil || notes.Suppressed != 1 {
		t.Errorf("notes %+v, error %v", notes, err)
	}
	if _, ok, err := l.SetCell(t.Context(), call.Cell{Name: "n", Version: 1, Data: []byte("x")}); err != nil || !ok {
		t.Errorf("set a cell: %t, %v", ok, err)
	}
	if _, err := l.Park(t.Context(), call.Parked{ID: "p", At: noon}); err != nil {
		t.Error(err)
	}
	if err := l.Scrub(t.Context(), "nobody", nil); err != nil {
		t.Error(err)
	}
	if _, err := l.Update(t.Context(), held(t, row, "op-b-2")); err != nil {
		t.Error(err)
	}
}

func TestAServerThatDoesNotSyncIsRefused(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	server.Exec(t, "ALTER ROLE "+pgtest.Role+" SET synchronous_commit = off")
	o := settings(t, server)
	_, err := postgres.Open(t.Context(), o)
	refused(t, err, call.CodeConfiguration, "ledger.driver")
	o.Relaxed = true
	used(t, o, "a")
}
