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

// wholeTable is a plan that reads a whole table, or that compares each of what is given with each.
var wholeTable = regexp.MustCompile(`Seq Scan on (notes|calls|history|erased_tokens)\b|Nested Loop|Join`)

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

// TestGroupsAreWrittenWithoutReadingWholeTablesAndWithoutJoins asks on the empty tables of a new ledger: sessions keep the plan that they
// made then. A join with the notes is planned as a scan of them there, which is seen.
func TestGroupsAreWrittenWithoutReadingWholeTablesAndWithoutJoins(t *testing.T) {
	t.Parallel()
	l := open(t, settings(t, pgtest.Start(t)))
	for name, statement := range map[string]string{"KeepNotes": queries.KeepNotes, "CountSuppressed": queries.CountSuppressed, "CreateCalls": queries.CreateCalls, "NewestNotes": queries.NewestNotes} {
		if text := plan(t, l, statement); wholeTable.MatchString(text) {
			t.Errorf("%s:\n%s", name, text)
		}
	}
	const joined = `SELECT r.id, count(n.number) FROM (SELECT DISTINCT unnest($1::text[]) AS id) r LEFT JOIN notes n ON n.row_id = r.id AND n.kind = 'suppressed' GROUP BY r.id`
	if text := plan(t, l, joined); !wholeTable.MatchString(text) {
		t.Errorf("the join that read all notes is not seen:\n%s", text)
	}
	const each = `SELECT g.id FROM (SELECT unnest($1::text[]) AS id) g JOIN (SELECT DISTINCT unnest($1::text[]) AS id) r ON r.id = g.id`
	if text := plan(t, l, each); !wholeTable.MatchString(text) {
		t.Errorf("a join of what is given is not seen:\n%s", text)
	}
}

// TestAPageOfDueCallsSeeksInTheIndex wants both the due time and the number among what is sought, and nothing sorted.
func TestAPageOfDueCallsSeeksInTheIndex(t *testing.T) {
	t.Parallel()
	l := open(t, settings(t, pgtest.Start(t)))
	if _, err := l.Pool().Exec(t.Context(), "INSERT INTO calls (number, id, version, state, due, doc) SELECT 1000 + n, 'x' || n, 1, 'received', n / 100, '' FROM generate_series(1, 20000) n; ANALYZE calls"); err != nil {
		t.Fatal(err)
	}
	if text := plan(t, l, queries.CallsDueFrom); !regexp.MustCompile(`Index Cond: .*ROW\(due, number\) > ROW`).MatchString(text) || strings.Contains(text, "Sort") {
		t.Error(text)
	}
}

func TestSessionsPlanAStatementOnceUnlessTheConnectionStringSaysOtherwise(t *testing.T) {
	t.Parallel()
	dsn := func(s *pgtest.Server) string { return s.DSN(s.Schema(t), "") }(pgtest.Start(t))
	for added, want := range map[string]string{"": "force_generic_plan", "&plan_cache_mode=auto": "auto"} {
		var got string
		if err := open(t, at(t, dsn+added)).Pool().QueryRow(t.Context(), "SHOW plan_cache_mode").Scan(&got); err != nil || got != want {
			t.Errorf("%q: %s, %v", added, got, err)
		}
	}
}
