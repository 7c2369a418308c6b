package sqlite_test

import (
	"database/sql"
	"testing"

	"github.com/ncruces/go-sqlite3/driver"
)

// The power cuts run on another build of SQLite than production. What they show holds for production as far as both are made of the same
// sources (docs/proof-durability.md); when this fails, bring the one that is behind up to the other.
func TestTheBuildThatIsCutIsMadeOfTheSourcesOfProduction(t *testing.T) {
	t.Parallel()
	cut, err := driver.Open("file::memory:")
	if err != nil {
		t.Fatal(err)
	}
	a, b := sourcesOf(t, cut), sourcesOf(t, opened(t, settings(t)))
	if a != b {
		t.Errorf("the cuts are made on %s, and production runs on %s", a, b)
	}
	t.Log(a)
}

// sourcesOf returns the version of a build and the check-in that it was made of.
func sourcesOf(t *testing.T, db *sql.DB) (sources string) {
	t.Helper()
	if err := db.QueryRowContext(t.Context(), "SELECT sqlite_version() || ' of ' || sqlite_source_id()").Scan(&sources); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return sources
}
