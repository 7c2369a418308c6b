//go:build integration

package postgres_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/ledger/postgres"
	"github.com/ringonce/ringonce/internal/ledger/postgres/queries"
	"github.com/ringonce/ringonce/internal/pgtest"
)

// wholeTable is a plan that reads all notes or all calls.
var wholeTable = regexp.MustCompile(`Seq Scan on (notes|calls)\b`)

// argument is a place for one in a statement.
var argument = regexp.MustCompile(`\$\d+`)

// plan returns how the server would run a statement whatever its arguments are. EXPLAIN (GENERIC_PLAN) would do, from PostgreSQL 16 on.
func plan(t *testing.T, l *postgres.Ledger, statement string) string {
	t.Helper()
	conn, err := l.Pool().Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	own := conn.Hijack() // its session is of no use to anybody else afterwards
	defer func() { _ = own.Close(t.Context()) }()
	arguments := argument.FindAllString(statement, -1)
	slices.Sort(arguments)
	nulls := strings.TrimSuffix(strings.Repeat("NULL, ", len(slices.Compact(arguments))), ", ")
	results, err := own.PgConn().Exec(t.Context(),
		"DEALLOCATE ALL; SET plan_cache_mode = force_generic_plan; PREPARE planned AS "+statement+"; EXPLAIN EXECUTE planned ("+nulls+")").ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, row := range results[len(results)-1].Rows {
		text.Write(row[0])
		text.WriteByte('\n')
	}
	return text.String()
}

// TestNotesAreWrittenWithoutReadingAllNotesOrAllCalls asks on the empty tables of a new ledger: sessions keep the plan that they
// made then. A join with the notes is planned as a scan of them there, which is seen.
func TestNotesAreWrittenWithoutReadingAllNotesOrAllCalls(t *testing.T) {
	t.Parallel()
	l := open(t, settings(t, pgtest.Start(t)))
	for name, statement := range map[string]string{"KeepNotes": queries.KeepNotes, "CountSuppressed": queries.CountSuppressed} {
		if text := plan(t, l, statement); wholeTable.MatchString(text) {
			t.Errorf("%s:\n%s", name, text)
		}
	}
	const joined = `SELECT r.id, count(n.number) FROM (SELECT DISTINCT unnest($1::text[]) AS id) r LEFT JOIN notes n ON n.row_id = r.id AND n.kind = 'suppressed' GROUP BY r.id`
	if text := plan(t, l, joined); !wholeTable.MatchString(text) {
		t.Errorf("the join that read all notes is not seen:\n%s", text)
	}
}
