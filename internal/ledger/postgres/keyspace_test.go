//go:build integration

package postgres_test

import (
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/postgres/queries"
	"github.com/ringonce/ringonce/internal/pgtest"
)

func TestTheListOfAKeySpaceReadsItsRowsAlone(t *testing.T) {
	t.Parallel()
	l := open(t, settings(t, pgtest.Start(t)))
	spread(t, l, 20_000, 5)
	plan := func() string {
		t.Helper()
		rows, err := l.Pool().Query(t.Context(), "EXPLAIN (ANALYZE, COSTS off) "+queries.ListCallsInKeySpaces, []string{"rare"}, int64(1<<62), int32(201))
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		var lines []string
		for rows.Next() {
			var line string
			if err := rows.Scan(&line); err != nil {
				t.Fatal(err)
			}
			lines = append(lines, line)
		}
		return strings.Join(lines, "\n")
	}
	if text := plan(); !strings.Contains(text, "calls_key_space") || strings.Contains(text, "Removed by Filter") {
		t.Errorf("the list of a key space is planned as\n%s", text)
	}
	if _, err := l.Pool().Exec(t.Context(), "DROP INDEX calls_key_space"); err != nil { // the planted defect
		t.Fatal(err)
	}
	if text := plan(); !strings.Contains(text, "Removed by Filter") {
		t.Errorf("without its index the list of a key space is planned as\n%s", text)
	}
}

// Rows of before the migration, and of a process of the version before beside it, are in the index, and one that was left unfinished is made again.
func TestRowsFromBeforeTheMigrationAreListedByKeySpace(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	o := settings(t, server)
	l := open(t, o)
	for _, text := range []string{
		"DROP INDEX calls_key_space", "DROP FUNCTION key_space", "DELETE FROM goose_db_version WHERE version_id >= 2",
	} {
		if _, err := l.Pool().Exec(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	spread(t, l, 50, 5)
	for range 2 {
		migrated := open(t, own(t, o))
		if page, next, err := migrated.List(t.Context(), call.Filter{KeySpaces: []string{"rare"}}); err != nil || len(page) != 5 || next != "" {
			t.Errorf("%d rows, next %q, %v", len(page), next, err)
		}
		if _, err := l.Pool().Exec(t.Context(), "DELETE FROM goose_db_version WHERE version_id >= 2"); err != nil { // it stopped before its end
			t.Fatal(err)
		}
	}
}
